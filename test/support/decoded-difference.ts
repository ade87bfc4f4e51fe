/** How two decodings of one chunk differ. */
import { isDeepStrictEqual } from 'node:util';
import type { DecodedChunk } from '../../src/engine/ctf/decode/rows/rows.ts';

/** Says the first difference, in words; undefined: there is none. */
export function decodedDifference(actual: DecodedChunk, expected: DecodedChunk): string | undefined {
  for (const part of ['faults', 'faultCount', 'counts', 'packets'] as const) {
    const [ours, theirs] = [actual[part], expected[part]];
    if (!isDeepStrictEqual(ours, theirs)) return `${part}: ${textOf(ours)} and not ${textOf(theirs)}`;
  }
  const { rows } = actual;
  if (rows.bytes !== expected.rows.bytes) return 'rows are of other bytes';
  if (rows.length !== expected.rows.length) return `${rows.length} rows and not ${expected.rows.length}`;
  for (const column of ['time', 'kind', 'eventClass', 'at', 'words'] as const) {
    const at = firstDifference(rows[column], expected.rows[column]);
    if (at >= 0) return `rows.${column}[${at}] is ${rows[column][at]} and not ${expected.rows[column][at]}`;
  }
  return undefined;
}

/** Index of it, -1 none. Values alone: deep comparison takes minutes for columns of a million rows. */
export function firstDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i++) if (!Object.is(a[i], b[i])) return i;
  return -1;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    return ArrayBuffer.isView(part)
      ? Array.from(part as unknown as ArrayLike<number>, String).join(' ')
      : part;
  });
}
