/** Bounds memory and time of a WebAssembly module of others: what asks for more ends with a trap. */

import { joinBytes } from './byte-arrays.ts';

const PREAMBLE_BYTES = 8;
const [IMPORTS, MEMORY, GLOBALS, EXPORTS, CODE] = [2, 5, 6, 7, 10];
const GLOBAL = 3;

/** Bounds of a module. */
export interface WasmLimits {
  /** Pages of 64 KiB that it may have beside those that it begins with. */
  readonly growth: number;
  /** Name under which it exports the number of calls of its functions that are left, a global that others set. */
  readonly steps: string;
}

/**
 * The module with its only memory limited, whatever it says itself, and with its calls counted: no loop goes on for long
 * without one in what recurses over a text. undefined: it has another form than is expected.
 */
export function withLimits(
  wasm: Uint8Array,
  { growth, steps }: WasmLimits,
): Uint8Array<ArrayBuffer> | undefined {
  const sections = sectionsOf(wasm);
  const numberIn = (id: number) => new Numbers(sections.find((each) => each.id === id)?.body ?? NONE).next();
  const needed = [MEMORY, GLOBALS, EXPORTS, CODE];
  if (!needed.every((id) => sections.some((each) => each.id === id))) return undefined;
  // Imported globals come first: there are none where no import is but of functions.
  const imports = sections.find(({ id }) => id === IMPORTS);
  if (imports !== undefined && !importsFunctionsOnly(imports.body)) return undefined;
  const global = numberIn(GLOBALS);
  const parts: Uint8Array[] = [wasm.subarray(0, PREAMBLE_BYTES)];
  for (const { id, body } of sections) {
    let changed: Uint8Array | undefined = body;
    if (id === MEMORY) changed = cappedMemory(body, growth);
    else if (id === GLOBALS) changed = withEntry(body, [0x7f, 1, 0x41, 0, 0x0b]);
    else if (id === EXPORTS) {
      const name = new TextEncoder().encode(steps);
      changed = withEntry(body, [...leb(name.length), ...name, GLOBAL, ...leb(global)]);
    } else if (id === CODE) changed = countedCode(body, global);
    if (changed === undefined) return undefined;
    parts.push(Uint8Array.from([id, ...leb(changed.length)]), changed);
  }
  return joinBytes(parts);
}

const NONE = new Uint8Array(0);

/** Numbers of variable length, one behind the other. */
class Numbers {
  at = 0;

  constructor(readonly bytes: Uint8Array) {}

  next(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  }
}

function sectionsOf(wasm: Uint8Array): { readonly id: number; readonly body: Uint8Array }[] {
  const found = [];
  const numbers = new Numbers(wasm);
  numbers.at = PREAMBLE_BYTES;
  while (numbers.at < wasm.length) {
    const id = wasm[numbers.at++];
    const length = numbers.next();
    found.push({ id, body: wasm.subarray(numbers.at, numbers.at + length) });
    numbers.at += length;
  }
  return found;
}

/** Each import has two names, a kind, and of a function its type. */
function importsFunctionsOnly(body: Uint8Array): boolean {
  const numbers = new Numbers(body);
  for (let left = numbers.next(); left > 0; left--) {
    for (let name = 0; name < 2; name++) {
      const length = numbers.next();
      numbers.at += length;
    }
    if (body[numbers.at++] !== 0) return false;
    numbers.next();
  }
  return numbers.at === body.length;
}

function cappedMemory(body: Uint8Array, growth: number): Uint8Array | undefined {
  const numbers = new Numbers(body);
  const count = numbers.next();
  // Whether it has a limit; it is not shared.
  const flags = numbers.next();
  if (count !== 1 || flags > 1) return undefined;
  const pages = numbers.next();
  return Uint8Array.from([1, 1, ...leb(pages), ...leb(pages + growth)]);
}

/** A section of a count and entries with one more. */
function withEntry(body: Uint8Array, entry: readonly number[]): Uint8Array {
  const numbers = new Numbers(body);
  const count = numbers.next();
  return joinBytes([Uint8Array.from(leb(count + 1)), body.subarray(numbers.at), Uint8Array.from(entry)]);
}

/** Functions that begin with: a call less is left, and where none is they end. */
function countedCode(body: Uint8Array, global: number): Uint8Array {
  const [get, set] = [0x23, 0x24].map((code) => [code, ...leb(global)]);
  const begin = [...get, 0x41, 1, 0x6b, ...set, ...get, 0x45, 0x04, 0x40, 0x00, 0x0b];
  const numbers = new Numbers(body);
  const count = numbers.next();
  const parts: Uint8Array[] = [Uint8Array.from(leb(count))];
  for (let i = 0; i < count; i++) {
    const size = numbers.next();
    const [from, end] = [numbers.at, numbers.at + size];
    for (let groups = numbers.next(); groups > 0; groups--) {
      numbers.next();
      numbers.at++;
    }
    parts.push(
      Uint8Array.from(leb(size + begin.length)),
      body.subarray(from, numbers.at),
      Uint8Array.from(begin),
    );
    parts.push(body.subarray(numbers.at, end));
    numbers.at = end;
  }
  return joinBytes(parts);
}

function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}
