/**
 * Random CTF 1.8 models with events for them: every field class, both byte orders, any alignment, lengths and tags in
 * the same struct, in array elements and in other scopes, every shape of header and packet context.
 */
import type {
  ByteOrder,
  ClockClass,
  FieldClass,
  FieldRef,
  IntegerClass,
  LabelRange,
  Scope,
  StreamClass,
  StructClass,
  StructMember,
  TraceModel,
} from '../../src/engine/ctf/model.ts';
import {
  fixedText,
  integer,
  lttngEventHeader,
  lttngPacketContext,
  lttngPacketHeader,
  struct,
  text,
} from '../support/ctf-writer/model-builder.ts';
import type { EventToWrite } from '../support/ctf-writer/packet-writer.ts';
import type { PacketToWrite, StreamToWrite } from '../support/ctf-writer/trace-writer.ts';
import { alignmentOf, type StructValue, type Value } from '../support/ctf-writer/value.ts';
import type { Random } from '../support/simulator/random.ts';

export interface RandomTrace {
  readonly model: TraceModel;
  readonly streams: readonly StreamToWrite[];
}

/** A field class with a way to draw values for it. */
interface Drawn {
  readonly type: FieldClass;
  readonly value: () => Value;
}

/** Members that belong together (a length and its array), with their values. */
interface Group {
  readonly members: readonly StructMember[];
  readonly fill: (record: Record<string, Value>) => void;
}

interface Place {
  readonly scope: Scope;
  readonly steps: readonly number[];
  readonly depth: number;
}

/** A length in another scope that payloads may refer to. */
interface Outer {
  readonly ref: FieldRef;
  value: number;
}

const KEYWORDS = ['int', 'event', 'align', 'struct', 'string', 'env', '_odd'];
const WORDS = ['', 'a', 'wake', 'naïve', '線', '😀 path', '"quoted\\"', 'two\nlines'];

export function randomTrace(random: Random): RandomTrace {
  return new Generator(random).trace();
}

class Generator {
  readonly #random: Random;
  readonly #order: ByteOrder;
  #names = 0;
  #outer: Outer | undefined;

  constructor(random: Random) {
    this.#random = random;
    this.#order = random.pick(['le', 'be'] as const);
  }

