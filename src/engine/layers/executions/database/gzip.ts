/** Bytes through the platform's gzip, which has a checksum. */
import { joinBytes } from '../../../base/join-bytes.ts';

/** @returns undefined: the browser is too old for it */
export async function compressed(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (typeof CompressionStream === 'undefined') return undefined;
  return gathered(new CompressionStream('gzip'), bytes, Infinity);
}

/** @returns undefined: they are no whole gzip, or would come to more than `most` bytes */
export async function decompressed(
  bytes: Uint8Array<ArrayBuffer>,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await gathered(new DecompressionStream('gzip'), bytes, most);
  } catch {
    return undefined;
  }
}

/** Bytes that come out at the other end; undefined: there are more, and the rest is not made. */
async function gathered(
  through: GenericTransformStream,
  bytes: Uint8Array<ArrayBuffer>,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const out = new Blob([bytes])
    .stream()
    .pipeThrough(through as ReadableWritablePair)
    .getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = (await out.read()) as ReadableStreamReadResult<Uint8Array>;
    if (done) return joinBytes(pieces);
    pieces.push(value);
    length += value.length;
    if (length <= most) continue;
    await out.cancel();
    return undefined;
  }
}
