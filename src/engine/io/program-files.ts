/** Files that give names to addresses, told by their first bytes or by what they are called. */

/** Whether the first bytes of a file are those of an ELF file. */
export function isElf(head: Uint8Array): boolean {
  return head[0] === 0x7f && head[1] === 0x45 && head[2] === 0x4c && head[3] === 0x46;
}

const LIST = /(?:^|\/)(?:kallsyms|perf-\d+\.map)$/;

/** Whether a path is called as lists of functions are: those of the kernel, and of processes that compile while they run. */
export function isFunctionList(path: string): boolean {
  return LIST.test(path);
}
