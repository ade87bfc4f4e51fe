/** Reads the packets of a chunk one after the other by the readers of several analyses. */
import { cachedByKey } from '../base/cached-by-key.ts';
import type { EventBatch, EventMap, PacketReader, ProjectionPlan } from './contract.ts';

/** The chunk results of readers that take turns: a packet's rows fit into the processor's cache, a chunk's do not. */
export function readPackets(readers: readonly PacketReader<unknown>[], batch: EventBatch): unknown[] {
  for (const reader of readers) reader.start(batch);
  for (let packet = 0; packet < batch.packets.length; packet++)
    for (const reader of readers) reader.read(packet);
  return readers.map((reader) => reader.finish());
}

/** Map of an analysis by a packet reader, which is made once for a plan. */
export function readBy<ChunkResult>(
  make: (plan: ProjectionPlan) => PacketReader<ChunkResult>,
): Required<Pick<EventMap<ChunkResult>, 'map' | 'reader'>> {
  const reader = cachedByKey(make);
  return { reader, map: (batch) => readPackets([reader(batch.plan)], batch)[0] as ChunkResult };
}
