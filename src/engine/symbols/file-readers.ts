/** Readers of what files of programs and lists of functions say, as one part: loaded with the first such file. */
export { buildIdOf, crcOf, debugLinkOf } from './build-id.ts';
export { readElf } from './elf-file.ts';
export { moduleSymbols } from './module-symbols.ts';
export { readKallsyms, readPerfMap } from './text-symbols.ts';
