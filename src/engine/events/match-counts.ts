/** Number of events of each packet that a filter accepts: an aggregate over all chunks. */
import type { Analysis, EventBatch, KindRequest } from '../analysis/contract.ts';
import { cachedByKey } from '../base/cached-by-key.ts';
import type { PacketClasses, PacketSpans } from '../ctf/decode/rows/rows.ts';
import { RowFilter } from './filter/row-mask.ts';
import { type EventOfStream, kindsOf, verdict } from './filter/field-wants.ts';
import type { ResolvedFilter } from './filter/filter.ts';
import type { Chunk, Experiment, Stream } from '../trace/types.ts';

/** Settings of a scan, which are part of the analysis's id: plain data. */
export interface ScanSettings {
  readonly filter: ResolvedFilter;
  readonly kinds: readonly KindRequest[];
  /** Host of each trace. */
  readonly hosts: readonly number[];
}

/** Matches of the packets of a chunk, in order. */
export interface MatchChunk {
  readonly matches: Uint32Array;
  /** HostNs of the first and last match; NaN: it has none. */
  readonly first: Float64Array;
  readonly last: Float64Array;
}

const PREFIX = 'events ';

export function scanSettings(filter: ResolvedFilter, { traces }: Experiment): ScanSettings {
  const hosts = traces.map(({ host }) => host);
  return { filter, kinds: kindsOf(filter, eventsOf(traces)), hosts };
}

/** All event classes of an experiment. */
export function eventsOf(traces: Experiment['traces']): EventOfStream[] {
  return traces.flatMap(({ model }) =>
    model.streams.flatMap((stream) => stream.events.map((event) => ({ event, stream }))),
  );
}

export function scanId(settings: ScanSettings): string {
  return PREFIX + JSON.stringify(settings);
}

/** The analysis with this id; undefined: the id is not that of a scan. */
export function scanOf(id: string): Analysis<MatchChunk, undefined> | undefined {
  return id.startsWith(PREFIX) ? matchCounts(JSON.parse(id.slice(PREFIX.length)) as ScanSettings) : undefined;
}

/** Matches of a chunk in which every event counts. */
export function allEvents({ events, firstEvent, lastEvent }: PacketSpans): MatchChunk {
  return { matches: Uint32Array.from(events), first: firstEvent, last: lastEvent };
}

/** Matches of chunks from their counts by event class; undefined: some class has events with different results. */
export function matchesByClass({ filter, hosts }: ScanSettings, { traces }: Experiment) {
  const verdicts = cachedByKey((_: Stream) => new Map<number, boolean | undefined>());
  const isAccepted = ({ trace, stream }: Chunk, eventClass: number): boolean | undefined => {
    const { domain, model, streams } = traces[trace];
    const { cpu, streamClass } = streams[stream];
    const known = verdicts(streams[stream]);
    if (known.has(eventClass)) return known.get(eventClass);
    const of = model.streams[streamClass];
    const event = of.events[eventClass];
    const place = { host: hosts[trace], cpu, isOfProgram: domain === 'ust', from: -Infinity, to: Infinity };
    // Events without a name are in no table.
    const found = event.name !== undefined && verdict(filter, { event, stream: of }, place);
    known.set(eventClass, found);
    return found;
  };
  return (chunk: Chunk, { ends, begin, classes, events, first, last }: PacketClasses) => {
    const chunkResult = emptyMatches(ends.length);
    for (let packet = 0, at = 0; packet < ends.length; packet++) {
      for (; at < ends[packet]; at++) {
        const found = isAccepted(chunk, classes[at]);
        if (found === undefined) return undefined;
        if (!found) continue;
        chunkResult.matches[packet] += events[at];
        const [from, to] = [begin[packet] + first[at], begin[packet] + last[at]];
        if (!(chunkResult.first[packet] <= from)) chunkResult.first[packet] = from;
        if (!(chunkResult.last[packet] >= to)) chunkResult.last[packet] = to;
      }
    }
    return chunkResult;
  };
}

/** Matches of a chunk without any. */
export const NO_MATCHES = emptyMatches(0);

function matchCounts(settings: ScanSettings): Analysis<MatchChunk, undefined> {
  const filter = new RowFilter(settings.filter);
  return {
    id: scanId(settings),
    version: 1,
    reads: { kinds: settings.kinds },
    map: (batch) => countMatches(filter, batch, settings.hosts[batch.chunk.trace]),
    merge: sum,
    empty: emptyMatches(0),
    finish: () => undefined,
  };
}

function countMatches(filter: RowFilter, batch: EventBatch, host: number): MatchChunk {
  const { packets, rows } = batch;
  const mask = filter.mask({ ...batch, trace: batch.chunk.trace, host });
  const chunkResult = emptyMatches(packets.length);
  for (let packet = 0; packet < packets.length; packet++) {
    for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
      if (mask[row] === 0) continue;
      if (chunkResult.matches[packet]++ === 0) chunkResult.first[packet] = rows.time[row];
      chunkResult.last[packet] = rows.time[row];
    }
  }
  return chunkResult;
}

/** Matches of packets that were not read yet. */
export function emptyMatches(packets: number): MatchChunk {
  return {
    matches: new Uint32Array(packets),
    first: new Float64Array(packets).fill(NaN),
    last: new Float64Array(packets).fill(NaN),
  };
}

/** Sum of the chunk results of one chunk whose events are split by CPU. A scan takes chunks one by one. */
function sum(chunkResults: readonly MatchChunk[]): MatchChunk {
  const all = emptyMatches(chunkResults.reduce((most, { matches }) => Math.max(most, matches.length), 0));
  for (const { matches, first, last } of chunkResults) {
    for (let packet = 0; packet < matches.length; packet++) {
      all.matches[packet] += matches[packet];
      if (!(all.first[packet] <= first[packet])) all.first[packet] = first[packet];
      if (!(all.last[packet] >= last[packet])) all.last[packet] = last[packet];
    }
  }
  return all;
}
