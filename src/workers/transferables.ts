/** The buffers within a message that can be handed over instead of copied. */

/**
 * Buffers of all typed arrays in plain objects, arrays and maps. Left out: empty ones, which are often shared
 * constants, and those that an array sees only a part of, which somebody else may own.
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
