/** Writes directories; `directory.ts` describes the format. */
import type { HostNs } from '../base/units.ts';
import { ByteWriter } from './bytes.ts';
import { checksum } from '../base/checksum.ts';
import { DIRECTORY_FORMAT, type Patch } from './directory.ts';
import type { LevelWriter } from './level-writer.ts';

/** Parts of a directory that were written while the rows were gone through. */
export interface DirectoryParts {
  readonly from: HostNs;
  readonly to: HostNs;
  readonly rows: number;
  /** Head of each row: its entries before the levels. */
  readonly heads: ByteWriter;
  /** undefined: there are none. */
  readonly blocks:
    { readonly count: number; readonly runs: number; readonly directory: ByteWriter } | undefined;
  /** Ascending; those without rows are left out. */
  readonly levels: readonly LevelWriter[];
  readonly patches: readonly Patch[];
}

export function directoryBytes({
  from,
  to,
  rows,
  heads,
  blocks,
  levels,
  patches,
}: DirectoryParts): Uint8Array {
  const out = new ByteWriter(heads.length + 4096);
  out.varint(DIRECTORY_FORMAT);
  out.float64(from);
  out.float64(to);
  out.varint(blocks?.count ?? 0);
  if (blocks !== undefined) out.appendWritten(blocks.directory);
  out.varint(rows);
  out.varint(blocks?.runs ?? 0);
  out.appendWritten(heads);
  writeLevels(levels, out);
  out.varint(patches.length);
  for (const { attribute, begin, value } of patches) {
    out.varint(attribute);
    out.varint(from - begin);
    out.varint(value);
  }
  out.uint32(checksum(out.bytes, 0, out.length));
  return out.finish();
}

function writeLevels(levels: readonly LevelWriter[], out: ByteWriter): void {
  const written = levels.filter(({ row }) => row.length > 0);
  out.varint(written.length);
  for (const { level, row, end, streams } of written) {
    out.varint(level);
    out.varint(row.length);
    row.forEach((number, i) => {
      out.varint(number - (row[i - 1] ?? 0));
      out.varint(end[i] - (end[i - 1] ?? 0));
    });
    out.appendWritten(streams);
  }
}
