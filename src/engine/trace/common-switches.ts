/**
 * Relation of two clocks of one machine by the switches of threads that two recordings have in common: those of one CPU
 * from and to the same threads, in the same order. Runs of switches that each recording has once tell which ones are the
 * same, and so how far the clocks are apart; what is repeated, as one thread that wakes up again and again, tells nothing.
 * It counts only where such runs agree all over the time that both recorded.
 */

/** Relation of two clocks: the first one shows `offsetNs` more than the second one where that shows `atNs`. */
export interface CommonSwitches {
  readonly offsetNs: bigint;
  readonly atNs: bigint;
  /** ns that the first clock gains for each ns of the second one; 0 where that cannot be told from none. */
  readonly drift: number;
  readonly switches: number;
  /** Differences of their times from that relation, ns: median of the absolute ones, least and greatest. */
  readonly deviationNs: number;
  readonly leastNs: number;
  readonly greatestNs: number;
}

/** Switches of a CPU in order of time: ns since the base of the recording, and the threads that leave and come. */
interface CpuSwitches {
  readonly time: readonly number[];
  readonly prev: readonly number[];
  readonly next: readonly number[];
}

export interface Switches {
  /** ns of the clock, without its offset to the epoch. */
  readonly baseNs: bigint;
  readonly cpus: ReadonlyMap<number, CpuSwitches>;
}

/** Times of one switch in two recordings, ns. */
interface Pair {
  readonly a: number;
  readonly b: number;
}

/** Length of the longest run that is looked for. */
const LONGEST_RUN = 32;

/** Clocks of a machine differ less in their speed. */
const MOST_DRIFT = 200e-6;

/** Median of the differences of common switches, at most, and what each may differ in any case (ns). */
const MOST_DEVIATION = 100_000;
const LEAST_TOLERANCE = 20_000;

/** Evidence is so many common switches in so much time (ns), in half of its eighths, and half of what one recorded then. */
const FEWEST_SWITCHES = 64;
const SHORTEST_TIME = 100_000_000;
const SLICES = 8;

/** undefined: there is no evidence. */
export function matchSwitches(first: Switches, second: Switches): CommonSwitches | undefined {
  const [a, b] = [ofThreads(first, second), ofThreads(second, first)];
  const cpus = [...a.keys()].filter((cpu) => b.has(cpu));
  const sides = cpus.map((cpu) => [a.get(cpu) ?? NONE, b.get(cpu) ?? NONE] as const);
  const votes = sides
    .flatMap(([own, other]) => anchorsOf(own, other))
    .sort((x, y) => x.a - x.b - (y.a - y.b));
  const lengths = [0, 1].map((side) => {
    const ends = sides.map((pair) => pair[side].time).filter(({ length }) => length > 0);
    return Math.max(...ends.map((time) => time[time.length - 1])) - Math.min(...ends.map(([begin]) => begin));
  });
  const width = MOST_DEVIATION + MOST_DRIFT * Math.min(...lengths);
  const [from, to] = densest(votes, 0, votes.length, width);
  const rivals = [densest(votes, 0, from, width), densest(votes, to, votes.length, width)];
  if (from === to || rivals.some(([begin, end]) => (end - begin) * 4 > to - from)) return undefined;
  const anchors = votes.slice(from, to);
  const line = lineOf(anchors);
  const tolerance = Math.max(LEAST_TOLERANCE, 8 * spreadOf(anchors.map(line.apart)).deviation);
  const common = sides.flatMap(([own, other]) => commonOf(own, other, line, tolerance));
  const spread = spreadOf(common.map(line.apart));
  if (!isEvident(sides, line, common, anchors) || spread.deviation > MOST_DEVIATION) return undefined;
  return {
    offsetNs: first.baseNs - second.baseNs + BigInt(Math.round(line.shift + spread.median)),
    atNs: second.baseNs + BigInt(Math.round(line.at)),
    drift: line.drift,
    switches: common.length,
    deviationNs: spread.deviation,
    leastNs: spread.least - spread.median,
    greatestNs: spread.greatest - spread.median,
  };
}

const NONE: CpuSwitches = { time: [], prev: [], next: [] };

/** Switches from threads of which the other recording has any: it may be of one program. */
function ofThreads({ cpus }: Switches, other: Switches): Map<number, CpuSwitches> {
  const known = new Set([...other.cpus.values()].flatMap(({ prev }) => [...new Set(prev)]));
  return new Map(
    [...cpus].map(([cpu, { time, prev, next }]) => {
      const isKnown = (_: number, i: number): boolean => known.has(prev[i]);
      return [cpu, { time: time.filter(isKnown), prev: prev.filter(isKnown), next: next.filter(isKnown) }];
    }),
  );
}

