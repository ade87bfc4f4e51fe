/** Damage to the files of a trace, as disks, networks and hostile people make it. */
import fc from 'fast-check';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';

/** One change to one file; positions and lengths are taken modulo the file's size. */
export interface Damage {
  readonly kind: 'byte' | 'word' | 'cut' | 'zeros' | 'repeat' | 'drop' | 'remove';
  readonly file: number;
  readonly at: number;
  readonly length: number;
  readonly value: number;
}

export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('byte', 'byte', 'word', 'cut', 'zeros', 'repeat', 'drop', 'remove'),
    file: fc.nat(),
    // The heads of packets and files are where damage does most.
    at: fc.oneof(fc.nat(), fc.nat(100)),
    length: fc.integer({ min: 1, max: 400 }),
    value: fc.oneof(fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff), fc.nat()),
  }),
  { minLength: 1, maxLength: 6 },
);

export function damaged(files: TraceFiles, list: readonly Damage[]): TraceFiles {
  const changed: TraceFiles = new Map(files);
  for (const damage of list) {
    const paths = [...changed.keys()];
    const path = paths[damage.file % paths.length];
    const bytes = changed.get(path);
    if (bytes === undefined) continue;
    if (damage.kind === 'remove') changed.delete(path);
    else changed.set(path, changedBytes(bytes, damage));
  }
  return changed;
}

/** The same, but for the metadata, which stays whole. */
export function damagedData(files: TraceFiles, list: readonly Damage[]): TraceFiles {
  const data = new Map([...files].filter(([path]) => path !== 'metadata'));
  return new Map([...damaged(data, list), ['metadata', files.get('metadata') ?? new Uint8Array(0)]]);
}

function changedBytes(bytes: Uint8Array, { kind, at, length, value }: Damage): Uint8Array {
  if (bytes.length === 0) return Uint8Array.of(value & 0xff);
  const from = at % bytes.length;
  const to = Math.min(bytes.length, from + length);
  const copy = bytes.slice();
  switch (kind) {
    case 'byte':
      copy[from] = value & 0xff;
      return copy;
    case 'word':
      for (let i = 0; i < 4 && from + i < copy.length; i++) copy[from + i] = (value >>> (8 * i)) & 0xff;
      return copy;
    case 'cut':
      return copy.subarray(0, from);
    case 'zeros':
      return copy.fill(0, from, to);
    case 'repeat':
      return Uint8Array.from([...bytes.subarray(0, to), ...bytes.subarray(from)]);
    case 'drop':
      return Uint8Array.from([...bytes.subarray(0, from), ...bytes.subarray(to)]);
    case 'remove':
      return copy;
  }
}
