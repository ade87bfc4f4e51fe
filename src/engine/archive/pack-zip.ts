/** Writes a zip archive piece by piece: no member is ever in memory as a whole. */
import { Zip, ZipDeflate } from 'fflate';
import type { Fault, Result } from '../base/fault.ts';
import type { ByteSource } from '../io/byte-source.ts';

export interface ZipMember {
  /** Path in the archive. */
  readonly path: string;
  open(): Promise<Result<ByteSource>>;
}

/** Bytes of a member that are read at once. */
const PIECE = 4 * 1024 * 1024;
/** Time of all members, so that equal members give equal archives. 1980 is the earliest year in a zip. */
const NO_TIME = new Date(1980, 0, 1);

/**
 * The archive as pieces in order. All members together must have less than 4 GiB, as the 64-bit form is not written.
 * @param onBytes called with the number of member bytes read
 * @returns why a member could not be read; the archive must not be used then
 */
export async function* packZip(
  members: readonly ZipMember[],
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>, Fault | undefined> {
  let ready: Uint8Array<ArrayBuffer>[] = [];
  const taken = () => {
    const pieces = ready;
    ready = [];
    return pieces;
  };
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    ready.push(piece as Uint8Array<ArrayBuffer>);
  });
  let done = 0;
  for (const { path, open } of members) {
    const packed = new ZipDeflate(path);
    packed.mtime = NO_TIME;
    zip.add(packed);
    const opened = await open();
    if (!opened.ok) return opened.fault;
    const { value: source } = opened;
    try {
      for (let at = 0; at < source.size; at += PIECE) {
        const read = await source.read(at, Math.min(PIECE, source.size - at));
        if (!read.ok) return read.fault;
        packed.push(read.value);
        onBytes?.((done += read.value.length));
        yield* taken();
      }
    } finally {
      await source.close?.();
    }
    packed.push(new Uint8Array(0), true);
    yield* taken();
  }
  zip.end();
  yield* taken();
  return undefined;
}
