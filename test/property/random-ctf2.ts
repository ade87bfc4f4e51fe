/**
 * Random CTF 2 traces: what CTF 1.8 can say (`random-model.ts`), as CTF 2 says it, and behind it in each payload what it
 * cannot: every other field class, lengths and selectors in parents and in options of variants.
 */
import {
  type BitsClass,
  type ByteOrder,
  type FieldClass,
  type FieldRef,
  type IntegerClass,
  type StructClass,
  type StructMember,
  TEXT_ENCODINGS,
} from '../../src/engine/ctf/model.ts';
import { asCtf2 } from '../support/ctf-writer/as-ctf2.ts';
import { integer, struct } from '../support/ctf-writer/model-builder.ts';
import type { EventToWrite } from '../support/ctf-writer/packet-writer.ts';
import { encodeText, type StructValue, type Value } from '../support/ctf-writer/value.ts';
import type { Random } from '../support/simulator/random.ts';
import { randomTrace, type RandomTrace } from './random-model.ts';

/** Members that belong together, with a way to draw values for them. */
interface Group {
  readonly members: readonly StructMember[];
  values(): StructValue;
}

const WORDS = ['', 'wake', 'naïve', '線', '😀 path'];

export function randomCtf2Trace(random: Random): RandomTrace {
  const { model, streams } = randomTrace(random);
  const tails = model.streams.map(({ events }) => events.map(({ payload }) => tailOf(random, payload)));
  const withTails = model.streams.map((stream, s) => ({
    ...stream,
    events: stream.events.map((event, e) => ({ ...event, payload: extended(event.payload, tails[s][e]) })),
  }));
  const longer = (streamClass: number, event: EventToWrite): EventToWrite => {
    const tail = tails[streamClass][event.eventClass];
    return { ...event, payload: { ...event.payload, ...tail.values() } };
  };
  return {
    model: asCtf2({ ...model, streams: withTails }),
    streams: streams.map((stream) => ({
      ...stream,
      packets: stream.packets.map((packet) => ({
        ...packet,
        events: packet.events.map((event) => longer(stream.streamClass, event)),
      })),
    })),
  };
}

function extended(payload: StructClass | undefined, { members }: Group): StructClass {
  const all = [...(payload?.members ?? []), ...members];
  const align = all.reduce(
    (most, { type }) => Math.max(most, 'align' in type ? type.align : 1),
    payload?.align ?? 1,
  );
  return { kind: 'struct', members: all, align };
}

function tailOf(random: Random, payload: StructClass | undefined): Group {
  const groups: Group[] = [];
  let at = payload?.members.length ?? 0;
  for (let left = random.between(0, 3); left > 0; left--) {
    const group = random.pick(KINDS)(new Tail(random, at));
    groups.push(group);
    at += group.members.length;
  }
  // Where packets have no sizes the last event ends the file, in whole bytes.
  const end = { members: [{ name: `end ${at}`, type: integer(8) }], values: () => ({ [`end ${at}`]: 1 }) };
  const parts = [...groups, end];
  return {
    members: parts.flatMap(({ members }) => members),
    values: () => Object.assign({}, ...parts.map((part) => part.values())) as StructValue,
  };
}

/** What members are made of: their names and places begin with the step of the first in the payload. */
class Tail {
  readonly random: Random;
  readonly #at: number;
  readonly #order: ByteOrder;

  constructor(random: Random, at: number) {
    this.random = random;
    this.#at = at;
    this.#order = random.pick(['le', 'be'] as const);
  }

  name(index: number): string {
    return `x ${this.#at + index}`;
  }

