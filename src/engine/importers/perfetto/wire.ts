/**
 * Fields of a message in the wire format of protocol buffers (protobuf.dev, "Encoding"), in order and within its
 * bounds. `PbfReader` reads beyond the end of damaged messages, and 64-bit numbers as doubles.
 */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { wideOf } from '../../base/wide-integer.ts';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const MOST_VARINT_BYTES = 10;

const decoder = new TextDecoder();
const DOUBLE = new DataView(new ArrayBuffer(8));

export class Message {
  bytes: Uint8Array;
  /** Offset of the next field. */
  at: number;
  /** Number of the present field, 0: none. */
  field = 0;
  /** Halves of a number, or its value as bits. */
  low = 0;
  high = 0;
  /** The bytes [from, to) of a text or message. */
  from = 0;
  to = 0;
  /** Whether the message ended in a field that does not fit or has an unknown type. */
  isDamaged = false;
  #end: number;

  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = from;
    this.#end = end;
  }

  /** Continues with the message in the present field of another one. */
  open({ bytes, from, to }: Message): this {
    this.bytes = bytes;
    this.at = from;
    this.#end = to;
    this.isDamaged = false;
    return this;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#end;
  }

  /** Moves to the next field; false: there is none, or it is damaged. */
  next(): boolean {
    this.field = 0;
    if (this.at >= this.#end) return false;
    const begin = this.at;
    if (!this.varint()) return this.#damage(begin);
    const field = ((this.high << 29) | (this.low >>> 3)) >>> 0;
    const type = this.low & 7;
    this.from = this.to = this.at;
    if (type === VARINT) {
      if (!this.varint()) return this.#damage(begin);
    } else if (type === BYTES) {
      if (!this.varint() || this.high !== 0 || this.low >>> 0 > this.#end - this.at)
        return this.#damage(begin);
      this.from = this.at;
      this.at = this.to = this.at + (this.low >>> 0);
    } else if (type === FIXED32 || type === FIXED64) {
      const size = type === FIXED32 ? 4 : 8;
      if (this.at + size > this.#end) return this.#damage(begin);
      this.low = this.#word(this.at);
      this.high = size === 8 ? this.#word(this.at + 4) : 0;
      this.at += size;
    } else return this.#damage(begin);
    if (field === 0) return this.#damage(begin);
    this.field = field;
    return true;
  }

  /** Reads a number at `at` into the two halves; false: it does not end. */
  varint(): boolean {
    const { bytes } = this;
    let at = this.at;
    const end = Math.min(this.#end, at + MOST_VARINT_BYTES);
    let low = 0;
    let high = 0;
    for (let shift = 0; at < end; shift += 7) {
      const byte = bytes[at++];
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.at = at;
        this.low = low;
        this.high = high;
        return true;
      }
    }
    return false;
  }

  /** The number as a double, exact below 2^53. */
  get number(): number {
    return this.high * 0x1_0000_0000 + (this.low >>> 0);
  }

  get bigint(): bigint {
    return wideOf(this.low, this.high);
  }

  get double(): number {
    DOUBLE.setUint32(0, this.high);
    DOUBLE.setUint32(4, this.low);
    return DOUBLE.getFloat64(0);
  }

  get text(): string {
    return decoder.decode(this.bytes.subarray(this.from, this.to));
  }

  get message(): Message {
    return new Message(this.bytes, this.from, this.to);
  }

  /** Reads the fields that a form names; of a repeated field the last value, or all if it is a list. */
  read<Own extends MessageForm>(form: Own): Read<Own> {
    const fields = fieldsByNumber(form);
    const values: Record<string, unknown> = {};
    while (this.next()) {
      const found = fields.get(this.field);
      if (found !== undefined) values[found.name] = found.read(this, values[found.name] as never);
    }
    return values as Read<Own>;
  }

  #word(at: number): number {
    const { bytes } = this;
    return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
  }

  /** Marks the message as damaged at a field that does not fit: nothing follows it. */
  #damage(at: number): false {
    this.isDamaged = true;
    this.at = at;
    return false;
  }
}

/** Reads the present field; `before` is the value of the same field before it. */
type Reader = (message: Message, before: never) => unknown;
/** Fields of a message that are read, by name: their numbers and readers. */
type MessageForm = Readonly<Record<string, readonly [field: number, read: Reader]>>;
/** Values of the fields of a message that are there. */
export type Read<Own extends MessageForm> = { readonly [Name in keyof Own]?: ReturnType<Own[Name][1]> };

const fieldsByNumber = cachedByKey(
  (form: MessageForm) =>
    new Map(Object.entries(form).map(([name, [field, read]]) => [field, { name, read }] as const)),
);

/** 64-bit ids: `bigint` if a double cannot hold them. */
export type Id = number | bigint;

export function idOf(message: Message): Id {
  return message.high >>> 0 < 2 ** 21 ? message.number : message.bigint;
}

export const INT = ({ low }: Message) => low;
export const UINT = ({ low }: Message) => low >>> 0;
export const FLAG = ({ low }: Message) => low !== 0;
export const BIG = (message: Message) => message.bigint;
export const SIGNED = (message: Message) => BigInt.asIntN(64, message.bigint);
export const TEXT = (message: Message) => message.text;
export const IDS = (message: Message, before: Id[] = []) => {
  eachNumber(message, (number) => before.push(idOf(number)));
  return before;
};
/** A list of values that another reader reads. */
export const list =
  <Value>(read: (message: Message) => Value) =>
  (message: Message, before: Value[] = []) => {
    before.push(read(message));
    return before;
  };
export const TEXTS = list(TEXT);
/** A nested message of some form. */
export const inner =
  <Own extends MessageForm>(form: Own) =>
  (message: Message): Read<Own> =>
    message.message.read(form);

/** Calls `take` with each number of the present field, which is one number or a packed list. */
export function eachNumber(message: Message, take: (number: Message) => void): void {
  if (message.to === message.from) {
    take(message);
    return;
  }
  const list = message.message;
  while (!list.isAtEnd && list.varint()) take(list);
}
