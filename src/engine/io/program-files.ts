/** Recognises files that give names to addresses, by their first bytes or by name. */

/** Whether the first bytes of a file are those of an ELF file. */
export function isElf(head: Uint8Array): boolean {
  return head[0] === 0x7f && head[1] === 0x45 && head[2] === 0x4c && head[3] === 0x46;
}

const LIST = /(?:^|\/)(?:kallsyms|perf-\d+\.map)$/;

/** Whether a path is named like a list of functions: of the kernel, or of processes that compile at run time. */
export function isFunctionList(path: string): boolean {
  return LIST.test(path);
}