/** The first switches of all runs of 2, 4, 8 … switches that both have once. */
function anchorsOf(a: CpuSwitches, b: CpuSwitches): Pair[] {
  const anchors: Pair[] = [];
  const middle = a.time.length;
  const size = middle + b.time.length;
  // A run has a number, the same wherever it is, by the numbers of its halves.
  let known = new Map<number, number>();
  let runs = Int32Array.from({ length: size }, (_, i) => {
    const [{ prev, next }, at] = i < middle ? [a, i] : [b, i - middle];
    return numberOf(known, (prev[at] >>> 0) * 2 ** 22 + (next[at] >>> 0));
  });
  const isAnchor = new Uint8Array(middle);
  for (let half = 1; half < LONGEST_RUN; half *= 2) {
    known = new Map();
    const longer = new Int32Array(size).fill(-1);
    const number = (begin: number, end: number): void => {
      for (let i = begin; i + 2 * half <= end; i++)
        longer[i] = numberOf(known, runs[i] * 2 ** 26 + runs[i + half]);
    };
    number(0, middle);
    number(middle, size);
    const inA = placesOf(longer, 0, middle, known.size);
    const inB = placesOf(longer, middle, size, known.size);
    inA.forEach((i, run) => {
      if (i < 0 || inB[run] < 0 || isAnchor[i] === 1) return;
      isAnchor[i] = 1;
      anchors.push({ a: a.time[i], b: b.time[inB[run] - middle] });
    });
    runs = longer;
  }
  return anchors;
}

function numberOf(known: Map<number, number>, key: number): number {
  const number = known.get(key) ?? known.size;
  if (number === known.size) known.set(key, number);
  return number;
}

const NOWHERE = -1;
const REPEATED = -2;

/** Place of each run that is there once. */
function placesOf(runs: Int32Array, begin: number, end: number, count: number): Int32Array {
  const places = new Int32Array(count).fill(NOWHERE);
  for (let i = begin; i < end; i++)
    if (runs[i] >= 0) places[runs[i]] = places[runs[i]] === NOWHERE ? i : REPEATED;
  return places;
}

/** Indices between which the most of the votes, which are in order, lie within `width`. */
function densest(votes: readonly Pair[], begin: number, end: number, width: number): [number, number] {
  let best: [number, number] = [begin, begin];
  for (let from = begin, to = begin; from < end; from++) {
    while (to < end && votes[to].a - votes[to].b - (votes[from].a - votes[from].b) <= width) to++;
    if (to - from > best[1] - best[0]) best = [from, to];
  }
  return best;
}

interface Line {
  /** Time of the second recording at which the clocks differ by `shift`. */
  readonly at: number;
  readonly shift: number;
  readonly drift: number;
  /** Difference of a pair from the line. */
  readonly apart: (pair: Pair) => number;
}

function lineThrough(at: number, shift: number, drift: number): Line {
  return { at, shift, drift, apart: ({ a, b }) => a - b - shift - drift * (b - at) };
}

/** Line through the medians of the first and last third, where differences from it are clearly less than without drift. */
function lineOf(anchors: readonly Pair[]): Line {
  const ordered = [...anchors].sort((x, y) => x.b - y.b);
  const timeOf = (pairs: readonly Pair[]): number => spreadOf(pairs.map(({ b }) => b)).median;
  const shiftOf = (pairs: readonly Pair[]): number => spreadOf(pairs.map(({ a, b }) => a - b)).median;
  const third = Math.ceil(ordered.length / 3);
  const [early, late] = [ordered.slice(0, third), ordered.slice(-third)];
  const drift = (shiftOf(late) - shiftOf(early)) / (timeOf(late) - timeOf(early));
  const level = lineThrough(timeOf(ordered), shiftOf(ordered), 0);
  const steep = lineThrough(level.at, shiftOf(early) + drift * (level.at - timeOf(early)), drift);
  const [flat, sloping] = [level, steep].map(({ apart }) => spreadOf(anchors.map(apart)).deviation);
  return sloping * 2 < flat ? steep : level;
}

/** Switches of a CPU that both have, each once. @param most difference from the line, ns */
function commonOf(a: CpuSwitches, b: CpuSwitches, line: Line, most: number): Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < a.time.length && j < b.time.length;) {
    const pair = { a: a.time[i], b: b.time[j] };
    const apart = line.apart(pair);
    const isSame = Math.abs(apart) <= most && a.prev[i] === b.prev[j] && a.next[i] === b.next[j];
    if (isSame) pairs.push(pair);
    if (isSame || apart > 0) j++;
    if (isSame || apart <= 0) i++;
  }
  return pairs;
}

/** Whether common switches are enough, and all over the time that both recorded. */
function isEvident(
  sides: readonly (readonly [CpuSwitches, CpuSwitches])[],
  line: Line,
  common: readonly Pair[],
  anchors: readonly Pair[],
): boolean {
  // Times by the clock of the first recording.
  const own = Float64Array.from(sides.flatMap(([{ time }]) => time)).sort();
  const others = sides.flatMap(([, { time }]) => time.map((b) => -line.apart({ a: 0, b })));
  const other = Float64Array.from(others).sort();
  const from = Math.max(own[0], other[0]);
  const length = Math.min(own[own.length - 1], other[other.length - 1]) - from;
  const within = [own, other].map((times) => times.filter((t) => t >= from && t <= from + length).length);
  const slices = new Set(anchors.map(({ a }) => Math.floor(((a - from) / length) * SLICES)));
  return (
    common.length >= Math.max(FEWEST_SWITCHES, Math.min(...within) / 2) &&
    length >= SHORTEST_TIME &&
    slices.size >= SLICES / 2
  );
}

function spreadOf(values: readonly number[]) {
  const sorted = Float64Array.from(values).sort();
  const [median, least, greatest] = [sorted.length >> 1, 0, sorted.length - 1].map((at) => sorted[at]);
  const apart = sorted.map((value) => Math.abs(value - median)).sort();
  return { median, least, greatest, deviation: apart[apart.length >> 1] };
}
