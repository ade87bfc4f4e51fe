/**
 * Events and bytes per event class and stream, first and last. Needs no rows: the decoder counts every event. For a
 * time range chunks inside it count whole, and those it cuts are decoded with that window.
 */
import type { Analysis, EventBatch } from '../../analysis/contract.ts';
import { ordered } from '../../base/columns.ts';
import { compare } from '../../base/compare.ts';
import { groupBy } from '../../base/group-by.ts';
import { greater, lesser } from '../../base/lesser.ts';
import { f64, type Table, tableOf } from '../../base/tables.ts';
import type { PacketClasses } from '../../ctf/decode/rows/rows.ts';
import type { Domain } from '../../trace/types.ts';

/** Columns by event class. */
const COUNTS = {
  events: f64(),
  bits: f64(),
  /** HostNs in stream order, NaN without a clock: if times go back, neither need be the least or greatest. */
  first: f64(),
  last: f64(),
  /** First and last chunk (`Chunk.sequence`) with such events. */
  firstChunk: f64(),
  lastChunk: f64(),
};

interface StreamCounts extends Readonly<Table<typeof COUNTS>> {
  readonly rank: number;
  readonly host: number;
  readonly domain: Domain;
  /** Index of each event class in the stream class, ascending; the columns are in their order. */
  readonly classes: Int32Array;
  readonly names: readonly string[];
  /** Counts by packet; absent if not known, or for several chunks. */
  readonly packets?: PacketClasses | undefined;
}

/** Counts of the streams, in order of rank. */
export type CountsChunk = readonly StreamCounts[];

interface EventCount {
  readonly host: number;
  readonly domain: Domain;
  readonly name: string;
  readonly events: number;
  /** Headers included, padding not. */
  readonly bytes: number;
  /** HostNs, NaN where no stream has a clock. */
  readonly first: number;
  readonly last: number;
}

export interface Counts {
  /** Counts of the events, in order of host, domain, name. */
  readonly events: readonly EventCount[];
}

export const counts: Analysis<CountsChunk, Counts> = {
  id: 'counts',
  version: 5,
  reads: { kinds: [] },
  map: mapCounts,
  merge: mergeCounts,
  empty: [],
  finish: (chunkResult) => ({ events: countsByName(chunkResult) }),
};

function mapCounts(batch: EventBatch): CountsChunk {
  const { chunk, domain, streamRank, eventClasses } = batch;
  const { packets, ...columns } = batch.counts;
  const classes = classesWith(columns.events);
  if (classes.length === 0) return [];
  const chunks = new Float64Array(classes.length).fill(chunk.sequence);
  return [
    {
      rank: streamRank,
      host: chunk.host,
      domain,
      classes,
      names: Array.from(classes, (i) => eventClasses[i].name ?? ''),
      ...ordered(columns, classes),
      firstChunk: chunks,
      lastChunk: chunks.slice(),
      packets,
    },
  ];
}

/** Event classes with events in a chunk. */
function classesWith(events: Float64Array): Int32Array {
  const classes = new Int32Array(events.length);
  let length = 0;
  for (let i = 0; i < events.length; i++) if (events[i] > 0) classes[length++] = i;
  return classes.slice(0, length);
}

function mergeCounts(chunkResults: readonly CountsChunk[]): CountsChunk {
  const streams = groupBy(chunkResults.flat(), ({ rank }) => rank);
  return [...streams.values()].map(addCounts).sort((x, y) => x.rank - y.rank);
}

/** Sums of one stream's counts, in columns by event class. */
function addCounts(parts: readonly StreamCounts[]): StreamCounts {
  if (parts.length === 1) return { ...parts[0], packets: undefined };
  const length = parts.reduce((most, { classes }) => Math.max(most, 1 + classes[classes.length - 1]), 0);
  const names: string[] = new Array<string>(length);
  const sums = tableOf(COUNTS, length);
  const { events, bits, first, last, firstChunk, lastChunk } = sums;
  firstChunk.fill(Infinity);
  lastChunk.fill(-Infinity);
  for (const part of parts) {
    part.classes.forEach((index, i) => {
      names[index] = part.names[i];
      events[index] += part.events[i];
      bits[index] += part.bits[i];
      if (part.firstChunk[i] < firstChunk[index]) {
        firstChunk[index] = part.firstChunk[i];
        first[index] = part.first[i];
      }
      if (part.lastChunk[i] > lastChunk[index]) {
        lastChunk[index] = part.lastChunk[i];
        last[index] = part.last[i];
      }
    });
  }
  const classes = classesWith(events);
  return {
    ...parts[0],
    classes,
    names: Array.from(classes, (index) => names[index]),
    ...ordered(sums, classes),
    packets: undefined,
  };
}

function countsByName(chunkResult: CountsChunk): EventCount[] {
  const byKey = new Map<string, EventCount>();
  for (const stream of chunkResult) {
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
        first: lesser(stream.first[i], known?.first ?? Number.NaN),
        last: greater(stream.last[i], known?.last ?? Number.NaN),
      });
    });
  }
  return [...byKey.values()].sort(
    (a, b) => a.host - b.host || compare(a.domain, b.domain) || compare(a.name, b.name),
  );
}
