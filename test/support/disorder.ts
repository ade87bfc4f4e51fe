/** Damages a trace so that times go back: packets of every stream file change places with near ones. */
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import type { Random } from './simulator/random.ts';

/** @param packetBytes size of every packet */
export function disorderPackets(files: TraceFiles, packetBytes: number, random: Random): TraceFiles {
  const damaged: TraceFiles = new Map();
  for (const [name, bytes] of files) {
    if (name.startsWith('index/')) continue;
    damaged.set(name, name === 'metadata' ? bytes : shuffled(bytes, packetBytes, random));
  }
  return damaged;
}

function shuffled(bytes: Uint8Array, packetBytes: number, random: Random): Uint8Array {
  const packets = Array.from({ length: bytes.length / packetBytes }, (_, i) =>
    bytes.slice(i * packetBytes, (i + 1) * packetBytes),
  );
  const mixed = new Uint8Array(bytes.length);
  for (let at = 0; packets.length > 0; at += packetBytes) {
    const [packet] = packets.splice(random.between(0, Math.min(2, packets.length - 1)), 1);
    mixed.set(packet, at);
  }
  return mixed;
}
