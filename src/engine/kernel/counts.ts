/**
 * Events and bytes per event class and stream, first and last (spec 03 section 4, analysis 1). Needs no rows: the
 * decoder counts every event. Of a time range: chunks inside it count whole, the cut ones are decoded with that window.
 */
import type { Analysis, EventBatch } from '../analysis/contract.ts';
import type { Domain } from '../trace/types.ts';

/** Counts of one stream; columns by event class, ascending index in the stream class. */
export interface StreamCounts {
  readonly rank: number;
  readonly host: number;
  readonly trace: number;
  readonly domain: Domain;
  /** Of all packets of the stream, those without events too; -1 unknown or changing. */
  readonly cpu: number;
  readonly classes: Int32Array;
  readonly names: readonly string[];
  readonly events: Float64Array;
  readonly bits: Float64Array;
  /** TimeNs in stream order, NaN without a clock: where times go back, neither need be the least or greatest. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** Chunks (`Chunk.sequence`) that these are in. */
  readonly firstChunk: Float64Array;
  readonly lastChunk: Float64Array;
}

/** In order of rank. */
export type CountsLeaf = readonly StreamCounts[];

export interface EventCount {
  readonly host: number;
  readonly domain: Domain;
  readonly name: string;
  readonly events: number;
  /** Headers included, padding not. */
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
}

export interface StreamCount {
  readonly rank: number;
  readonly host: number;
  readonly trace: number;
  readonly cpu: number;
  readonly events: number;
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
}

export interface Counts {
  /** In order of host, domain, name. */
  readonly events: readonly EventCount[];
  /** In order of rank. */
  readonly streams: readonly StreamCount[];
}

export const counts: Analysis<CountsLeaf, Counts> = {
  id: 'counts',
  version: 3,
  reads: { meanings: [] },
  map: mapCounts,
  merge: mergeCounts,
  empty: [],
  finish: (leaf) => ({ events: countsByName(leaf), streams: leaf.map(countOfStream) }),
};

function mapCounts(batch: EventBatch): CountsLeaf {
  const { chunk, domain, streamRank, cpu, eventClasses } = batch;
  const { events, bits, first, last } = batch.counts;
  const classes = classesWith(events);
  if (classes.length === 0) return [];
  return [
    {
      rank: streamRank,
      host: chunk.host,
      trace: chunk.trace,
      domain,
      cpu,
      classes,
      names: Array.from(classes, (i) => eventClasses[i].name ?? ''),
      events: pick(events, classes),
      bits: pick(bits, classes),
      first: pick(first, classes),
      last: pick(last, classes),
      firstChunk: new Float64Array(classes.length).fill(chunk.sequence),
      lastChunk: new Float64Array(classes.length).fill(chunk.sequence),
    },
  ];
}

/** The event classes that a chunk has events of. */
function classesWith(events: Float64Array): Int32Array {
  const classes = new Int32Array(events.length);
  let length = 0;
  for (let i = 0; i < events.length; i++) if (events[i] > 0) classes[length++] = i;
  return classes.slice(0, length);
}

function pick(column: Float64Array, classes: Int32Array): Float64Array {
  const picked = new Float64Array(classes.length);
  for (let i = 0; i < classes.length; i++) picked[i] = column[classes[i]];
  return picked;
}

function mergeCounts(a: CountsLeaf, b: CountsLeaf): CountsLeaf {
  const byRank = new Map(a.map((stream) => [stream.rank, stream]));
  for (const stream of b) {
    const known = byRank.get(stream.rank);
    byRank.set(stream.rank, known === undefined ? stream : addCounts(known, stream));
  }
  return [...byRank.values()].sort((x, y) => x.rank - y.rank);
}

function addCounts(a: StreamCounts, b: StreamCounts): StreamCounts {
  const { classes, inA, inB } = uniteClasses(a.classes, b.classes);
  const united = (
    column: 'events' | 'bits' | 'first' | 'last' | 'firstChunk' | 'lastChunk',
    both: (x: number, y: number) => number,
  ) => {
    const values = new Float64Array(classes.length);
    for (let i = 0; i < values.length; i++) {
      if (inA[i] < 0) values[i] = b[column][inB[i]];
      else values[i] = inB[i] < 0 ? a[column][inA[i]] : both(inA[i], inB[i]);
    }
    return values;
  };
  return {
    ...a,
    classes,
    names: Array.from(inA, (at, i) => (at < 0 ? b.names[inB[i]] : a.names[at])),
    events: united('events', (x, y) => a.events[x] + b.events[y]),
    bits: united('bits', (x, y) => a.bits[x] + b.bits[y]),
    first: united('first', (x, y) => (a.firstChunk[x] < b.firstChunk[y] ? a.first[x] : b.first[y])),
    last: united('last', (x, y) => (a.lastChunk[x] > b.lastChunk[y] ? a.last[x] : b.last[y])),
    firstChunk: united('firstChunk', (x, y) => Math.min(a.firstChunk[x], b.firstChunk[y])),
    lastChunk: united('lastChunk', (x, y) => Math.max(a.lastChunk[x], b.lastChunk[y])),
  };
}

/** The classes of two ascending lists, and for each its place in both, -1: not there. */
function uniteClasses(a: Int32Array, b: Int32Array) {
  const classes = new Int32Array(a.length + b.length);
  const inA = new Int32Array(classes.length);
  const inB = new Int32Array(classes.length);
  let length = 0;
  for (let x = 0, y = 0; x < a.length || y < b.length; length++) {
    const next = Math.min(a[x] ?? Infinity, b[y] ?? Infinity);
    classes[length] = next;
    inA[length] = a[x] === next ? x++ : -1;
    inB[length] = b[y] === next ? y++ : -1;
  }
  return {
    classes: classes.slice(0, length),
    inA: inA.subarray(0, length),
    inB: inB.subarray(0, length),
  };
}

function countsByName(leaf: CountsLeaf): EventCount[] {
  const byKey = new Map<string, EventCount>();
  for (const stream of leaf) {
    const { host, domain } = stream;
    stream.names.forEach((name, i) => {
      const key = `${host} ${domain} ${name}`;
      const known = byKey.get(key);
      byKey.set(key, {
        host,
        domain,
        name,
        events: stream.events[i] + (known?.events ?? 0),
        bytes: stream.bits[i] / 8 + (known?.bytes ?? 0),
        first: Math.min(stream.first[i], known?.first ?? Infinity),
        last: Math.max(stream.last[i], known?.last ?? -Infinity),
      });
    });
  }
  return [...byKey.values()].sort(
    (a, b) => a.host - b.host || compareText(a.domain, b.domain) || compareText(a.name, b.name),
  );
}

function countOfStream({ rank, host, trace, cpu, events, bits, first, last }: StreamCounts): StreamCount {
  const sum = (column: Float64Array) => column.reduce((total, n) => total + n, 0);
  return {
    rank,
    host,
    trace,
    cpu,
    events: sum(events),
    bytes: sum(bits) / 8,
    first: Math.min(...first),
    last: Math.max(...last),
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
