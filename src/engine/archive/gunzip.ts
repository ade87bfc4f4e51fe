/** A packed tar archive as a temporary file: its files are then parts of it. What it holds is not known before its end. */
import type { Fault } from '../base/fault.ts';
import type { ByteSource, SourceRef } from '../io/byte-source.ts';
import { recognise } from '../trace/recognise.ts';
import { archiveKind } from './archive-kind.ts';
import { endsWithTrailer, TRAILER_BYTES } from './gzip-trailer.ts';
import { gunzipHead, inflateToTempFile, isDamage } from './inflate.ts';
import type { Inflated } from './inflate.ts';
import { BLOCK_BYTES } from './tar-header.ts';
import type { Unpacking } from './types.ts';
import { viewOf } from './zip-records.ts';

/** Packed bytes that surely hold the first block. */
const HEAD_BYTES = 64 * 1024;

/** The tar archive in a gzip file, as far as it could be unpacked; none when something else is in it. */
export async function gunzip(
  { path }: SourceRef,
  source: ByteSource,
  { tempFiles, budget, signal, onBytes }: Unpacking,
): Promise<{ readonly file?: SourceRef; readonly faults: readonly Fault[] }> {
  const packed = await source.read(0, Math.min(HEAD_BYTES, source.size));
  if (!packed.ok) return { faults: [packed.fault] };
  const head = gunzipHead(packed.value).subarray(0, BLOCK_BYTES);
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
  const fault = await whatIsWrong(source, inflated);
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

/** Fault of bytes behind the last member, which are damage to the inflater; a cut behind its packed bytes is none. */
async function whatIsWrong(source: ByteSource, inflated: Inflated): Promise<Fault | undefined> {
  const { fault } = inflated;
  if (fault !== undefined && !isDamage(fault)) return fault;
  const isWhole = await endsWithTrailer(source, inflated);
  if (!isWhole.ok) return isWhole.fault;
  return isWhole.value ? undefined : (fault ?? wrongTrailer(source, inflated));
}

/**
 * Fault of a trailer: with the size of what was packed it is there, but gives another checksum; else the file was cut
 * off before its end.
 */
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
