/** A part of a trace as whole packets: those that touch a range, and those needed to understand them. */
import { addTo } from '../../base/group-by.ts';
import type { HostNs } from '../../base/units.ts';
import { PACKET_HAS_SEQUENCE, type PacketTable } from '../../ctf/packets/packet-table.ts';
import type { StreamMatches } from '../../events/match-index.ts';
import type { SourceRef } from '../../io/byte-source.ts';
import type { SourcePart } from '../../io/joined-source.ts';
import { STATE_DUMPS } from '../../trace/event-kinds.ts';
import { splitPath } from '../../trace/find-traces.ts';
import type { LeftOut, Experiment, Stream, Trace } from '../../trace/types.ts';
import { beginOf, clockOf, endOf } from '../../trace/trace-clocks.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { packetsIn, type HostRange } from '../context/packets-by-time.ts';
import type { QueryContext } from '../context/query.ts';
import type { TimeRange } from '../../protocol/range.ts';

export interface CutPacket extends SourcePart {
  readonly of: Trace;
  /** Index in the trace's model. */
  readonly streamClass: number;
  readonly table: PacketTable;
  readonly packet: number;
}

/** A file of which some packets are kept, in order of their place. */
export interface CutFile {
  readonly source: SourceRef;
  readonly pieces: readonly CutPacket[];
}

export interface Cut {
  readonly metadata: readonly SourceRef[];
  readonly files: readonly CutFile[];
  /** Bytes of metadata and packets, before packing. */
  readonly bytes: number;
  /** Number of events; NaN: not known. */
  readonly events: number;
  /** Packets left out of each host, between its begin and the part. */
  readonly leftOut: readonly (readonly LeftOut[])[];
}

interface KeptStream {
  readonly of: Trace;
  readonly stream: Stream;
  /** Number of events of its packets; undefined: not known. */
  readonly counted: StreamMatches | undefined;
  /** 1 for each packet that is included, over all files. */
  readonly packets: Uint8Array;
}

/** The part for a range; undefined: the files are missing, or the question was given up. */
export async function cutOf(context: QueryContext, range: TimeRange): Promise<Cut | undefined> {
  const { trace, signal } = context;
  if (trace.events === undefined) return undefined;
  const { experiment } = trace.events;
  const dumps = await stateDumps(context);
  // Events are counted as far as the trace is read.
  const counts = trace.sync() === undefined ? undefined : await trace.packetEvents();
  if (signal?.aborted === true) return undefined;
  const kept: KeptStream[] = experiment.traces.flatMap((of) =>
    of.streams.map((stream, number) => {
      const counted = counts?.streams.find((one) => one.trace === of.index && one.stream === number);
      return { of, stream, counted, packets: packetsFor(of, stream, hostRangeOf(trace, of, range)) };
    }),
  );
  const leftOut = experiment.hosts.map((host) => {
    const streams = kept.filter(({ of }) => of.host === host.index);
    const from = trace.time.of(host.index).toHost(range.from);
    const known = dumps.filter(({ of, begin }) => of.host === host.index && begin <= from);
    const dumped = known.reduce((last, { end }) => Math.max(last, end), host.firstEvent);
    return [...(host.leftOut ?? []), ...keepBegin(streams, dumped)];
  });
  return { ...filesOf(experiment, kept), leftOut };
}

/** Packets that hold a part of a state dump, and HostNs of its first and last event there. */
async function stateDumps({ trace, signal, onProgress }: QueryContext) {
  const filter = `name in (${STATE_DUMPS.join(', ')})`;
  const table = await trace.eventTables?.counted({ filter }, signal, onProgress);
  // The filter is invalid where the trace declares no such event.
  if (table === undefined || table.problem !== undefined) return [];
  const traces = trace.events?.experiment.traces ?? [];
  return table.matches.packets().map(({ stream, packet }) => {
    return { of: traces[stream.trace], begin: stream.begin(packet), end: stream.end(packet) };
  });
}

/** Tolerance, ns: shifted clocks are rounded to whole ns. */
const ROUNDING_NS = 1;

