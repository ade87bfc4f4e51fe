/** Small files of trace-cmd. */

const TICK =
  'name: tick\nID: 5\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:u16 n;\toffset:2;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n';

export interface TraceDatParts {
  readonly commands?: string;
  /** Formats of events of ftrace itself. */
  readonly own?: readonly string[];
  /** Formats of events of the system, which is sched if not said otherwise. */
  readonly formats?: readonly string[];
  readonly system?: string;
  readonly kallsyms?: string;
  /** Name of another buffer of the kernel, with the same events. */
  readonly instance?: string;
  /** Number, and data: a text, or numbers of 4 or, as `bigint`, 8 bytes. */
  readonly options?: readonly (readonly [number, string | readonly (number | bigint)[]])[];
}

/** Writes a trace.dat of version 6 with one page of a CPU; `long` is 8 bytes. Without formats it has one event, "tick". */
export function traceDat(
  isBig: boolean,
  records: readonly (readonly number[])[],
  commitFlags = 0,
  missed?: number,
  {
    commands = '',
    kallsyms = '',
    options = [],
    own = [],
    formats = [TICK],
    system = 'sched',
    instance,
  }: TraceDatParts = {},
): Uint8Array {
  const parts: Uint8Array[] = [];
  const text = (value: string) => parts.push(new TextEncoder().encode(value));
  const number = (value: number, size: 2 | 4 | 8) => {
    const view = new DataView(new ArrayBuffer(size));
    if (size === 8) view.setBigUint64(0, BigInt(value), !isBig);
    else if (size === 4) view.setUint32(0, value, !isBig);
    else view.setUint16(0, value, !isBig);
    parts.push(new Uint8Array(view.buffer));
  };
  const sized = (value: string) => {
    number(value.length, 8);
    text(value);
  };
  text('\x17\bDtracing6\0');
  parts.push(Uint8Array.of(isBig ? 1 : 0, 8));
  number(4096, 4);
  text('header_page\0');
  sized('\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char data;\toffset:16;\tsize:4080;');
  text('header_event\0');
  sized('');
  number(own.length, 4);
  for (const format of own) sized(format);
  number(1, 4);
  text(`${system}\0`);
  number(formats.length, 4);
  for (const format of formats) sized(format);
  number(kallsyms.length, 4);
  text(kallsyms);
  number(0, 4);
  sized(commands);
  number(1, 4);
  const place = new DataView(new ArrayBuffer(8));
  if (options.length > 0 || instance !== undefined) {
    text('options  \0');
    for (const [id, data] of options) {
      number(id, 2);
      const sizes =
        typeof data === 'string' ? [data.length] : data.map((one) => (typeof one === 'bigint' ? 8 : 4));
      number(
        sizes.reduce((a, b) => a + b, 0),
        4,
      );
      if (typeof data === 'string') text(data);
      else for (const one of data) number(Number(one), typeof one === 'bigint' ? 8 : 4);
    }
    if (instance !== undefined) {
      number(3, 2);
      number(8 + instance.length + 1, 4);
      parts.push(new Uint8Array(place.buffer));
      text(`${instance}\0`);
    }
    number(0, 2);
  }
  text('flyrecord\0');
  const begin = parts.reduce((sum, part) => sum + part.length, 0) + 16;
  number(begin, 8);
  number(4096, 8);
  const page = new DataView(new ArrayBuffer(4096));
  page.setBigUint64(0, 1000n, !isBig);
  const words = records.flat();
  page.setUint32(8 + (isBig ? 4 : 0), (4 * words.length) | commitFlags, !isBig);
  words.forEach((word, i) => page.setUint32(16 + 4 * i, word, !isBig));
  if (missed !== undefined) page.setUint32(16 + 4 * words.length + (isBig ? 4 : 0), missed, !isBig);
  parts.push(new Uint8Array(page.buffer));
  if (instance !== undefined) {
    place.setBigUint64(0, BigInt(begin + 4096), !isBig);
    text('flyrecord\0');
    number(begin + 4096 + 10 + 16, 8);
    number(4096, 8);
    parts.push(new Uint8Array(page.buffer));
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** Format of an event as tracefs has it. @param fields declarations in C with offset, size and sign */
export function formatText(
  name: string,
  id: number,
  fields: readonly (readonly [declaration: string, offset: number, size: number, signed: 0 | 1])[],
): string {
  const lines = fields.map(
    ([declaration, offset, size, signed]) =>
      `\tfield:${declaration};\toffset:${offset};\tsize:${size};\tsigned:${signed};`,
  );
  return [`name: ${name}`, `ID: ${id}`, 'format:', ...lines, ''].join('\n');
}
