/** The events of single packets: which of them a filter accepts, and what they say. */
import { compileProjections } from '../../analysis/projection.ts';
import type { ProjectionPlan } from '../../analysis/contract.ts';
import { createChunkDecoder, type ChunkDecoder } from '../../ctf/decode/chunk-decoder.ts';
import { isRepeated, type ChunkInput } from '../../ctf/decode/chunk-input.ts';
import { type DecodeMemory, openDecodeMemory } from '../../ctf/decode/wasm/decode-memory.ts';
import { TABLE } from '../../events/filter/field-wants.ts';
import { RowFilter } from '../../events/filter/row-mask.ts';
import type { ScanSettings } from '../../events/match-counts.ts';
import type { StreamMatches } from '../../events/match-index.ts';
import type { PacketMatches } from '../../events/match-table.ts';
import { hasEventCpus } from '../../trace/event-cpus.ts';
import { repeatsIn } from '../../trace/repeats.ts';
import { clockOf } from '../../trace/trace-clocks.ts';
import type { EventSource } from '../context/event-source.ts';
import { readPacket } from '../context/packets-by-time.ts';

const NO_MATCHES: PacketMatches = { times: new Float64Array(0), events: new Uint32Array(0) };

/** Every event that the filter does not read, so that the number of a row is that of its event. */
const OTHERS = { kind: 'others', events: ['*'], fields: {}, table: TABLE };

export class PacketEvents {
  readonly #source: EventSource;
  readonly #settings: ScanSettings | undefined;
  readonly #filter: RowFilter | undefined;
  readonly #plan: ProjectionPlan;
  /** Decoders by trace and stream class. */
  readonly #decoders = new Map<string, ChunkDecoder>();
  #memory: DecodeMemory | undefined;

  /** @param settings undefined: all events are accepted */
  constructor(source: EventSource, settings: ScanSettings | undefined) {
    this.#source = source;
    this.#settings = settings;
    this.#filter = settings && new RowFilter(settings.filter);
    this.#plan = compileProjections([{ kinds: [...(settings?.kinds ?? []), OTHERS] }]);
  }

  /** None where the packet cannot be read any more. */
  async matches(stream: StreamMatches, packet: number): Promise<PacketMatches> {
    const trace = this.#source.experiment.traces[stream.trace];
    const { [stream.stream]: of } = trace.streams;
    const input = await readPacket(this.#source.open, of, stream.placeOf(packet));
    return input === undefined ? NO_MATCHES : this.#decode(stream, input);
  }

  #decode({ trace: number, stream }: StreamMatches, input: ChunkInput): PacketMatches {
    const { experiment } = this.#source;
    const trace = experiment.traces[number];
    const { streamClass } = trace.streams[stream];
    const { rows, packets } = this.#decoderOf(number, streamClass).decode(input);
    const repeats = repeatsIn(trace, streamClass)?.filter(({ cpu }) => cpu === packets.cpu[0]) ?? [];
    const counts = (row: number) => !isRepeated(repeats, rows.eventClass[row], rows.time[row]);
    if (this.#filter === undefined || this.#settings === undefined) {
      const events = Uint32Array.from({ length: rows.length }, (_, i) => i).filter(counts);
      return { times: Float64Array.from(events, (row) => rows.time[row]), events };
    }
    const { events: eventClasses, eventContext } = trace.model.streams[streamClass];
    const cpuRequest = hasEventCpus(trace) ? this.#plan.requestOf(experiment, trace, streamClass) : undefined;
    const host = this.#settings.hosts[number];
    const { domain } = trace;
    const plan = this.#plan;
    const mask = this.#filter.mask({
      rows,
      packets,
      plan,
      eventClasses,
      eventContext,
      domain,
      cpuRequest,
      trace: number,
      host,
    });
    for (let row = 0; row < rows.length; row++) if (!counts(row)) mask[row] = 0;
    const accepted = mask.reduce((sum, one) => sum + one, 0);
    const times = new Float64Array(accepted);
    const events = new Uint32Array(accepted);
    let at = 0;
    for (let row = 0; row < rows.length; row++) {
      if (mask[row] === 0) continue;
      times[at] = rows.time[row];
      events[at++] = row;
    }
    return { times, events };
  }

  #decoderOf(number: number, streamClass: number): ChunkDecoder {
    const key = `${number} ${streamClass}`;
    const known = this.#decoders.get(key);
    if (known !== undefined) return known;
    const { experiment } = this.#source;
    const trace = experiment.traces[number];
    const request = this.#plan.requestOf(experiment, trace, streamClass);
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