function hostRangeOf({ time }: OpenTrace, { host }: Trace, { from, to }: TimeRange): HostRange {
  const clock = time.of(host);
  return { from: clock.toHost(from) - ROUNDING_NS, to: clock.toHost(to) + ROUNDING_NS };
}

/** 1 for each packet of the stream that touches a range, and for the one before: it gives the state at the begin. */
function packetsFor(of: Trace, stream: Stream, range: HostRange): Uint8Array {
  const starts: number[] = [];
  let length = 0;
  for (const { packets } of stream.files) {
    starts.push(length);
    length += packets.length;
  }
  const kept = new Uint8Array(length);
  for (const { file, packet } of packetsIn(of, stream, range)) kept[starts[file] + packet] = 1;
  const first = kept.indexOf(1);
  if (first > 0) kept[first - 1] = 1;
  return kept;
}

/**
 * Includes what a host's streams have up to a time by which the first event (the origin of display time) and the state
 * dumps (names of threads) are over. Of streams whose packets are not numbered all packets before the part are
 * included, as nobody could see a gap.
 * @returns what is left out between that and the part; nothing where they meet
 */
function keepBegin(streams: readonly KeptStream[], until: HostNs): LeftOut[] {
  const gaps = streams.map((kept) => (isNumbered(kept.stream) ? gapOf(kept, until) : undefined));
  let [from, to, packets] = [Infinity, -Infinity, 0];
  for (const gap of gaps) {
    if (gap === undefined) continue;
    from = Math.min(from, gap.from);
    to = Math.max(to, gap.to);
    packets += gap.packets;
  }
  const isGap = from < to;
  streams.forEach(({ packets: kept }, i) => {
    kept.fill(1, 0, isGap ? (gaps[i]?.begin ?? kept.lastIndexOf(1) + 1) : kept.lastIndexOf(1) + 1);
  });
  return isGap ? [{ from, to, packets }] : [];
}

/** The packets of a stream that are left out between its begin and the part. */
interface Gap extends LeftOut {
  /** Index of the first packet left out. */
  readonly begin: number;
}

/** The gap of a stream; undefined: nothing is left out. */
function gapOf({ of, stream, packets: kept }: KeptStream, until: HostNs): Gap | undefined {
  const map = clockOf(of, stream.streamClass);
  const end = kept.indexOf(1);
  // A stream that began later misses nothing before its begin.
  let [begin, from, at] = [0, Infinity, 0];
  for (const { packets } of stream.files)
    for (let packet = 0; packet < packets.length; packet++, at++) {
      const time = beginOf(packets, packet, map);
      if (at === end) return begin < end ? { begin, from, to: time, packets: end - begin } : undefined;
      if (begin < at || time > until) continue;
      begin = at + 1;
      from = endOf(packets, packet, map);
    }
  return undefined;
}

function isNumbered({ files }: Stream): boolean {
  return files.every(({ packets: { sequenceBits, flags } }) => {
    return sequenceBits > 0 && flags.every((flag) => (flag & PACKET_HAS_SEQUENCE) !== 0);
  });
}

function filesOf({ metadata = [] }: Experiment, kept: readonly KeptStream[]) {
  const pieces = new Map<SourceRef, CutPacket[]>();
  let [events, bytes] = [0, 0];
  for (const { of, stream, counted, packets } of kept) {
    const { streamClass } = stream;
    let at = 0;
    for (const { source, packets: table } of stream.files)
      for (let packet = 0; packet < table.length; packet++, at++) {
        if (packets[at] === 0) continue;
        events += counted?.count(at) ?? NaN;
        const [offset, size] = [table.offset[packet], table.size[packet]];
        const piece = { offset, size, of, streamClass, table, packet };
        bytes += piece.size;
        if (piece.size > 0) addTo(pieces, source, piece);
      }
  }
  const files = [...pieces].map(([source, all]): CutFile => {
    return { source, pieces: all.sort((a, b) => a.offset - b.offset) };
  });
  const folders = new Set(files.map(({ source }) => splitPath(source.path).folder));
  const own = metadata.filter(({ path }) => folders.has(splitPath(path).folder));
  for (const { size } of own) bytes += size;
  return { metadata: own, files, bytes, events };
}
