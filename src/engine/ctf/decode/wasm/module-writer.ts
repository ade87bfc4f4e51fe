/**
 * Writes WebAssembly binaries (WebAssembly Core Specification 1.0, chapter 5): one imported memory, and functions,
 * some of them exported. Only what the generated decoder needs.
 */
import { assert } from '../../../base/assert.ts';
import { joinBytes } from '../../../base/byte-arrays.ts';

export const I32 = 0x7f;
export const I64 = 0x7e;
export const F64 = 0x7c;
export type ValueType = typeof I32 | typeof I64 | typeof F64;

/** Instructions without immediates, by their names in the specification. */
export const i32 = {
  eqz: 0x45,
  eq: 0x46,
  ne: 0x47,
  ltS: 0x48,
  ltU: 0x49,
  gtU: 0x4b,
  leS: 0x4c,
  leU: 0x4d,
  geU: 0x4f,
  add: 0x6a,
  sub: 0x6b,
  mul: 0x6c,
  divU: 0x6e,
  and: 0x71,
  or: 0x72,
  shl: 0x74,
  shrS: 0x75,
  shrU: 0x76,
  rotl: 0x77,
  wrap: 0xa7,
  /** Selects the first of two operands of any type if the condition above them is not 0. */
  select: 0x1b,
} as const;

export const i64 = {
  eqz: 0x50,
  eq: 0x51,
  ltS: 0x53,
  ltU: 0x54,
  gtS: 0x55,
  gtU: 0x56,
  leU: 0x58,
  geS: 0x59,
  geU: 0x5a,
  ctz: 0x7a,
  add: 0x7c,
  sub: 0x7d,
  mul: 0x7e,
  divS: 0x7f,
  divU: 0x80,
  and: 0x83,
  or: 0x84,
  xor: 0x85,
  shl: 0x86,
  shrS: 0x87,
  shrU: 0x88,
  rotl: 0x89,
  extendS: 0xac,
  extendU: 0xad,
} as const;

export const f64 = {
  lt: 0x63,
  ge: 0x66,
  add: 0xa0,
  convertI64S: 0xb9,
} as const;

export type Plain =
  (typeof i32)[keyof typeof i32] | (typeof i64)[keyof typeof i64] | (typeof f64)[keyof typeof f64];

/** Loads: an address on the stack, a constant offset. No alignment is promised. */
export const load = {
  i32: 0x28,
  i64: 0x29,
  f64: 0x2b,
  i8: 0x2c,
  u8: 0x2d,
  i16: 0x2e,
  u16: 0x2f,
  u8to64: 0x31,
} as const;

export const store = { i32: 0x36, i64: 0x37, f64: 0x39, i16: 0x3b } as const;

type Memory = (typeof load)[keyof typeof load] | (typeof store)[keyof typeof store];

/** Target of a branch: the end of a block, or the begin of a loop. */
export interface Label {
  readonly depth: number;
}

/** A function of the module: its index, which may be called before its code is written. */
export interface FunctionType {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

const BLOCK = 0x02;
const LOOP = 0x03;
const IF = 0x04;
const END = 0x0b;
const NO_RESULT = 0x40;

/** The code of one function. Methods append instructions and can be chained; operands come before operations. */
export class Code {
  readonly #bytes: number[] = [];
  readonly #locals: ValueType[] = [];
  #depth = 0;

  constructor(private readonly params: number) {}

  /** Declares a local, 0 at first; gives its index. */
  local(type: ValueType): number {
    return this.params + this.#locals.push(type) - 1;
  }

  get(local: number): this {
    return this.#write(0x20, local);
  }

  set(local: number): this {
    return this.#write(0x21, local);
  }

  tee(local: number): this {
    return this.#write(0x22, local);
  }

