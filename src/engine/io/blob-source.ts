/** A `File` or `Blob`, read in slices: nothing but the asked range comes into memory. */
import { fail, ok, type Result } from '../base/result.ts';
import type { ByteSource } from './byte-source.ts';
import { beyondEnd, unreadable } from './source-fault.ts';

/** Whether streams of blobs fill buffers that they are given. */
const FILLS_BUFFERS = fillsBuffers();

function fillsBuffers(): boolean {
  try {
    new Blob([]).stream().getReader({ mode: 'byob' });
    return true;
  } catch {
    return false;
  }
}

export function blobSource(name: string, blob: Blob): ByteSource {
  const readSlice = async (
    offset: number,
    length: number,
    read: (slice: Blob) => Promise<Uint8Array>,
  ): Promise<Result<Uint8Array>> => {
    const end = offset + length;
    if (end > blob.size) return fail(beyondEnd(name, end, blob.size));
    try {
      const bytes = await read(blob.slice(offset, end));
      return bytes.length === length ? ok(bytes) : fail(beyondEnd(name, end, offset + bytes.length));
    } catch (error) {
      // Browsers refuse a file that was deleted or changed after it was dropped.
      return fail(unreadable(name, error, offset));
    }
  };
  return {
    name,
    size: blob.size,
    read: (offset, length) =>
      readSlice(offset, length, async (slice) => new Uint8Array(await slice.arrayBuffer())),
    readInto: FILLS_BUFFERS
      ? (offset, length, room) => readSlice(offset, length, (slice) => fill(room, slice))
      : undefined,
  };
}

/**
 * Readers at work. Chromium's garbage collector takes a byte stream that nothing else refers to although somebody waits
 * for it; the wait never ends then.
 */
const AT_WORK = new Set<ReadableStreamBYOBReader>();

async function fill(room: ArrayBuffer, blob: Blob): Promise<Uint8Array> {
  const reader = blob.stream().getReader({ mode: 'byob' });
  AT_WORK.add(reader);
  try {
    return await readAll(reader, room, blob.size);
  } finally {
    AT_WORK.delete(reader);
  }
}

/** Each read takes the buffer along and gives it back. */
async function readAll(
  reader: ReadableStreamBYOBReader,
  room: ArrayBuffer,
  size: number,
): Promise<Uint8Array> {
  let buffer = room;
  let filled = 0;
  while (filled < size) {
    const { value } = await reader.read(new Uint8Array(buffer, filled, size - filled));
    if (value === undefined || value.length === 0) break;
    buffer = value.buffer;
    filled += value.length;
  }
  await reader.cancel();
  return new Uint8Array(buffer, 0, filled);
}
