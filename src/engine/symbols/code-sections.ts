/** Where an ELF file has code. */
import { firstWhere } from '../base/lower-bound.ts';
import type { ElfFile } from './elf-file.ts';

/** Whether code is at a place, in bytes from the first page: what the linker left out stands at other addresses. */
export type IsCode = (place: number) => boolean;

export function codeOf({ sections }: ElfFile): IsCode {
  const code = sections.filter(({ isCode }) => isCode).sort((a, b) => a.from - b.from);
  const begins = code.map(({ from }) => from);
  // Sections do not overlap: the last one that begins there or before.
  return (place) => {
    const last = code.at(firstWhere(0, code.length, (i) => begins[i] > place) - 1);
    return last !== undefined && last.from <= place && place < last.to;
  };
}
