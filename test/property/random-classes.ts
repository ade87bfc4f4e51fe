/**
 * Random models of one stream without packets, for bytes that nobody wrote: every field class of CTF 2, whatever may
 * refer to whatever was read before. No value need make sense, since two decoders are compared.
 */
import {
  type ByteOrder,
  type EventClass,
  type FieldClass,
  type FieldRef,
  type IntegerClass,
  type Scope,
  type StructClass,
  type StructMember,
  type TextEncoding,
  type TraceModel,
  TEXT_ENCODINGS,
} from '../../src/engine/ctf/model.ts';
import type { Random } from '../support/simulator/random.ts';

/** UTF-8 twice as often as the others. */
const ENCODINGS: readonly TextEncoding[] = ['utf-8', ...TEXT_ENCODINGS];

export function randomModel(random: Random): TraceModel {
  return new ClassMaker(random).model();
}

class ClassMaker {
  readonly #random: Random;
  readonly #order: ByteOrder;
  /** Integers that lengths and tags may refer to. */
  #known: FieldRef[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.#order = random.pick(['le', 'be'] as const);
  }

  model(): TraceModel {
    const random = this.#random;
    const clock = random.chance(0.8) ? 0 : undefined;
    const eventHeader = random.chance(0.9) ? this.#header(clock) : undefined;
    const eventContext = random.chance(0.3) ? this.#struct('event-common-context', [], 1) : undefined;
    const shared = this.#known;
    const events = Array.from({ length: eventHeader === undefined ? 1 : random.between(1, 6) }, (_, id) => {
      this.#known = [...shared];
      const context = random.chance(0.2) ? this.#struct('event-context', [], 1) : undefined;
      const payload = random.chance(0.9) ? this.#struct('event-payload', [], 0) : undefined;
      return { id: BigInt(id), name: `event_${id}`, context, payload } satisfies EventClass;
    });
    const frequency = random.pick([1_000_000_000n, 1n, 3n, 2_399_999_991n, 24_000_000n]);
    const cycles = { name: 'c', frequency, offsetSeconds: 0n, offsetCycles: 7n, absolute: false };
    return {
      version: '2.0',
      byteOrder: this.#order,
      environment: [],
      clocks: clock === undefined ? [] : [cycles],
      streams: [{ id: 0n, eventHeader, eventContext, clock, events }],
    };
  }

  /** Id and time, in one of many shapes; small ids, so that most bytes are events. */
  #header(clock: number | undefined): StructClass {
    const random = this.#random;
    const size = random.pick([2, 3, 5, 8, 16, 32]);
    const id: IntegerClass = { ...this.#integer(size, false), roles: ['event-class-id'] };
    const time = (bits: number): FieldClass => ({
      ...this.#integer(bits, false),
      variable: random.chance(0.1) ? true : undefined,
      clock,
      roles: ['timestamp'],
    });
    const sizes = [3, 16, 27, 32, 33, 48, 64, 64];
    if (random.chance(0.5)) {
      const members = [{ name: 'id', type: id }];
      if (clock !== undefined) members.push({ name: 't', type: time(random.pick(sizes)) as IntegerClass });
      return this.#withAlignment(members);
    }
    const ref: FieldRef = { scope: 'event-header', steps: [0], text: 'id' };
    const last = 2n ** BigInt(size) - 1n;
    const extended = this.#withAlignment([
      { name: 'id', type: { ...this.#integer(random.pick([8, 32]), false), roles: ['event-class-id'] } },
      { name: 't', type: time(random.pick(sizes)) },
    ]);
    const options = [
      {
        type: this.#withAlignment([{ name: 't', type: time(random.pick(sizes)) }]),
        ranges: [{ from: 0n, to: last - 1n }],
      },
      { type: extended, ranges: [{ from: last, to: last }] },
    ];
    return this.#withAlignment([
      { name: 'id', type: id },
      { name: 'v', type: { kind: 'variant', tag: ref, options } },
    ]);
  }

  #struct(scope: Scope, steps: readonly number[], depth: number): StructClass {
    const count = this.#random.between(0, depth === 0 ? 6 : 3);
    const members = Array.from({ length: count }, (_, index): StructMember => {
      return { name: `m${index}`, type: this.#field(scope, [...steps, index], depth + 1) };
    });
    return this.#withAlignment(members);
  }

  #withAlignment(members: readonly StructMember[]): StructClass {
    const own = members.map(({ type }) => ('align' in type ? type.align : 1));
    return { kind: 'struct', members, align: Math.max(this.#random.pick([1, 1, 8, 32]), ...own) };
  }

  #field(scope: Scope, steps: readonly number[], depth: number): FieldClass {
    const random = this.#random;
    const kind = depth > 3 ? random.between(0, 7) : random.between(0, 12);
    if (kind <= 3) return this.#known_integer(scope, steps);
    const encoding = random.pick(ENCODINGS);
    switch (kind) {
      case 4:
        return { kind: 'float', size: random.pick([16, 32, 64] as const), ...this.#bitOrder(), align: 8 };
      case 5:
        return {
          kind: 'bits',
          size: random.between(1, 64),
          ...this.#bitOrder(),
          align: random.pick([1, 8]),
        };
      case 6:
        return { kind: 'string', encoding, align: 8 };
      case 7:
        return random.chance(0.5)
          ? { kind: 'text', length: this.#length(16), encoding, align: 8 }
          : { kind: 'blob', length: this.#length(9), mediaType: 'x', align: 8 };
      case 8:
      case 9: {
        const length = this.#length(5);
        const element = this.#field(scope, [...steps, -1], depth + 1);
        return { kind: 'array', length, element, align: 'align' in element ? element.align : 1 };
      }
      case 10:
        return this.#struct(scope, steps, depth);
      case 11:
        return this.#optional(scope, steps, depth);
      default:
        return this.#variant(scope, steps, depth);
    }
  }

  #known_integer(scope: Scope, steps: readonly number[]): FieldClass {
    const random = this.#random;
    const type = this.#integer(random.pick([1, 3, 8, 8, 16, 27, 32, 57, 58, 63, 64]), random.chance(0.4));
    this.#known.push({ scope, steps, text: 'known' });
    return random.chance(0.15) ? { ...type, size: 64, align: 8, variable: true } : type;
  }

  #integer(size: number, signed: boolean): IntegerClass {
    const random = this.#random;
    const whole = size % 8 === 0 && random.chance(0.7);
    const byteOrder = whole && random.chance(0.2) ? random.pick(['le', 'be'] as const) : this.#order;
    return {
      kind: 'integer',
      size,
      signed,
      ...this.#bitOrder(),
      byteOrder,
      align: whole ? random.pick([8, 8, 16, 64]) : 1,
      base: 10,
    };
  }

  /** Sometimes the bits in the other order than is usual. */
  #bitOrder(): Pick<IntegerClass, 'byteOrder' | 'reversed'> {
    return { byteOrder: this.#order, reversed: this.#random.chance(0.15) ? true : undefined };
  }

  #length(most: number): number | FieldRef {
    return this.#ref() ?? this.#random.between(0, most);
  }

  #ref(): FieldRef | undefined {
    if (this.#known.length === 0 || this.#random.chance(0.4)) return undefined;
    const ref = this.#random.pick(this.#known);
    const other = this.#random.pick(this.#known);
    const leadsToBoth = ref.scope === other.scope && this.#random.chance(0.1);
    return leadsToBoth ? { ...ref, alternatives: [other.steps] } : ref;
  }

  #optional(scope: Scope, steps: readonly number[], depth: number): FieldClass {
    const selector = this.#ref();
    const content = this.#field(scope, [...steps, -1], depth + 1);
    if (selector === undefined)
      return content.kind === 'optional'
        ? this.#integer(8, false)
        : { kind: 'string', encoding: 'utf-8', align: 8 };
    const ranges = this.#random.chance(0.5) ? [{ from: 1n, to: 40n }] : undefined;
    return { kind: 'optional', selector, ranges, content };
  }

  #variant(scope: Scope, steps: readonly number[], depth: number): FieldClass {
    const tag = this.#ref();
    if (tag === undefined) return this.#known_integer(scope, steps);
    const options = Array.from({ length: this.#random.between(1, 3) }, (_, index) => {
      const from = BigInt(3 * index - 1);
      return { type: this.#field(scope, [...steps, index], depth + 1), ranges: [{ from, to: from + 2n }] };
    });
    return { kind: 'variant', tag, options };
  }
}
