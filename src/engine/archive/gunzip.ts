/** Unpacks a tar.gz into a temporary file; the tar's files are parts of it. Its contents are known only at the end. */
import { type Fault, ok, type Result } from '../base/fault.ts';
import type { ByteSource, SourceRef } from '../io/byte-source.ts';
import { recognise } from '../trace/recognise.ts';
import { archiveKind } from './archive-kind.ts';
import { inflatedHead, inflateToTempFile, isDamage, type Inflated } from './inflate.ts';
import { BLOCK_BYTES } from './tar-header.ts';
import type { Unpacking } from './types.ts';
import { viewOf } from '../base/byte-arrays.ts';

/** Packed bytes that are enough for the first block. */
const HEAD_BYTES = 64 * 1024;

/** The tar archive in a gzip file, as far as it could be unpacked; nothing if the file holds something else. */
export async function gunzip(
  { path }: SourceRef,
  source: ByteSource,
  { tempFiles, budget, signal, onBytes }: Unpacking,
): Promise<{ readonly file?: SourceRef; readonly faults: readonly Fault[] }> {
  const packed = await source.read(0, Math.min(HEAD_BYTES, source.size));
  if (!packed.ok) return { faults: [packed.fault] };
  const head = inflatedHead(packed.value, 'gzip').subarray(0, BLOCK_BYTES);
  if (archiveKind(head) !== 'tar') return { faults: [noTar(path, head)] };
  const tempFile = await tempFiles.begin();
  if (!tempFile.ok) return { faults: [tempFile.fault] };
  const inflated = await inflateToTempFile({
    format: 'gzip',
    source,
    offset: 0,
    length: source.size,
    tempFile: tempFile.value,
    path,
    budget,
    signal,
    onProgress: onBytes,
  });
  const fault = await faultOfFile(source, inflated);
  const faults = fault === undefined ? [] : [fault];
  const file = await tempFile.value.finish(path);
  return file.ok ? { file: file.value, faults } : { faults: [...faults, file.fault] };
}

function noTar(path: string, head: Uint8Array): Fault {
  const inside = recognise(path.replace(/\.gz$/i, ''), head) ?? 'a file of an unknown format';
  return {
    code: 'not-a-trace',
    place: { file: path },
    expected: 'a tar archive with a trace',
    found: `a gzip archive of ${inside}`,
  };
}

/**
 * Fault of the file. The inflater takes bytes after the last member for damage, and does not notice a file that was cut
 * after the packed bytes.
 */
async function faultOfFile(source: ByteSource, inflated: Inflated): Promise<Fault | undefined> {
  const { fault } = inflated;
  if (fault !== undefined && !isDamage(fault)) return fault;
  const isWhole = await endsWithTrailer(source, inflated);
  if (!isWhole.ok) return isWhole.fault;
  return isWhole.value ? undefined : (fault ?? wrongTrailer(source, inflated));
}

/** Fault of a trailer: a wrong checksum if it holds the unpacked size; else the file was cut off before its end. */
async function wrongTrailer(source: ByteSource, { memberSize }: Inflated): Promise<Fault> {
  const length = Math.min(TRAILER_BYTES, source.size);
  const trailer = await source.read(source.size - length, length);
  if (!trailer.ok) return trailer.fault;
  const isThere =
    length === TRAILER_BYTES && viewOf(trailer.value).getUint32(4, true) === memberSize % 2 ** 32;
  return {
    code: isThere ? 'archive-damaged' : 'archive-truncated',
    place: { file: source.name },
    expected: isThere ? 'the checksum of what was packed' : 'the end of the gzip archive',
    found: isThere ? 'another one' : `a cut at byte ${source.size}`,
    readSoFar: `${memberSize} bytes unpacked`,
  };
}

/** Checksum and size, 4 bytes each. */
const TRAILER_BYTES = 8;

/** Bytes read at once when looking for zeros. */
const PIECE_BYTES = 64 * 1024;

/**
 * Whether the file ends with the trailer of what was unpacked (of its last member: RFC 1952, 2.3.1), followed by
 * nothing, or by zeros, with which tapes and some programs fill blocks. GNU gzip skips these silently. Faults: those of
 * the source.
 */
async function endsWithTrailer(source: ByteSource, inflated: Inflated): Promise<Result<boolean>> {
  const trailer = trailerOf(inflated);
  const end = await endWithoutZeros(source);
  if (!end.ok) return end;
  // Zeros at the trailer's end cannot be told from padding: it is compared without them.
  const trailerBytes = trailer.subarray(0, lengthWithoutZeros(trailer));
  const begin = end.value - trailerBytes.length;
  if (begin < 0 || begin + TRAILER_BYTES > source.size) return ok(false);
  const found = await source.read(begin, trailerBytes.length);
  return found.ok ? ok(trailerBytes.every((byte, i) => byte === found.value[i])) : found;
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
