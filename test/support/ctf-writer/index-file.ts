/** LTTng's packet index of a data stream file (lttng-tools, ctf-index.h, version 1.1): big-endian throughout. */
import type { WrittenPacket } from './packet-writer.ts';

const INDEX_MAGIC = 0xc1f1dcc1;
const HEADER_BYTES = 16;
const ENTRY_BYTES = 72;

export function indexFile(streamClassId: bigint, packets: readonly WrittenPacket[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + packets.length * ENTRY_BYTES));
  [INDEX_MAGIC, 1, 1, ENTRY_BYTES].forEach((word, index) => view.setUint32(index * 4, word));
  let offset = 0;
  packets.forEach(({ bytes, contentBits, frame }, packet) => {
    const fields = [
      BigInt(offset),
      BigInt(bytes.length * 8),
      BigInt(contentBits),
      frame.begin ?? 0n,
      frame.end ?? 0n,
      frame.discarded ?? 0n,
      streamClassId,
      frame.streamId ?? 0n,
      frame.sequence ?? 0n,
    ];
    fields.forEach((value, field) =>
      view.setBigUint64(HEADER_BYTES + packet * ENTRY_BYTES + field * 8, value),
    );
    offset += bytes.length;
  });
  return new Uint8Array(view.buffer);
}
