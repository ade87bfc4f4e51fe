/** Limits memory and time of a foreign WebAssembly module: exceeding them traps. */

import { joinBytes } from './byte-arrays.ts';

const PREAMBLE_BYTES = 8;
const [IMPORTS, MEMORY, GLOBALS, EXPORTS, CODE] = [2, 5, 6, 7, 10];
const GLOBAL = 3;

/** Limits of a module. */
export interface WasmLimits {
  /** Pages of 64 KiB by which its memory may grow. */
  readonly growth: number;
  /** Name under which it exports a global with the number of calls that are left, which the host sets. */
  readonly steps: string;
}

/**
 * The module with a limit on its only memory, whatever it declares itself, and with counted calls: code that recurses
 * over a text has no long loop without a call. undefined: the module has an unexpected form.
 */
export function withLimits(
  wasm: Uint8Array,
  { growth, steps }: WasmLimits,
): Uint8Array<ArrayBuffer> | undefined {
  const sections = sectionsOf(wasm);
  const numberIn = (id: number) => new Numbers(sections.find((each) => each.id === id)?.body ?? NONE).next();
  const needed = [MEMORY, GLOBALS, EXPORTS, CODE];
  if (!needed.every((id) => sections.some((each) => each.id === id))) return undefined;
  // Imported globals would come first; there are none if only functions are imported.
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

/** Reads a sequence of LEB128 numbers. */
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

/** Whether only functions are imported. Each import has two names, a kind, and for a function its type. */
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
  // Whether it has a limit; a shared memory is refused.
  const flags = numbers.next();
  if (count !== 1 || flags > 1) return undefined;
  const pages = numbers.next();
  return Uint8Array.from([1, 1, ...leb(pages), ...leb(pages + growth)]);
}

/** A section of a count and entries, with one entry added. */
function withEntry(body: Uint8Array, entry: readonly number[]): Uint8Array {
  const numbers = new Numbers(body);
  const count = numbers.next();
  return joinBytes([Uint8Array.from(leb(count + 1)), body.subarray(numbers.at), Uint8Array.from(entry)]);
}

/** Functions with a prologue that counts a call, and traps if none is left. */
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
