/**
 * The end of a gzip file: the trailer of its last member (RFC 1952, 2.3.1), then nothing, or zeros, with which tapes and
 * some programs fill up blocks. GNU gzip passes over these without a word.
 */
import { ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import type { ByteSource } from '../io/byte-source.ts';
import type { Inflated } from './inflate.ts';
import { viewOf } from './zip-records.ts';

/** Checksum and size, 4 bytes each. */
export const TRAILER_BYTES = 8;
/** Bytes read at once where zeros are looked for. */
const PIECE_BYTES = 64 * 1024;

/** Whether the file ends with the trailer of what was unpacked. Faults: those of the source. */
export async function endsWithTrailer(source: ByteSource, inflated: Inflated): Promise<Result<boolean>> {
  const trailer = trailerOf(inflated);
  const end = await endWithoutZeros(source);
  if (!end.ok) return end;
  // Which zeros are the trailer's own nobody can see: it is compared up to the first of them.
  const told = trailer.subarray(0, lengthWithoutZeros(trailer));
  const begin = end.value - told.length;
  if (begin < 0 || begin + TRAILER_BYTES > source.size) return ok(false);
  const found = await source.read(begin, told.length);
  return found.ok ? ok(told.every((byte, i) => byte === found.value[i])) : found;
}

function trailerOf({ crc, memberSize }: Inflated): Uint8Array {
  const trailer = new Uint8Array(TRAILER_BYTES);
  const view = viewOf(trailer);
  view.setUint32(0, crc, true);
  view.setUint32(4, memberSize % 2 ** 32, true);
  return trailer;
}

/** The byte of the file from which on there are only zeros. */
async function endWithoutZeros(source: ByteSource): Promise<Result<number>> {
  for (let end = source.size; end > 0;) {
    const begin = Math.max(0, end - PIECE_BYTES);
    const bytes = await source.read(begin, end - begin);
    if (!bytes.ok) return bytes;
    const length = lengthWithoutZeros(bytes.value);
    if (length > 0) return ok(begin + length);
    end = begin;
  }
  return ok(0);
}

function lengthWithoutZeros(bytes: Uint8Array): number {
  return bytes.findLastIndex((byte) => byte !== 0) + 1;
}
