/** What browsers have and Node 20 does not: with it, code that reads columns after they were freed fails in tests too. */

interface Movable {
  transfer?: (this: ArrayBuffer, newLength?: number) => ArrayBuffer;
}

(ArrayBuffer.prototype as unknown as Movable).transfer ??= function (
  this: ArrayBuffer,
  newLength = this.byteLength,
) {
  const moved = structuredClone(this, { transfer: [this] });
  return newLength === moved.byteLength ? moved : moved.slice(0, newLength);
};

export {};
