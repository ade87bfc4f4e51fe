/** Decodes all chunks of an experiment with both decoders. */
import { basename } from 'node:path/posix';
import type { Fault } from '../../src/engine/base/fault.ts';
import { packetAfter, type PacketBefore } from '../../src/engine/ctf/decode/rows/packet-spans.ts';
import type { DecodeRequest } from '../../src/engine/ctf/decode/rows/rows.ts';
import type { EVERYTHING } from '../../src/engine/ctf/decode/program/stream-programs.ts';
import type { DecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { PACKET_HAS_BEGIN, type PacketTable } from '../../src/engine/ctf/packets/packet-table.ts';
import type { Chunk, Experiment } from '../../src/engine/trace/types.ts';
import { bothDecoders, type BothDecoders, inputOf } from '../support/both-decoders.ts';
import type { MemoryFiles } from '../support/memory-files.ts';

/** What a packet gave, by its path and offset. */
export interface PacketRead {
  readonly path: string;
  /** Bytes. */
  readonly offset: number;
  readonly size: number;
  readonly events: number;
  /** What copies of it in other folders share. */
  readonly identity: string;
}

export interface DecodedAll {
  readonly packets: readonly PacketRead[];
  readonly faults: readonly Fault[];
  readonly faultCount: number;
}

/**
 * @param chunks in order of id: those of a stream in stream order
 * @throws where generated code and the interpreter differ
 */
export function decodeAll(
  experiment: Experiment,
  files: MemoryFiles,
  chunks: readonly Chunk[],
  request: DecodeRequest | typeof EVERYTHING,
  memory: DecodeMemory,
): DecodedAll {
  const decoders = new Map<string, BothDecoders>();
  const before = new Map<string, PacketBefore>();
  const packets: PacketRead[] = [];
  const faults: Fault[] = [];
  let faultCount = 0;
  for (const chunk of inStreamOrder(chunks)) {
    const trace = experiment.traces[chunk.trace];
    const { streamClass } = trace.streams[chunk.stream];
    const key = `${chunk.trace}:${streamClass}`;
    const stream = `${chunk.trace}/${chunk.stream}`;
    const { clock } = trace.model.streams[streamClass];
    const map = clock === undefined ? undefined : trace.clocks[clock];
    const both = decoders.get(key) ?? bothDecoders(trace.model, streamClass, request, map, memory);
    decoders.set(key, both);
    const input = inputOf(trace, chunk, files);
    const decoded = both.compare({ ...input, before: before.get(stream) });
    faults.push(...decoded.faults);
    faultCount += decoded.faultCount;
    let at = 0;
    for (const { table, first, count, path } of input.extents) {
      for (let packet = first; packet < first + count; packet++) {
        const [offset, size] = [table.offset[packet], table.size[packet]];
        const events = decoded.packets.events[at++];
        packets.push({ path, offset, size, events, identity: identityOf(table, packet, path) });
      }
      before.set(stream, packetAfter(table, first + count - 1));
    }
  }
  return { packets, faults, faultCount };
}

function identityOf(
  { flags, offset, streamClass, streamId, begin, sequence }: PacketTable,
  packet: number,
  path: string,
): string {
  if ((flags[packet] & PACKET_HAS_BEGIN) === 0) return `${basename(path)} ${offset[packet]}`;
  return `${streamClass[packet]} ${streamId[packet]} ${begin[packet]} ${sequence[packet]}`;
}

function inStreamOrder(chunks: readonly Chunk[]): Chunk[] {
  return [...chunks].sort((a, b) => a.trace - b.trace || a.stream - b.stream || a.sequence - b.sequence);
}
