/** Packets of a chunk, one after the other, through the readers of several analyses. */
import type { EventBatch, PacketReader } from './contract.ts';

/** The leaves of readers that take turns: a packet's rows fit into the processor's cache, those of a chunk do not. */
export function readPackets(readers: readonly PacketReader<unknown>[], batch: EventBatch): unknown[] {
  for (const reader of readers) reader.start(batch);
  for (let packet = 0; packet < batch.packets.length; packet++)
    for (const reader of readers) reader.read(packet);
  return readers.map((reader) => reader.finish());
}

/** The leaf of one reader. */
export function readAlone<Leaf>(reader: PacketReader<Leaf>, batch: EventBatch): Leaf {
  return readPackets([reader], batch)[0] as Leaf;
}
