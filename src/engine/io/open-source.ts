/** The opener of the browser: dropped files, memory, and parts of both. */
import { fail, ok, type Result } from '../base/fault.ts';
import {
  beyondEnd,
  type ByteSource,
  openPart,
  type PieceReader,
  type SourceOpener,
  unreadable,
} from './byte-source.ts';
import { memorySource } from './memory-source.ts';

/** Opens a source. Paths are refused, as they are for Node (`node-source.ts`). */
export const openSource: SourceOpener = (ref) => {
  switch (ref.kind) {
    case 'file':
      return Promise.resolve(ok(blobSource(ref.path, ref.file)));
    case 'memory':
      return Promise.resolve(ok(memorySource(ref.path, ref.bytes)));
    case 'part':
      return openPart(ref, openSource);
    case 'path':
      return Promise.resolve(
        fail({
          code: 'file-unreadable',
          place: { file: ref.path },
          expected: 'a dropped file',
          found: 'a path of the file system',
        }),
      );
  }
};

/** Whether streams of blobs fill buffers of the caller. */
const FILLS_BUFFERS = fillsBuffers();

function fillsBuffers(): boolean {
  try {
    new Blob([]).stream().getReader({ mode: 'byob' });
    return true;
  } catch {
    return false;
  }
}

/** Source of a `File` or `Blob`, read in slices: only the requested range comes into memory. */
function blobSource(name: string, blob: Blob): ByteSource {
  return {
    name,
    size: blob.size,
    async read(offset, length) {
      const end = offset + length;
      if (end > blob.size) return fail(beyondEnd(name, end, blob.size));
      try {
        return whole(name, offset, length, new Uint8Array(await blob.slice(offset, end).arrayBuffer()));
      } catch (error) {
        return fail(unreadable(name, error, offset));
      }
    },
    readOn: FILLS_BUFFERS ? (from, to) => blobPieces(name, blob, from, to) : undefined,
  };
}

/** The bytes read at `offset` if they are complete, or else a fault. */
function whole(name: string, offset: number, length: number, bytes: Uint8Array): Result<Uint8Array> {
  return bytes.length === length ? ok(bytes) : fail(beyondEnd(name, offset + length, offset + bytes.length));
}

/**
 * Readers in use: Chromium frees a byte stream without other references even while it is read, which then never ends.
 */
const AT_WORK = new Set<ReadableStreamBYOBReader>();

/** Reads a stream of the bytes [from, to) in pieces. */
function blobPieces(name: string, blob: Blob, from: number, to: number): PieceReader {
  const reader = blob.slice(from, to).stream().getReader({ mode: 'byob' });
  /** Resolves when what was asked for is read. */
  let turn: Promise<unknown> = Promise.resolve();
  /** Offset of the next piece. */
  let next = from;
  const read = async (offset: number, length: number, memory: ArrayBuffer): Promise<Result<Uint8Array>> => {
    AT_WORK.add(reader);
    try {
      return whole(name, offset, length, await fill(reader, memory, length));
    } catch (error) {
      // Browsers refuse a file that was deleted or changed after it was dropped.
      return fail(unreadable(name, error, offset));
    } finally {
      AT_WORK.delete(reader);
    }
  };
  return {
    next(length, memory) {
      const offset = next;
      next += length;
      if (next > blob.size) return Promise.resolve(fail(beyondEnd(name, next, blob.size)));
      const piece = turn.then(() => read(offset, length, memory));
      turn = piece;
      return piece;
    },
    close() {
      // Cancelling a reader ends its pending read. A reader whose file is gone has none.
      void turn.then(() => reader.cancel()).catch(() => undefined);
    },
  };
}

/** Reads into a buffer, which each read takes and returns. Fewer bytes than `length` where the stream ends. */
async function fill(
  reader: ReadableStreamBYOBReader,
  memory: ArrayBuffer,
  length: number,
): Promise<Uint8Array> {
  let buffer = memory;
  let filled = 0;
  while (filled < length) {
    const { value } = await reader.read(new Uint8Array(buffer, filled, length - filled));
    if (value === undefined || value.length === 0) break;
    buffer = value.buffer;
    filled += value.length;
  }
  return new Uint8Array(buffer, 0, filled);
}
