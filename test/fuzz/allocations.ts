/**
 * What typed arrays are made, in bytes: the globals of a worker are replaced by ones that count, and that refuse what is
 * far beyond any need before the system has to find it. Objects and text are bounded by the worker's heap.
 */
const TYPES = [
  'ArrayBuffer',
  'Uint8Array',
  'Int8Array',
  'Uint16Array',
  'Int16Array',
  'Uint32Array',
  'Int32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
] as const;

export interface Allocations {
  /** Bytes since `begin`. */
  total(): number;
  /** @param most bytes that may be made until the next `begin` */
  begin(most: number): void;
}

type Constructor = new (...args: unknown[]) => object;

/** Thrown where too much is asked for. */
class TooMuchMemory extends Error {}

export function countAllocations(): Allocations {
  let total = 0;
  let most = Infinity;
  const count = (bytes: number): void => {
    total += bytes;
    if (total > most) throw new TooMuchMemory(`${total} bytes, and not at most ${most}`);
  };
  for (const name of TYPES) {
    const type = globalThis[name];
    const bytesEach = 'BYTES_PER_ELEMENT' in type ? type.BYTES_PER_ELEMENT : 1;
    const counting: object = new Proxy<Constructor>(type as Constructor, {
      construct(target, args: unknown[], newTarget: Constructor): object {
        const [first] = args;
        if (typeof first === 'number') count(first * bytesEach);
        else if (ArrayBuffer.isView(first)) count(first.byteLength);
        return Reflect.construct(
          target as new () => object,
          args,
          newTarget === counting ? target : newTarget,
        );
      },
    });
    Object.defineProperty(globalThis, name, { value: counting });
  }
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    count(pages * 65_536);
    return grow.call(this, pages);
  };
  return {
    total: () => total,
    begin(bytes) {
      total = 0;
      most = bytes;
    },
  };
}
