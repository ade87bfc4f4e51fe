/**
 * Clocks of a Perfetto trace. Snapshots give the values of several clocks at one moment; all times are converted to
 * the trace's own clock, `CLOCK_BOOTTIME` unless it names another (`clock_snapshot.proto`).
 */
import { CLOCK, CLOCK_SNAPSHOT, CLOCKS } from '../../trace/perfetto-fields.ts';
import { BIG, FLAG, inner, INT, list, type Message, UINT } from './wire.ts';

/** Clocks from here on belong to one sequence of packets, up to those that stand for names. */
const FIRST_OF_SEQUENCE = 64;
const FIRST_OF_ALL = 128;
/** Snapshots that are kept; beyond, the older half is thinned out. */
const MOST_SNAPSHOTS = 4096;

/** Names of clocks in CTF traces. */
const NAMES: Readonly<Record<number, string>> = {
  [CLOCKS.realtime]: 'realtime',
  [CLOCKS.monotonic]: 'monotonic',
  [CLOCKS.monotonicRaw]: 'monotonic_raw',
  [CLOCKS.boottime]: 'boottime',
};

/** Time of a clock and of the trace at one moment, ns. */
interface Pair {
  readonly own: bigint;
  readonly trace: bigint;
}

export class PerfettoClocks {
  #main: number = CLOCKS.boottime;
  readonly #pairs = new Map<string, Pair[]>();
  readonly #unitNs = new Map<string, bigint>();
  /** Time of the last packet by clock, for clocks whose times are differences. */
  readonly #last = new Map<string, bigint>();
  #isFirst = true;

  /** Takes a snapshot. @param sequence of its packet */
  snapshot(message: Message, sequence: number): void {
    const { clocks = [], primary = 0 } = message.read(SNAPSHOT);
    if (this.#isFirst && primary > 0) this.#main = primary;
    this.#isFirst = false;
    const main = clocks.find(({ id = 0 }) => id === this.#main);
    for (const { id = 0, time = 0n, isIncremental = false, unit } of clocks) {
      const key = keyOf(id, sequence);
      this.#unitNs.set(key, unitOf(unit));
      if (isIncremental) this.#last.set(key, time);
      if (main === undefined || id === this.#main) continue;
      const pairs = this.#pairs.get(key) ?? [];
      this.#pairs.set(key, pairs);
      pairs.push({ own: time * unitOf(unit), trace: (main.time ?? 0n) * unitOf(main.unit) });
      if (pairs.length > MOST_SNAPSHOTS)
        this.#pairs.set(
          key,
          pairs.filter((_, i) => i % 2 === 0),
        );
    }
  }

  /** Time of a packet, ns of the trace's clock; undefined: no snapshot has its clock. */
  timeOf(time: bigint, clock: number, sequence: number): bigint | undefined {
    const key = keyOf(clock, sequence);
    const last = this.#last.get(key);
    if (last !== undefined) this.#last.set(key, (time += last));
    return this.toTrace(time * (this.#unitNs.get(key) ?? 1n), key);
  }

  /** @param time ns of a clock */
  toTrace(time: bigint, clock: string | number): bigint | undefined {
    const key = String(clock);
    if (key === String(this.#main)) return time;
    const pairs = this.#pairs.get(key);
    const pair = pairs?.findLast(({ own }) => own <= time) ?? pairs?.[0];
    return pair === undefined ? undefined : time - pair.own + pair.trace;
  }

  get isBoottime(): boolean {
    return this.#main === CLOCKS.boottime;
  }

  /** Name of the trace's clock, ns from 1970 to its origin, and offset of CLOCK_MONOTONIC. */
  get trace() {
    const ahead = (clock: number): bigint | undefined => {
      const pair = this.#pairs.get(String(clock))?.[0];
      return pair === undefined ? undefined : pair.own - pair.trace;
    };
    const name = NAMES[this.#main] ?? `perfetto_clock_${this.#main}`;
    const offset = this.#main === CLOCKS.realtime ? 0n : ahead(CLOCKS.realtime);
    return { name, offset, monotonic: ahead(CLOCKS.monotonic) };
  }
}

function keyOf(clock: number, sequence: number): string {
  return clock >= FIRST_OF_SEQUENCE && clock < FIRST_OF_ALL ? `${clock} of ${sequence}` : String(clock);
}

const CLOCK_FORM = {
  id: [CLOCK.id, UINT],
  time: [CLOCK.timestamp, BIG],
  isIncremental: [CLOCK.isIncremental, FLAG],
  unit: [CLOCK.unitNs, BIG],
} as const;
const SNAPSHOT = {
  clocks: [CLOCK_SNAPSHOT.clocks, list(inner(CLOCK_FORM))],
  primary: [CLOCK_SNAPSHOT.primary, INT],
} as const;

/** ns per unit of a clock; 0 means the default. */
function unitOf(unit = 1n): bigint {
  return unit === 0n ? 1n : unit;
}
