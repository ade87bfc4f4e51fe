/** Files by path under Node. Only the command line, its worker and tests import this file. */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { fail, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import type { ByteSource, SourceOpener } from './byte-source.ts';
import { openSource } from './open-source.ts';
import { openPart } from './part-source.ts';
import { beyondEnd, unreadable } from './source-fault.ts';

/** The opener under Node: paths, their parts, and what the browser's opener can read. */
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
  return {
    name,
    size,
    async read(offset, length) {
      if (offset + length > size) return fail(beyondEnd(name, offset + length, size));
      try {
        return await readFully(name, handle, offset, length);
      } catch (error) {
        return fail(unreadable(name, error, offset));
      }
    },
    close: () => handle.close(),
  };
}

/** A read may give less than asked for; none at all means that the file was cut since it was opened. */
async function readFully(
  name: string,
  handle: FileHandle,
  offset: number,
  length: number,
): Promise<Result<Uint8Array>> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) return fail(beyondEnd(name, offset + length, offset + done));
    done += bytesRead;
  }
  return ok(bytes);
}
