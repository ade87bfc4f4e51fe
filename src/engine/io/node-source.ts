/** Files by path under Node. Only the command line, its worker and tests import this file. */
import { open, type FileHandle } from 'node:fs/promises';
import { fail, ok, type Result } from '../base/fault.ts';
import {
  type ByteSource,
  type SourceOpener,
  beyondEnd,
  unreadable,
  placedPieces,
  openPart,
} from './byte-source.ts';
import { openSource } from './open-source.ts';

/** The opener under Node: paths, their parts, and everything that the browser's opener can read. */
export const openNodeSource: SourceOpener = async (ref) => {
  if (ref.kind === 'part') return openPart(ref, openNodeSource);
  if (ref.kind !== 'path') return openSource(ref);
  try {
    const handle = await open(ref.absolute, 'r');
    return ok(nodeSource(ref.path, handle, (await handle.stat()).size));
  } catch (error) {
    return fail(unreadable(ref.path, error));
  }
};

function nodeSource(name: string, handle: FileHandle, size: number): ByteSource {
  const readInto = async (offset: number, into: Uint8Array): Promise<Result<Uint8Array>> => {
    if (offset + into.length > size) return fail(beyondEnd(name, offset + into.length, size));
    try {
      return await readFully(name, handle, offset, into);
    } catch (error) {
      return fail(unreadable(name, error, offset));
    }
  };
  const close = () => handle.close();
  return {
    name,
    size,
    read: (offset, length) => readInto(offset, new Uint8Array(length)),
    readOn: (from) => placedPieces(from, readInto, close),
    close,
  };
}

/** Reads until all bytes are there. A read may return fewer; none means that the file was cut since it was opened. */
async function readFully(
  name: string,
  handle: FileHandle,
  offset: number,
  bytes: Uint8Array,
): Promise<Result<Uint8Array>> {
  const { length } = bytes;
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) return fail(beyondEnd(name, offset + length, offset + done));
    done += bytesRead;
  }
  return ok(bytes);
}
