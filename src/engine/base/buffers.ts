/** The buffers behind the columns of a message, to be transferred instead of copied, and freed after use. */

/**
 * Buffers of all typed arrays in plain objects, arrays and maps. Left out are empty arrays, which are often shared
 * constants, and views of a part of a buffer, which may have another owner.
 */
export function buffersOf(message: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  collect(message, buffers);
  return [...buffers];
}

function collect(value: unknown, buffers: Set<ArrayBuffer>): void {
  if (typeof value !== 'object' || value === null) return;
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteLength } = value;
    if (buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength)
      buffers.add(buffer);
  } else if (value instanceof Map) {
    for (const item of value.values()) collect(item, buffers);
  } else {
    for (const item of Object.values(value)) collect(item, buffers);
  }
}

/**
 * A port whose other end is closed: what is transferred to it is freed. Closed from the start, as transfers made before
 * the end of the closing task would stay.
 */
const nowhere = closedPort();

function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}

/**
 * Frees the memory of a message's columns at once; nobody may read them afterwards. The garbage collector would free
 * them at its next run, but sees only a few small objects: gigabytes would pile up while a long trace is read.
 * `ArrayBuffer.prototype.transfer` does not help: the browser's own objects also hold what came in a message or from a
 * file (in Chromium the event), until a collection; transferring takes it from them.
 */
export function freeBuffers(message: object): void {
  const buffers = buffersOf(message);
  // A message costs as much as copying 100 KiB.
  if (buffers.length === 0) return;
  nowhere.postMessage(undefined, buffers);
}

/**
 * Detaches a buffer once. V8 compiles loops over typed arrays on the assumption that no buffer is ever detached, and
 * discards that code at the first detachment. A thread that will detach buffers calls this before anything is compiled.
 */
export function detachOnce(): void {
  const buffer = new ArrayBuffer(1);
  structuredClone(buffer, { transfer: [buffer] });
}
