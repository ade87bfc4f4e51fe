/**
 * Gives memory back at once. A garbage collector does so when it next looks, and what it sees are a few small objects:
 * while a long trace is read, hundreds of megabytes would wait for it.
 */

/** In engines of 2023 and later; without it the garbage collector must do. */
type Movable = ArrayBuffer & { transfer?(newLength: number): ArrayBuffer };

/**
 * Frees the buffers of all typed arrays of a plain object, and of those within it. Nobody may read them any more.
 * Arrays that see only a part of a buffer are left alone: somebody else may own it.
 */
export function freeBuffers(columns: object): void {
  for (const column of ArrayBuffer.isView(columns) ? [columns] : Object.values(columns)) {
    if (ArrayBuffer.isView(column)) freeBuffer(column);
    else if (typeof column === 'object' && column !== null && !Array.isArray(column)) freeBuffers(column);
  }
}

function freeBuffer({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength)
    (buffer as Movable).transfer?.(0);
}

/**
 * V8 compiles loops over typed arrays as if no buffer was ever given away, and throws all of that code away when one is
 * for the first time. So a thread that will give buffers away does so once before anything is compiled.
 */
export function detachOnce(): void {
  const buffer = new ArrayBuffer(1);
  structuredClone(buffer, { transfer: [buffer] });
}