  i32(value: number): this {
    this.#bytes.push(0x41);
    writeSigned32(this.#bytes, value | 0);
    return this;
  }

  i64(value: bigint): this {
    this.#bytes.push(0x42);
    writeSigned64(this.#bytes, BigInt.asIntN(64, value));
    return this;
  }

  op(...operations: readonly Plain[]): this {
    this.#bytes.push(...operations);
    return this;
  }

  /** A load or store at the address on the stack plus `offset`. */
  at(operation: Memory, offset: number): this {
    return this.#write(operation, 0, offset);
  }

  call(index: number): this {
    return this.#write(0x10, index);
  }

  return(): this {
    return this.#write(0x0f);
  }

  /** A branch to its label leaves the block. */
  block(body: (end: Label) => void): this {
    return this.#nest(BLOCK, body);
  }

  /**
   * The parts of a branch by number: nested blocks, innermost `choose`, which must branch. A branch to label i leads
   * to what `part(i)` writes; that must leave, or goes on with the next part.
   */
  choice(parts: number, choose: (labels: readonly Label[]) => void, part: (index: number) => void): this {
    const labels: Label[] = [];
    for (let i = parts - 1; i >= 0; i--) labels[i] = this.#open(BLOCK);
    choose(labels);
    for (let i = 0; i < parts; i++) {
      this.#close();
      part(i);
    }
    return this;
  }

  /** A branch to its label begins the next round; without one the loop ends. */
  loop(body: (again: Label) => void): this {
    return this.#nest(LOOP, body);
  }

  /** Takes the condition from the stack. */
  if(then: () => void): this {
    return this.#nest(IF, then);
  }

  br(label: Label): this {
    return this.#write(0x0c, this.#distance(label));
  }

  brIf(label: Label): this {
    return this.#write(0x0d, this.#distance(label));
  }

  /** Branches by the index on the stack; an index beyond the last goes to `otherwise`. */
  brTable(labels: readonly Label[], otherwise: Label): this {
    const distances = [...labels, otherwise].map((label) => this.#distance(label));
    return this.#write(0x0e, labels.length, ...distances);
  }

  /** Gives the code with the declarations of its locals. */
  finish(): number[] {
    assert(this.#depth === 0, 'blocks are closed');
    const body: number[] = [];
    writeUnsigned(body, this.#locals.length);
    for (const type of this.#locals) body.push(1, type);
    return body.concat(this.#bytes, END);
  }

  #nest(operation: number, body: (label: Label) => void): this {
    body(this.#open(operation));
    this.#close();
    return this;
  }

  #open(operation: number): Label {
    this.#bytes.push(operation, NO_RESULT);
    return { depth: ++this.#depth };
  }

  #close(): void {
    this.#depth--;
    this.#bytes.push(END);
  }

  #distance({ depth }: Label): number {
    assert(depth > 0 && depth <= this.#depth, 'branches lead outward');
    return this.#depth - depth;
  }

  #write(operation: number, ...immediates: readonly number[]): this {
    this.#bytes.push(operation);
    for (const value of immediates) writeUnsigned(this.#bytes, value);
    return this;
  }
}

/** A module that imports `env.memory` and exports the functions that have a name. */
export class ModuleWriter {
  readonly #types: FunctionType[] = [];
  readonly #code: (readonly number[])[] = [];
  readonly #names = new Map<string, number>();

  /** Declares a function; gives its index. Its code follows with `define`. */
  declare(type: FunctionType, name?: string): number {
    const index = this.#types.push(type) - 1;
    if (name !== undefined) this.#names.set(name, index);
    return index;
  }

  define(index: number, code: Code): void {
    this.#code[index] = code.finish();
  }

  finish(): Uint8Array<ArrayBuffer> {
    const types = this.#types.map(({ params, results }) => [0x60, ...vector(params), ...vector(results)]);
    const distinct = [...new Set(types.map((type) => type.join()))];
    const declared = distinct.map((type) => type.split(',').map(Number));
    const used = types.map((type) => unsigned(distinct.indexOf(type.join())));
    const named = [...this.#names].map(([name, index]) => [...text(name), 0x00, ...unsigned(index)]);
    const code = this.#code.map((bytes) => unsigned(bytes.length).concat(bytes));
    return joinBytes([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, declared),
      ...section(2, [[...text('env'), ...text('memory'), 0x02, 0x00, 1]]),
      ...section(3, used),
      ...section(7, named),
      ...section(10, code),
    ]);
  }
}

type Bytes = readonly number[];

function section(id: number, items: readonly Bytes[]): Bytes[] {
  const count = unsigned(items.length);
  const length = items.reduce((sum, item) => sum + item.length, count.length);
  return [[id], unsigned(length), count, ...items];
}

function vector(items: readonly number[]): number[] {
  return [...unsigned(items.length), ...items];
}

function text(name: string): number[] {
  return vector([...new TextEncoder().encode(name)]);
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  writeUnsigned(bytes, value);
  return bytes;
}

/** LEB128. */
function writeUnsigned(bytes: number[], value: number): void {
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left & 0x7f) | 0x80);
  bytes.push(left);
}

function writeSigned32(bytes: number[], value: number): void {
  let left = value;
  for (; left < -64 || left > 63; left >>= 7) bytes.push((left & 0x7f) | 0x80);
  bytes.push(left & 0x7f);
}

function writeSigned64(bytes: number[], value: bigint): void {
  let left = value;
  for (; left < -64n || left > 63n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  bytes.push(Number(left & 0x7fn));
}
