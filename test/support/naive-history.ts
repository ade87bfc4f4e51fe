/**
 * The state history as plain arrays: slow, obvious, and the truth for the property tests of the real one.
 */
import { groupTable } from '../../src/engine/history/groups.ts';
import type { Interval } from '../../src/engine/history/query-types.ts';
import type {
  AttributeFamily,
  AttributeId,
  AttributeKind,
  HistorySink,
  ValueScheme,
} from '../../src/engine/history/types.ts';

const GAP = -1;

/** A piece of one row; gaps have value -1. */
export interface Piece {
  from: number;
  to: number;
  value: number;
}

/**
 * A span of a drawn row. Of a mixed one `shares` hold, per bucket, the ns of each group, `ids` what tiles of ids tell.
 */
export interface NaiveSpan {
  from: number;
  to: number;
  value: number;
  shares: number[][];
  /** Causes of the longest waits of each bucket. */
  causes: Set<number>[];
  ids: { readonly longest: number; readonly heldNs: number }[];
}

export class NaiveHistory implements HistorySink {
  readonly paths: string[] = [];
  readonly texts: string[] = [];
  /** Per attribute its changes of value, joined and without zero lengths. */
  readonly changes: { time: number; value: number }[][] = [];
  endTime = -Infinity;
  readonly #families: AttributeFamily[] = [];
  #now = NaN;

  attribute(path: readonly string[], _kind: AttributeKind): AttributeId {
    const key = JSON.stringify(path);
    if (!this.paths.includes(key)) {
      this.paths.push(key);
      this.changes.push([]);
    }
    return this.paths.indexOf(key);
  }

  family(family: AttributeFamily): number {
    return this.#families.push(family) - 1;
  }

  member(family: number, first: number, second: number): AttributeId {
    const { pathOf, kind } = this.#families[family];
    return this.attribute(pathOf(first, second), kind);
  }

  string(text: string): number {
    if (!this.texts.includes(text)) this.texts.push(text);
    return this.texts.indexOf(text);
  }

  moveTo(time: number): void {
    this.#now = time;
  }

  set(attribute: AttributeId, value: number): void {
    const time = (this.endTime = this.#now);
    const changes = this.changes[attribute];
    if (changes.at(-1)?.time === time) changes.pop();
    if ((changes.at(-1)?.value ?? GAP) !== value) changes.push({ time, value });
  }

  settle(attribute: AttributeId, past: number, value: number): void {
    const last = this.changes[attribute].at(-1);
    if (last !== undefined && last.time < this.#now) last.value = past;
    this.set(attribute, value);
  }

  end(attribute: AttributeId): void {
    this.set(attribute, GAP);
  }

  finish(end: number): void {
    this.endTime = Math.max(this.endTime, end);
  }

  /** All intervals of an attribute. */
  all(attribute: AttributeId): Interval[] {
    const changes = this.changes[attribute];
    return changes
      .map(({ time, value }, i) => ({
        attribute,
        from: time,
        to: changes[i + 1]?.time ?? this.endTime,
        value,
      }))
      .filter(({ from, to, value }) => value !== GAP && to > from);
  }

  /** All intervals, equal neighbours joined: what changes when values are given another meaning. */
  joined(attribute: AttributeId): Interval[] {
    const joined: Interval[] = [];
    for (const interval of this.all(attribute)) {
      const last = joined.at(-1);
      if (last?.to === interval.from && last.value === interval.value)
        joined[joined.length - 1] = { ...last, to: interval.to };
      else joined.push(interval);
    }
    return joined;
  }

  /** The row as drawn at a bucket width, by the definition in `bucket-fold.ts`. */
  spans(
    attribute: AttributeId,
    from: number,
    to: number,
    width: number,
    scheme: ValueScheme | undefined,
  ): NaiveSpan[] {
    const pieces = this.#piecesWithGaps(attribute);
    const spans: NaiveSpan[] = [];
    for (let begin = from; begin < to; begin += width) {
      const end = begin + width;
      const inside = pieces.filter((piece) => piece.from < end && piece.to > begin);
      const mixed = inside.filter((piece) => piece.from > begin).length > 1;
      if (mixed) appendMixed(spans, inside, begin, end, scheme);
      else for (const piece of inside) appendPure(spans, piece, begin, end);
    }
    return spans.filter((span) => span.value !== GAP);
  }

  #piecesWithGaps(attribute: AttributeId): Piece[] {
    const pieces: Piece[] = [];
    let at = -Infinity;
    for (const { from, to, value } of this.all(attribute)) {
      if (from > at) pieces.push({ from: at, to: from, value: GAP });
      pieces.push({ from, to, value });
      at = to;
    }
    pieces.push({ from: at, to: Infinity, value: GAP });
    return pieces;
  }
}

function appendPure(spans: NaiveSpan[], { from, to, value }: Piece, begin: number, end: number): void {
  const last = spans.at(-1);
  const pieceFrom = Math.max(from, begin);
  const pieceTo = Math.min(to, end);
  if (last?.value === value && last.to === pieceFrom) last.to = pieceTo;
  else spans.push({ from: pieceFrom, to: pieceTo, value, shares: [], causes: [], ids: [] });
}

function appendMixed(
  spans: NaiveSpan[],
  pieces: Piece[],
  begin: number,
  end: number,
  scheme: ValueScheme | undefined,
): void {
  const { groupOfState, causeOf } = groupTable(scheme);
  const ns = new Array<number>(8).fill(0);
  let longest = 0;
  let causes = new Set<number>();
  for (const { from, to, value } of pieces) {
    const group = value === GAP ? 255 : groupOfState[value % 16];
    const length = Math.min(to, end) - Math.max(from, begin);
    if (group < ns.length) ns[group] += length;
    if (group !== 4) continue;
    if (length > longest) causes = new Set();
    longest = Math.max(longest, length);
    if (length === longest) causes.add(causeOf(value));
  }
  const ids = idsOf(pieces, begin, end);
  const last = spans.at(-1);
  if (last?.value === -2 && last.to === begin) {
    last.to = end;
    last.shares.push(ns);
    last.causes.push(causes);
    last.ids.push(ids);
  } else {
    spans.push({ from: begin, to: end, value: -2, shares: [ns], causes: [causes], ids: [ids] });
  }
}

function idsOf(pieces: readonly Piece[], begin: number, end: number): NaiveSpan['ids'][number] {
  const values = pieces.filter(({ value }) => value !== GAP);
  const lengths = values.map(({ from, to }) => Math.min(to, end) - Math.max(from, begin));
  const longest = lengths.lastIndexOf(Math.max(...lengths));
  return { longest: values[longest].value, heldNs: lengths.reduce((sum, length) => sum + length, 0) };
}