  trace(): RandomTrace {
    const random = this.#random;
    const clocks = random.chance(0.9) ? [this.#clock()] : [];
    const sized = random.chance(0.8);
    const drawn = Array.from({ length: sized ? random.between(1, 3) : 1 }, (_, id) =>
      this.#stream(id, clocks, sized),
    );
    const model: TraceModel = {
      version: '1.8',
      uuid: random.chance(0.7) ? 'a1b2c3d4-0000-4000-8000-00112233445f' : undefined,
      byteOrder: this.#order,
      environment: random.chance(0.6)
        ? [
            { name: 'hostname', value: random.pick(WORDS) },
            { name: 'tracer_major', value: BigInt(random.between(-5, 9_000_000)) },
          ]
        : [],
      packetHeader: sized || random.chance(0.5) ? lttngPacketHeader(this.#order) : undefined,
      clocks,
      streams: drawn.map(({ type }) => type),
    };
    return {
      model,
      streams: drawn.map(({ file, packets }, streamClass) => ({ file, streamClass, packets })),
    };
  }

  #clock(): ClockClass {
    const random = this.#random;
    return {
      name: 'cycles',
      uuid: random.chance(0.5) ? 'c10c0000-0000-4000-8000-000000000001' : undefined,
      description: random.chance(0.5) ? random.pick(WORDS) : undefined,
      frequency: random.pick([1_000_000_000n, 1n, 1000n, 2_399_999_991n, 3_579_545n]),
      precision: random.chance(0.3) ? 10n : undefined,
      offsetSeconds: BigInt(random.between(-10, 1_700_000_000)),
      offsetCycles: BigInt(random.between(0, 900_000)),
      absolute: random.chance(0.5),
    };
  }

  #stream(
    id: number,
    clocks: readonly ClockClass[],
    sized: boolean,
  ): { type: StreamClass; file: string; packets: PacketToWrite[] } {
    const random = this.#random;
    const clock = clocks.length > 0 ? 0 : undefined;
    const events = random.between(1, 5);
    const eventHeader = this.#eventHeader(clock, events);
    const common = random.chance(0.5) ? this.#commonContext() : undefined;
    const classes = Array.from({ length: events }, (_, n) => ({
      id: BigInt(n),
      name: random.chance(0.9) ? `event:${id}.${n}` : random.pick(WORDS.slice(1, 4)),
      logLevel: random.chance(0.2) ? random.between(0, 14) : undefined,
      specific: random.chance(0.3)
        ? this.#struct({ scope: 'event-context', steps: [], depth: 1 })
        : undefined,
      payload: this.#payload(sized && eventHeader !== undefined),
    }));
    const type: StreamClass = {
      id: BigInt(id),
      packetContext:
        sized && clock !== undefined ? lttngPacketContext(this.#order) : sized ? this.#sizes() : undefined,
      eventHeader,
      eventContext: common?.type as StructClass | undefined,
      clock: sized || eventHeader?.members.some(({ name }) => name !== 'id') ? clock : undefined,
      events: classes.map(({ specific, payload, ...event }) => ({
        ...event,
        context: specific?.type as StructClass | undefined,
        payload: payload?.type as StructClass | undefined,
      })),
    };
    const step = stepLimit(eventHeader);
    let time = BigInt(random.between(0, 1_000_000_000));
    const packets = Array.from({ length: sized ? random.between(1, 4) : 1 }, (_, sequence): PacketToWrite => {
      const begin = sized ? time : 0n;
      if (!sized) time = 0n;
      const list = Array.from({ length: random.between(0, 12) }, (): EventToWrite => {
        const eventClass = random.between(0, events - 1);
        time += random.chance(0.1) ? step - 1n : BigInt(Math.min(random.between(0, 5000), Number(step - 1n)));
        const commonValue = common?.value() as StructValue | undefined;
        const { specific, payload } = classes[eventClass];
        return {
          eventClass,
          time,
          common: commonValue,
          specific: specific?.value() as StructValue | undefined,
          payload: payload?.value() as StructValue | undefined,
        };
      });
      return { begin, end: time, sequence: BigInt(sequence), discarded: 0n, cpu: id, events: list };
    });
    this.#outer = undefined;
    return { type, file: `stream_${id}`, packets };
  }

  /** Where packets have no sizes the last event ends the file, in whole bytes; without a header events need some bits. */
  #payload(free: boolean): Drawn | undefined {
    if (free && this.#random.chance(0.05)) return undefined;
    const { type, value } = this.#struct({ scope: 'event-payload', steps: [], depth: 0 });
    if (free) return { type, value };
    const { members, align } = type as StructClass;
    const last = { name: 'last', type: integer(8, { byteOrder: this.#order }) };
    return {
      type: { kind: 'struct', members: [...members, last], align: Math.max(8, align) },
      value: () => ({ ...(value() as StructValue), last: 1 }),
    };
  }

  #sizes(): StructClass {
    const byteOrder = this.#order;
    return struct({
      packet_size: integer(32, { byteOrder, roles: ['packet-total-size'] }),
      content_size: integer(32, { byteOrder, roles: ['packet-content-size'] }),
    });
  }

  #eventHeader(clock: number | undefined, events: number): StructClass | undefined {
    const random = this.#random;
    if (events === 1 && random.chance(0.2)) return undefined;
    if (clock !== undefined && random.chance(0.6))
      return lttngEventHeader(random.pick(['compact', 'large'] as const), this.#order);
    const byteOrder = this.#order;
    const id = integer(random.pick([8, 16, 32]), { byteOrder, roles: ['event-class-id'] });
    if (clock === undefined) return struct({ id });
    const size = random.pick([16, 27, 32, 64]);
    return struct(
      { id, timestamp: integer(size, { byteOrder, clock, roles: ['timestamp'] }) },
      random.pick([1, 8, 64]),
    );
  }

  /** A context whose first member is a length that payloads may use. */
  #commonContext(): Drawn {
    const rest = this.#struct({ scope: 'event-common-context', steps: [], depth: 1 }, 1);
    const type = rest.type as StructClass;
    const outer: Outer = { ref: { scope: 'event-common-context', steps: [0], text: 'shared' }, value: 0 };
    this.#outer = outer;
    const shared = integer(8, { byteOrder: this.#order });
    return {
      type: {
        ...type,
        align: Math.max(8, type.align),
        members: [{ name: 'shared', type: shared }, ...type.members],
      },
      value: () => {
        outer.value = this.#random.between(0, 3);
        return { shared: outer.value, ...(rest.value() as StructValue) };
      },
    };
  }

  #struct(place: Place, firstStep = 0): Drawn {
    const random = this.#random;
    const groups: Group[] = [];
    let step = firstStep;
    for (let left = random.between(place.depth === 0 ? 1 : 0, 5); left > 0; left--) {
      const group = this.#group({ ...place, steps: [...place.steps, step] });
      groups.push(group);
      step += group.members.length;
    }
    const members = groups.flatMap((group) => group.members);
    const least = random.chance(0.1) ? random.pick([8, 16, 32, 64]) : 1;
    const align = members.reduce((max, { type }) => Math.max(max, alignmentOf(type)), least);
    return {
      type: { kind: 'struct', members, align },
      value: () => {
        const record: Record<string, Value> = {};
        for (const group of groups) group.fill(record);
        return record;
      },
    };
  }

  /** `place.steps` ends with the step of the group's first member. */
  #group(place: Place): Group {
    const random = this.#random;
    const kind = random.next();
    if (kind < 0.15) return this.#sequence(place);
    if (kind < 0.25) return this.#variant(place);
    if (kind < 0.3 && this.#outer !== undefined && place.scope === 'event-payload')
      return this.#outerSequence(place, this.#outer);
    const name = random.chance(0.08) ? this.#keyword() : this.#name();
    const { type, value } = this.#field(place);
    return { members: [{ name, type }], fill: (record) => (record[name] = value()) };
  }

  #sequence(place: Place): Group {
    const { scope, steps } = place;
    const length = this.#name();
    const name = this.#name();
    const ref: FieldRef = { scope, steps, text: length };
    const asText = this.#random.chance(0.3);
    const element = asText ? undefined : this.#field(inside(next(place), -1));
    const type: FieldClass = element
      ? { kind: 'array', length: ref, element: element.type, align: alignmentOf(element.type) }
      : { kind: 'text', length: ref, encoding: 'utf-8', align: 8 };
    return {
      members: [
        { name: length, type: this.#integer({ size: this.#random.pick([8, 16, 32, 5]), signed: false }) },
        { name, type },
      ],
      fill: (record) => {
        const value = element ? this.#list(element, this.#random.between(0, 4)) : this.#bytes();
        record[length] = value.length;
        record[name] = value;
      },
    };
  }

  #outerSequence(place: Place, outer: Outer): Group {
    const name = this.#name();
    const element = this.#field(inside(place, -1));
    const type: FieldClass = {
      kind: 'array',
      length: outer.ref,
      element: element.type,
      align: alignmentOf(element.type),
    };
    return { members: [{ name, type }], fill: (record) => (record[name] = this.#list(element, outer.value)) };
  }

  #variant(place: Place): Group {
    const { scope, steps } = place;
    const tag = this.#name();
    const name = this.#name();
    const labels: LabelRange[] = [
      { label: 'first', from: 0n, to: 0n },
      { label: 'second', from: 1n, to: 3n },
      { label: 'third', from: 6n, to: 7n },
    ];
    const drawn = labels.map((_, option) => this.#field(inside(next(place), option)));
    const type: FieldClass = {
      kind: 'variant',
      tag: { scope, steps, text: tag },
      options: drawn.map((option, i) => ({
        name: labels[i].label,
        type: option.type,
        ranges: [{ from: labels[i].from, to: labels[i].to }],
      })),
    };
    const tagType = { ...this.#integer({ size: this.#random.pick([4, 8, 16]), signed: false }), labels };
    return {
      members: [
        { name: tag, type: tagType },
        { name, type },
      ],
      fill: (record) => {
        const option = this.#random.between(0, 2);
        record[tag] = Number(this.#random.pick([labels[option].from, labels[option].to]));
        record[name] = { option, value: drawn[option].value() };
      },
    };
  }

  #field(place: Place): Drawn {
    const random = this.#random;
    const kind = random.next();
    const deep = place.depth >= 3;
    if (kind < 0.4 || (deep && kind > 0.75)) return this.#integerField();
    if (kind < 0.5) return this.#float();
    if (kind < 0.65) return { type: text, value: () => random.pick(WORDS) };
    if (kind < 0.75) {
      const length = random.between(0, 9);
      return { type: fixedText(length), value: () => this.#bytes().subarray(0, length) };
    }
    if (kind < 0.87) return this.#struct({ ...place, depth: place.depth + 1 });
    const length = random.between(0, 3);
    const element = this.#field(inside(place, -1));
    return {
      type: { kind: 'array', length, element: element.type, align: alignmentOf(element.type) },
      value: () => this.#list(element, length),
    };
  }

  #integerField(): Drawn {
    const random = this.#random;
    const plain = this.#integer({ size: random.between(1, 64), signed: random.chance(0.5) });
    const top = 1n << BigInt(Math.min(plain.size - (plain.signed ? 1 : 0), 20));
    const labels = [
      { label: 'low "one"', from: 0n, to: 0n },
      { label: 'int', from: top / 2n, to: top - 1n },
    ];
    const type = random.chance(0.15) ? { ...plain, labels } : plain;
    return { type, value: () => this.#integerValue(plain) };
  }

  #integerValue({ size, signed }: IntegerClass): bigint {
    const random = this.#random;
    const bits = (BigInt(random.between(0, 0xffffffff)) << 32n) | BigInt(random.between(0, 0xffffffff));
    const value = random.pick([bits, 0n, -1n, 1n, 1n << BigInt(size - 1)]);
    return signed ? BigInt.asIntN(size, value) : BigInt.asUintN(size, value);
  }

  /** A bit-packed integer has the trace's byte order, as CTF wants; one in whole bytes may have either. */
  #integer(shape: { readonly size: number; readonly signed: boolean }): IntegerClass {
    const random = this.#random;
    const whole = shape.size % 8 === 0 && random.chance(0.7);
    const align = whole ? random.pick([8, 8, 16, 32, 64]) : random.pick([1, 1, 1, 2, 4, 8]);
    const byteOrder = whole && random.chance(0.2) ? random.pick(['le', 'be'] as const) : this.#order;
    return integer(shape.size, {
      signed: shape.signed,
      align,
      byteOrder,
      base: random.pick([10, 10, 16, 8, 2]),
    });
  }

  #float(): Drawn {
    const random = this.#random;
    const size = random.pick([32, 64] as const);
    const type = { kind: 'float' as const, size, byteOrder: this.#order, align: random.pick([8, 32, 64]) };
    return { type, value: () => Math.fround(random.pick([0, -1.5, 1e10, NaN, Infinity, random.next()])) };
  }

  #list(element: Drawn, length: number): Value[] {
    return Array.from({ length }, () => element.value());
  }

  #bytes(): Uint8Array {
    return new TextEncoder().encode(this.#random.pick(WORDS));
  }

  #name(): string {
    return `f${this.#names++}`;
  }

  /** At most once a trace, so that no path is hidden by another of the same name. */
  #keyword(): string {
    return KEYWORDS[this.#names++] ?? this.#name();
  }
}

function next(place: Place): Place {
  const { steps } = place;
  return { ...place, steps: [...steps.slice(0, -1), steps[steps.length - 1] + 1] };
}

function inside(place: Place, step: number): Place {
  return { ...place, steps: [...place.steps, step], depth: place.depth + 1 };
}

/** Cycles below which two events of one packet must follow each other, so that the header can tell the time. */
function stepLimit(header: StructClass | undefined): bigint {
  const timestamp = header?.members.find(({ name }) => name === 'timestamp')?.type;
  const size = timestamp?.kind === 'integer' ? Math.min(timestamp.size, 40) : 40;
  return 1n << BigInt(size);
}
