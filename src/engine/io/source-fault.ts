/** Faults of reading, the same for every kind of source. */
import type { Fault } from '../base/fault.ts';

/** A range that ends at byte `end` of a file of `size` bytes. */
export function beyondEnd(file: string, end: number, size: number): Fault {
  return {
    code: 'truncated',
    place: { file, byte: size },
    expected: `${end} bytes`,
    found: `${size} bytes`,
  };
}

/** A file that vanished, changed or may not be read; `error` is what the platform threw. */
export function unreadable(file: string, error: unknown, byte?: number): Fault {
  return {
    code: 'file-unreadable',
    place: { file, byte },
    expected: 'a readable file',
    found: error instanceof Error ? error.message : String(error),
  };
}
