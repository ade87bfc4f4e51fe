/** Single fields of events by their canonical text: `{"fd":3,"count":8}`. Pure. */

/** The number of a field; undefined: there is none of that name, or it is no number. */
export function numberField(payload: string, name: string): number | undefined {
  const found = new RegExp(`[{,]"${name}":(-?\\d+)(?=[,}])`).exec(payload)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Fields of system calls that are descriptors, as LTTng and perf name them. */
const DESCRIPTORS = ['fd', 'fildes', 'oldfd', 'epfd', 'fd_in', 'fd_out', 'in_fd', 'out_fd'];

/** The descriptors that a call was given, in the order above: of several fields each once. */
export function descriptorsOf(payload: string): readonly number[] {
  const found = DESCRIPTORS.map((name) => numberField(payload, name));
  return [...new Set(found.filter((fd) => fd !== undefined && fd >= 0))] as readonly number[];
}

/** The fields of the text without one of them. */
export function withoutField(payload: string, name: string): string {
  return payload
    .replace(new RegExp(`([{,])"${name}":-?\\d+(?=[,}])`), '$1')
    .replace(/\{,/, '{')
    .replace(/,,/, ',')
    .replace(/,\}$/, '}');
}
