/** Bounds the memory of a WebAssembly module of others: what asks for more ends with a trap. */

import { joinBytes } from './join-bytes.ts';

const PREAMBLE_BYTES = 8;
const MEMORY_SECTION = 5;

/**
 * The module with its only memory limited, whatever it says itself; undefined: it does not begin as expected.
 * @param growth pages of 64 KiB that it may have beside those that it begins with
 */
export function withCappedMemory(wasm: Uint8Array, growth: number): Uint8Array<ArrayBuffer> | undefined {
  let at = PREAMBLE_BYTES;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = wasm[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < wasm.length) {
    const begin = at;
    const section = wasm[at++];
    const length = number();
    const end = at + length;
    if (section === MEMORY_SECTION) {
      const count = number();
      // Whether it has a limit; it is not shared.
      const flags = wasm[at++];
      if (count !== 1 || flags > 1) return undefined;
      const pages = number();
      const body = [1, 1, ...leb(pages), ...leb(pages + growth)];
      const header = [MEMORY_SECTION, ...leb(body.length), ...body];
      return joinBytes([wasm.subarray(0, begin), Uint8Array.from(header), wasm.subarray(end)]);
    }
    at = end;
  }
  return undefined;
}

function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}
