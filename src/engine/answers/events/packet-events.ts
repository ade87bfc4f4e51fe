/** The events of single packets: which of them a filter accepts, and their fields. */
import { compileProjections } from '../../analysis/projection.ts';
import type { ProjectionPlan } from '../../analysis/contract.ts';
import { createChunkDecoder, type ChunkDecoder } from '../../ctf/decode/chunk-decoder.ts';
import { EVERYTHING } from '../../ctf/decode/program/stream-programs.ts';
import { type DecodedChunk, NO_ROWS, type PacketSpans, type Rows } from '../../ctf/decode/rows/rows.ts';
import type { Tape } from '../../ctf/decode/rows/values.ts';
import { isRepeated } from '../../ctf/decode/decoder-input.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { type DecodeMemory, openDecodeMemory } from '../../ctf/decode/wasm/decode-memory.ts';
import { TABLE } from '../../events/filter/field-wants.ts';
import { RowFilter } from '../../events/filter/row-mask.ts';
import type { ScanSettings } from '../../events/match-counts.ts';
import type { StreamMatches } from '../../events/match-index.ts';
import type { PacketMatches } from '../../events/match-table.ts';
import { hasEventCpus } from '../../trace/untold.ts';
import { repeatsIn } from '../../trace/repeats.ts';
import { clockOf } from '../../trace/trace-clocks.ts';
import type { Trace } from '../../trace/types.ts';
import { type EventSource, readPacket } from '../context/packets-by-time.ts';

/** Matches of a packet with the tapes of its events (`ctf/decode/rows/values.ts`). */
export interface PacketTapes extends PacketMatches {
  /** The events by their numbers. */
  readonly rows: Pick<Rows, 'at'>;
  readonly tape: Tape;
  readonly trace: Trace;
  /** Index in the trace's model. */
  readonly streamClass: number;
  /** -1: the stream does not say. */
  readonly cpu: number;
}

const NO_MATCHES: PacketMatches = {
  times: new Float64Array(0),
  events: new Uint32Array(0),
  classes: new Uint16Array(0),
};

/** Kind of all events that the filter does not read, so that row numbers are event numbers. */
const OTHERS = { kind: 'others', events: ['*'], fields: {}, table: TABLE };

export class PacketEvents {
  readonly #filter: RowFilter | undefined;
  readonly #plan: ProjectionPlan;
  /** Decoders by trace and stream class. */
  readonly #decoders = new Map<string, ChunkDecoder>();
  #memory: DecodeMemory | undefined;

  /** @param settings undefined: all events are accepted */
  constructor(
    private readonly source: EventSource,
    private readonly settings: ScanSettings | undefined,
  ) {
    this.#filter = settings && new RowFilter(settings.filter);
    this.#plan = compileProjections([{ kinds: [...(settings?.kinds ?? []), OTHERS] }]);
  }

  /** The matches of a packet; none where it cannot be read any more. */
  async matches(stream: StreamMatches, packet: number): Promise<PacketMatches> {
    const trace = this.source.experiment.traces[stream.trace];
    const { [stream.stream]: of } = trace.streams;
    const input = await readPacket(this.source.open, of, stream.placeOf(packet));
    if (input === undefined) return NO_MATCHES;
    return this.#matchesIn(stream, this.#decoderOf(stream.trace, of.streamClass, false).decode(input));
  }

  /** The matches with all fields. */
  async tapes(stream: StreamMatches, packet: number): Promise<PacketTapes> {
    const trace = this.source.experiment.traces[stream.trace];
    const of = trace.streams[stream.stream];
    const { streamClass } = of;
    const place = stream.placeOf(packet);
    const cpu = of.files[place.file].packets.cpu[place.packet];
    const input = await readPacket(this.source.open, of, place);
    if (input === undefined)
      return { ...NO_MATCHES, rows: NO_ROWS, tape: { ...NO_ROWS, at: 0 }, trace, streamClass, cpu };
    const matches =
      this.settings &&
      this.#matchesIn(stream, this.#decoderOf(stream.trace, streamClass, false).decode(input));
    const decoded = this.#decoderOf(stream.trace, streamClass, true).decode(input);
    const { times, events, classes } = matches ?? this.#matchesIn(stream, decoded);
    const { rows } = decoded;
    // Events whose damage shows only when all fields are decoded have no tape.
    const length = lowerBound(events, rows.length);
    return {
      times: times.subarray(0, length),
      events,
      classes,
      // Copied, as the decoder's memory is reused for the next packet.
      rows: { at: rows.at.slice() },
      tape: { words: rows.words.slice(), bytes: rows.bytes, at: 0 },
      trace,
      streamClass,
      cpu,
    };
  }

  #matchesIn({ trace: number, stream }: StreamMatches, { rows, packets }: DecodedChunk): PacketMatches {
    const trace = this.source.experiment.traces[number];
    const { streamClass } = trace.streams[stream];
    const mask = this.#mask(number, streamClass, rows, packets);
    const repeats = repeatsIn(trace, streamClass)?.filter(({ cpu }) => cpu === packets.cpu[0]) ?? [];
    let accepted = 0;
    for (let row = 0; row < rows.length; row++) {
      if (repeats.length > 0 && isRepeated(repeats, rows.eventClass[row], rows.time[row])) mask[row] = 0;
      accepted += mask[row];
    }
    const times = new Float64Array(accepted);
    const events = new Uint32Array(accepted);
    const classes = new Uint16Array(accepted);
    let at = 0;
    for (let row = 0; row < rows.length; row++) {
      if (mask[row] === 0) continue;
      times[at] = rows.time[row];
      classes[at] = rows.eventClass[row];
      events[at++] = row;
    }
    return { times, events, classes };
  }

  /** 1 for each row that the filter accepts. */
  #mask(number: number, streamClass: number, rows: Rows, packets: PacketSpans): Uint8Array {
    if (this.#filter === undefined || this.settings === undefined) return new Uint8Array(rows.length).fill(1);
    const { experiment } = this.source;
    const trace = experiment.traces[number];
    const { events: eventClasses, eventContext } = trace.model.streams[streamClass];
    const cpuRequest = hasEventCpus(trace) ? this.#plan.requestOf(experiment, trace, streamClass) : undefined;
    const host = this.settings.hosts[number];
    const of = { rows, packets, plan: this.#plan, eventClasses, eventContext, domain: trace.domain };
    return this.#filter.mask({ ...of, cpuRequest, trace: number, host });
  }

  #decoderOf(number: number, streamClass: number, hasAllFields: boolean): ChunkDecoder {
    const key = `${number} ${streamClass} ${hasAllFields}`;
    const known = this.#decoders.get(key);
    if (known !== undefined) return known;
    const { experiment } = this.source;
    const trace = experiment.traces[number];
    const request = hasAllFields ? EVERYTHING : this.#plan.requestOf(experiment, trace, streamClass);
    this.#memory ??= openDecodeMemory();
    const made = createChunkDecoder(
      trace.model,
      streamClass,
      request,
      clockOf(trace, streamClass),
      this.#memory,
    );
    this.#decoders.set(key, made);
    return made;
  }
}