  /** Of the member at an index of the group, and below it. */
  ref(index: number, ...below: readonly number[]): FieldRef {
    return { scope: 'event-payload', steps: [this.#at + index, ...below], text: '' };
  }

  /** Fields that begin at bytes: the byte order must not change in one. */
  fixed(size: number): Pick<BitsClass, 'size' | 'byteOrder' | 'reversed' | 'align'> {
    const reversed = this.random.chance(0.5) ? true : undefined;
    return { size, byteOrder: this.#order, reversed, align: this.random.pick([8, 8, 32]) };
  }

  variable(signed = false): IntegerClass {
    const base = this.random.pick([10, 16] as const);
    return { kind: 'integer', size: 64, variable: true, signed, byteOrder: 'le', align: 8, base };
  }

  group(types: readonly FieldClass[], draw: () => readonly Value[]): Group {
    return {
      members: types.map((type, index) => ({ name: this.name(index), type })),
      values: () => Object.fromEntries(draw().map((value, index) => [this.name(index), value])),
    };
  }
}

type Kind = (tail: Tail) => Group;

function bits(tail: Tail): Group {
  const size = tail.random.between(1, 64);
  const labels = tail.random.chance(0.5) ? [{ label: 'flag', from: 0n, to: BigInt(size - 1) }] : undefined;
  const type: FieldClass = { kind: 'bits', ...tail.fixed(size), labels };
  return tail.group([type], () => [wholeNumber(tail.random, size, false)]);
}

function boolean(tail: Tail): Group {
  const fixed = tail.fixed(tail.random.pick([1, 8, 32]));
  const type: FieldClass = { kind: 'integer', signed: false, base: 10, boolean: true, ...fixed };
  return tail.group([type], () => [tail.random.between(0, 1)]);
}

function fixedInteger(tail: Tail): Group {
  const size = tail.random.between(1, 64);
  const signed = tail.random.chance(0.5);
  const type: FieldClass = { kind: 'integer', signed, base: 8, ...tail.fixed(size) };
  return tail.group([type], () => [wholeNumber(tail.random, size, signed)]);
}

function variableInteger(tail: Tail): Group {
  const signed = tail.random.chance(0.5);
  return tail.group([tail.variable(signed)], () => [
    wholeNumber(tail.random, tail.random.pick([1, 7, 8, 31, 57, 63, 64]), signed),
  ]);
}

function real(tail: Tail): Group {
  const size = tail.random.pick([16, 32, 64] as const);
  const type: FieldClass = { kind: 'float', ...tail.fixed(size), size };
  return tail.group([type], () => [tail.random.pick([0, -1.5, 0.25, 1024, NaN, -Infinity])]);
}

function text(tail: Tail): Group {
  const { random } = tail;
  const encoding = random.pick(TEXT_ENCODINGS);
  const word = (): string => random.pick(WORDS);
  switch (random.between(0, 2)) {
    case 0:
      return tail.group([{ kind: 'string', encoding, align: 8 }], () => [word()]);
    case 1:
      return tail.group([{ kind: 'text', length: 32, encoding, align: 8 }], () => [word()]);
    default: {
      const type: FieldClass = { kind: 'text', length: tail.ref(0), encoding, align: 8 };
      return tail.group([tail.variable(), type], () => {
        const bytes = encodeText(word(), encoding);
        return [bytes.length, bytes];
      });
    }
  }
}

function blob(tail: Tail): Group {
  const { random } = tail;
  const mediaType = random.pick([undefined, 'image/png']);
  const bytes = (length: number) => Uint8Array.from({ length }, () => random.between(0, 255));
  const length = random.between(0, 5);
  if (random.chance(0.5))
    return tail.group([{ kind: 'blob', length, mediaType, align: 8 }], () => [bytes(length)]);
  const type: FieldClass = { kind: 'blob', length: tail.ref(0), mediaType, align: 8 };
  return tail.group([integer(8), type], () => [length, bytes(length)]);
}

function optional(tail: Tail): Group {
  const { random } = tail;
  const content = integer(16, { align: 32 });
  const isBoolean = random.chance(0.5);
  const ranges = isBoolean
    ? undefined
    : [
        { from: -5n, to: -3n },
        { from: 1n, to: 2n },
      ];
  const selector: FieldClass = isBoolean ? integer(8, { boolean: true }) : tail.variable(true);
  return tail.group([selector, { kind: 'optional', selector: tail.ref(0), ranges, content }], () => {
    const isThere = random.chance(0.5);
    const value = isBoolean ? Number(isThere) : random.pick(isThere ? [-5, -3, 2] : [-6, 0, 3]);
    return isThere ? [value, 7] : [value];
  });
}

/** The length lies in the options of a variant, and an array in a structure refers to it. */
function lengthInVariant(tail: Tail): Group {
  const { random } = tail;
  const length = { name: 'length', type: tail.variable() };
  const first: StructClass = { kind: 'struct', members: [length], align: 8 };
  const second: StructClass = {
    kind: 'struct',
    members: [{ name: 'more', type: integer(8) }, length],
    align: 8,
  };
  const variant: FieldClass = {
    kind: 'variant',
    tag: tail.ref(0),
    options: [
      { type: first, ranges: [{ from: -1n, to: -1n }] },
      { type: second, ranges: [{ from: 0n, to: 9n }] },
    ],
  };
  const ref: FieldRef = { ...tail.ref(1, 0, 0), alternatives: [tail.ref(1, 1, 1).steps] };
  const align = random.pick([8, 64]);
  const list: FieldClass = { kind: 'array', length: ref, element: integer(8), align };
  return tail.group([tail.variable(true), variant, struct({ list })], () => {
    const count = random.between(0, 3);
    const option = random.between(0, 1);
    const value: StructValue = option === 0 ? { length: count } : { more: 1, length: count };
    const values: Value[] = [option === 0 ? -1 : 4, { option, value }];
    return [...values, { list: Array.from({ length: count }, () => 5) }];
  });
}

const KINDS: readonly Kind[] = [
  bits,
  boolean,
  fixedInteger,
  variableInteger,
  real,
  text,
  blob,
  optional,
  lengthInVariant,
];

function wholeNumber(random: Random, size: number, signed: boolean): bigint {
  const drawn = (BigInt(random.between(0, 0xffffffff)) << 32n) | BigInt(random.between(0, 0xffffffff));
  const value = random.pick([drawn, 0n, -1n, 1n << BigInt(size - 1)]);
  return signed ? BigInt.asIntN(size, value) : BigInt.asUintN(size, value);
}
