/**
 * Transforms from one clock to another: a straight line, or several if clocks run unevenly.
 * A line is stored as its difference from identity: t + shift + drift · (t − at). The large part is a whole number of
 * ns and exact; the small part, drift times a length, has an error of at most 2⁻⁵² of itself, 10⁻⁶ ns over a day at a
 * drift of 100 ppm. So doubles suffice, unlike for a product of slope and time, which needs big numbers (Giraldeau
 * 2015, section 5.4.6, Algorithm 6).
 */
import type { DisplayNs, HostNs, Times } from '../base/units.ts';

/** A line that holds from `from` on. Times are ns of the clock that is transformed. */
export interface ClockLine {
  /** -Infinity for the first line. */
  readonly from: number;
  /** Time at which the two clocks differ by `shift`. */
  readonly at: number;
  /** ns; may be a fraction. */
  readonly shift: number;
  /** Slope less one, above -1: ns per ns. */
  readonly drift: number;
}

/** Lines in order of `from`, one at least. */
export type ClockLines = readonly ClockLine[];

export const SAME_CLOCK: ClockLines = [{ from: -Infinity, at: 0, shift: 0, drift: 0 }];

/** Offsets to a host's clock are at most this, either way, ns: 584 years, as times of traces. */
export const MOST_OFFSET_NS = 2n ** 64n;

/** Lines of two clocks that differ by `ns`. */
export function shiftedBy(ns: number): ClockLines {
  return [{ from: -Infinity, at: 0, shift: ns, drift: 0 }];
}

/** Value of one line, not rounded. */
export function valueAt(line: ClockLine, time: number): number {
  return time + line.shift + line.drift * (time - line.at);
}

/** Line that applies at `time`. */
export function lineAt(lines: ClockLines, time: number): ClockLine {
  let line = lines[0];
  for (let i = 1; i < lines.length && lines[i].from <= time; i++) line = lines[i];
  return line;
}

/** Inverse lines, from the other clock back: the inverse of y = m·t + b is (y − b) / m. */
export function inverted(lines: ClockLines): ClockLines {
  let begin = -Infinity;
  return lines.map((line, i) => {
    // Times that a clock skipped or repeated when it was set belong to the later line, from the end of the earlier
    // one.
    if (i > 0) begin = Math.max(begin, valueAt(lines[i - 1], line.from));
    const { at, shift, drift } = line;
    return { from: begin, at: at + shift, shift: -shift, drift: -drift / (1 + drift) };
  });
}

/** Composition: first `first`, then `second`. */
export function composed(first: ClockLines, second: ClockLines): ClockLines {
  const lines: ClockLine[] = [];
  first.forEach((inner, i) => {
    const begin = inner.from === -Infinity ? -Infinity : valueAt(inner, inner.from);
    const until = i + 1 < first.length ? valueAt(inner, first[i + 1].from) : Infinity;
    const back = inverted([{ ...inner, from: -Infinity }])[0];
    second.forEach((outer, j) => {
      const next = j + 1 < second.length ? second[j + 1].from : Infinity;
      if (next <= begin || outer.from >= until) return;
      const from = outer.from <= begin ? inner.from : valueAt(back, outer.from);
      const middle = valueAt(inner, inner.at);
      lines.push({
        from,
        at: inner.at,
        shift: valueAt(outer, middle) - inner.at,
        drift: inner.drift + outer.drift + inner.drift * outer.drift,
      });
    });
  });
  return lines;
}

/**
 * Transforms a host's times to display time. Whole ns in, the nearest whole ns out: a packet that touches the line
 * must not arrive 1 ns before it was sent. Monotonic even if the lines are not: a line begins no earlier than the one
 * before ended.
 */
export class ClockTransform {
  // Parts of the line in use; a trace is read in order, so that it seldom changes.
  #from = Infinity;
  #until = -Infinity;
  #at = 0;
  /** Whole part of the shift, and what is left. */
  #shift = 0;
  #fraction = 0;
  #drift = 0;
  /** Least value of the line in use. */
  #least = -Infinity;

  constructor(readonly lines: ClockLines) {}

  toExperiment(timeNs: HostNs): DisplayNs {
    if (!(timeNs >= this.#from && timeNs < this.#until)) {
      // Infinity and NaN are times of no clock.
      if (!Number.isFinite(timeNs)) return Number(timeNs);
      this.#choose(timeNs);
    }
    const value =
      timeNs + this.#shift + Math.floor(this.#drift * (timeNs - this.#at) + (this.#fraction + 0.5));
    return value < this.#least ? this.#least : value;
  }

  /** Transforms a column of times like `toExperiment`, with no call per event while one line applies. */
  columnToExperiment(times: Times<HostNs>): Times<DisplayNs> {
    const out = new Float64Array(times.length);
    for (let i = 0; i < times.length;) {
      out[i] = this.toExperiment(times[i]);
      i = this.#go(times, i + 1, out);
    }
    return out;
  }

  /** Goes on while the line in use holds; returns where it does not. */
  #go(times: Times<HostNs>, begin: number, out: Times<DisplayNs>): number {
    const from = this.#from;
    const until = this.#until;
    const at = this.#at;
    const shift = this.#shift;
    const drift = this.#drift;
    const least = this.#least;
    const half = this.#fraction + 0.5;
    let i = begin;
    for (; i < times.length; i++) {
      const time = times[i];
      if (!(time >= from && time < until)) break;
      const value = time + shift + Math.floor(drift * (time - at) + half);
      out[i] = value < least ? least : value;
    }
    return i;
  }

  /** A time of the host that `toExperiment` gives `experimentNs`, within 1 ns. */
  toHost(experimentNs: DisplayNs): HostNs {
    if (!Number.isFinite(experimentNs)) return Number(experimentNs);
    const { lines } = this;
    let i = lines.length - 1;
    while (i > 0 && this.toExperiment(lines[i].from) > experimentNs) i--;
    const { at, shift, drift } = lines[i];
    const whole = Math.floor(shift);
    const same = experimentNs - whole;
    if (drift === 0 && shift === whole) return same;
    return same - Math.floor((drift * (same - at) + (shift - whole)) / (1 + drift) + 0.5);
  }

  #choose(timeNs: number): void {
    const { lines } = this;
    let least = -Infinity;
    let i = 0;
    while (i + 1 < lines.length && lines[i + 1].from <= timeNs) {
      least = Math.max(least, Math.round(valueAt(lines[i], lines[i + 1].from)));
      i++;
    }
    const { from, at, shift, drift } = lines[i];
    // Finite, so that invalid times take the slow way.
    this.#from = Math.max(from, -Number.MAX_VALUE);
    this.#until = i + 1 < lines.length ? lines[i + 1].from : Number.MAX_VALUE;
    this.#at = at;
    this.#shift = Math.floor(shift);
    this.#fraction = shift - this.#shift;
    this.#drift = drift;
    this.#least = least;
  }
}
