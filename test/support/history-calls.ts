/** Random sequences of calls of a history sink, for property tests. */
import fc from 'fast-check';
import type { HistorySink, ValueScheme } from '../../src/engine/history/types.ts';

interface SinkCall {
  readonly attribute: number;
  /** ns after the call before. */
  readonly after: number;
  readonly op: 'set' | 'settle' | 'end';
  readonly state: number;
  readonly cause: number;
}

/** States 0-13 with the eight groups in turn, 10 and 11 undrawn; states 4 and 12: blocked, with a cause in bits 4-7. */
export const TEST_SCHEME: ValueScheme = {
  id: 'test',
  states: 14,
  groupOf: (value) => ((value & 15) === 10 || (value & 15) === 11 ? 255 : value & 7),
  causeOf: (value) => (value >>> 4) & 15,
};

const STATE = { name: 'state', kind: 'state' } as const;
/** Of a plan, which has the first ones of these. */
export const ATTRIBUTES = [
  ...[STATE, STATE, STATE, STATE],
  { name: 'name', kind: 'string' },
  { name: 'lock', kind: 'id' },
  { name: 'stack', kind: 'id' },
] as const;

/** Between the ids of a plan: they are large, as numbers of many stacks are. */
const ID_STEP = 1009;

export interface CallPlan {
  readonly attributes: number;
  readonly start: number;
  readonly segmentIntervals: number;
  /** undefined: no outline. */
  readonly outlineLevel?: number;
  readonly calls: readonly SinkCall[];
}

/** Plans of at most `maxCalls` calls on a few attributes: most changes close together, some far apart. */
export function callPlans(maxCalls: number): fc.Arbitrary<CallPlan> {
  const after = fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 20 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 2000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 10_000_000_000 }) },
  );
  const call = (attributes: number): fc.Arbitrary<SinkCall> =>
    fc.record({
      attribute: fc.nat(attributes - 1),
      after,
      op: fc.constantFrom('set', 'set', 'set', 'set', 'settle', 'end'),
      state: fc.nat(13),
      cause: fc.nat(15),
    });
  return fc.integer({ min: 1, max: ATTRIBUTES.length }).chain((attributes) =>
    fc.record({
      attributes: fc.constant(attributes),
      start: fc.integer({ min: -100_000, max: 100_000 }),
      segmentIntervals: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 50, max: 400 })),
      outlineLevel: fc.option(fc.nat(12), { nil: undefined }),
      calls: fc.array(call(attributes), { maxLength: maxCalls, size: 'max' }),
    }),
  );
}

/**
 * Makes the calls `[from, to)` of a plan on several sinks alike. A settled value is unlike every other one, as a real
 * one differs from its neighbours.
 */
export class PlanPlayer {
  readonly #plan: CallPlan;
  readonly #sinks: readonly HistorySink[];
  readonly #current: number[];
  time: number;
  #at = 0;

  constructor(plan: CallPlan, sinks: readonly HistorySink[]) {
    this.#plan = plan;
    this.#sinks = sinks;
    this.time = plan.start;
    this.#current = new Array<number>(plan.attributes).fill(-1);
    for (const sink of sinks)
      for (let i = 0; i < plan.attributes; i++)
        sink.attribute(['row', `${i}`, ATTRIBUTES[i].name], ATTRIBUTES[i].kind);
  }

  play(to = this.#plan.calls.length): void {
    for (; this.#at < to; this.#at++) {
      const { attribute, after, op, state, cause } = this.#plan.calls[this.#at];
      this.time += after;
      const current = this.#current[attribute];
      const isId = ATTRIBUTES[attribute].kind === 'id';
      const value = op === 'end' ? -1 : (state + cause * 16) * (isId ? ID_STEP : 1);
      const past = (current & 15) + cause * 16 + (this.#at + 1) * 512;
      for (const sink of this.#sinks) {
        sink.moveTo(this.time);
        if (op === 'end') sink.end(attribute);
        else if (op === 'settle' && current >= 0) sink.settle(attribute, past, value);
        else sink.set(attribute, value);
      }
      this.#current[attribute] = value;
    }
  }
}
