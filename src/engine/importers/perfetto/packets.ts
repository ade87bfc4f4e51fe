/** Packets of a Perfetto trace one after the other, out of compressed ones too. */
import { Unzlib } from 'fflate';
import { Decompress } from 'fzstd';
import type { Fault } from '../../base/fault.ts';
import { joinBytes } from '../../base/join-bytes.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { TRACE, TRACE_PACKET } from '../../trace/perfetto-fields.ts';
import { byteBudget, damaged, type ImportRun } from '../import-run.ts';
import { Message } from './wire.ts';

/** Bytes of a packet that is read: all events of a CPU may be one. */
const MOST_PACKET_BYTES = 256 * 1024 * 1024;
/** Bytes that a compressed packet unpacks to; Perfetto packs less than 512 KB at once. */
const MOST_UNPACKED_BYTES = 64 * 1024 * 1024;
/** Bytes that are unpacked at once. */
const PUSHED_BYTES = 4096;
/** The field and type of a packet, and the longest size. */
const HEAD_BYTES = 1 + 10;
/** First byte of every packet: its field, with the type of a message. */
const PACKET_TAG = (TRACE.packet << 3) | 2;

/** @param byte of the file where the packet, or the one that it was packed in, begins */
type OnPacket = (packet: Message, byte: number) => void;

/** Reads all packets, as far as they are whole. */
export async function readPackets(
  run: ImportRun,
  onPacket: OnPacket,
  onFault: (fault: Fault) => void,
): Promise<void> {
  const { source } = run;
  const unpacker = new Unpacker(source, onPacket, onFault);
  let wanted = HEAD_BYTES;
  await run.read(
    { source, from: 0, to: source.size },
    {
      take: (bytes, byte) => {
        for (let at = 0; ; at += wanted) {
          wanted = Math.min(HEAD_BYTES, source.size - byte - at);
          if (wanted === 0 || at + wanted > bytes.length) return at;
          const packet = readHead(source, bytes, at, byte);
          if ('code' in packet) return packet;
          wanted = packet.at + packet.number - at;
          if (at + wanted > bytes.length) return at;
          unpacker.read(new Message(bytes, packet.at, at + wanted), byte + at);
        }
      },
      needed: () => wanted,
    },
  );
}

/** Reads the size of a packet. @param byte of the file where the bytes begin */
function readHead({ name, size }: ByteSource, bytes: Uint8Array, at: number, byte: number): Message | Fault {
  const packet = byte + at;
  if (bytes[at] !== PACKET_TAG) return damaged(name, packet, 'a packet', `the byte ${bytes[at]}`);
  const head = new Message(bytes, at + 1);
  if (!head.varint()) return damaged(name, packet, 'the size of a packet', 'a number without an end');
  const there = size - byte - head.at;
  if (head.number > there) {
    const expected = `a packet of ${head.number} bytes`;
    return { code: 'truncated', place: { file: name, byte: packet }, expected, found: `${there} bytes` };
  }
  if (head.number > MOST_PACKET_BYTES)
    return damaged(name, packet, `a packet of at most ${MOST_PACKET_BYTES} bytes`, `${head.number} bytes`);
  return head;
}

/** Gives packets on, and instead of a compressed one those in it. */
class Unpacker {
  readonly #source: ByteSource;
  readonly #onPacket: OnPacket;
  readonly #onFault: (fault: Fault) => void;
  /** Bytes that may still be unpacked. */
  #left: number;

  constructor(source: ByteSource, onPacket: OnPacket, onFault: (fault: Fault) => void) {
    this.#source = source;
    this.#onPacket = onPacket;
    this.#onFault = onFault;
    this.#left = byteBudget(source);
  }

  read(packet: Message, byte: number): void {
    const { at } = packet;
    let isPacked = false;
    while (packet.next()) {
      if (packet.field !== TRACE_PACKET.compressed && packet.field !== TRACE_PACKET.zstdCompressed) continue;
      isPacked = true;
      this.#unpack(packet, packet.field === TRACE_PACKET.zstdCompressed, byte);
    }
    if (isPacked) return;
    packet.at = at;
    packet.isDamaged = false;
    this.#onPacket(packet, byte);
  }

  #unpack({ bytes, from, to }: Message, isZstd: boolean, byte: number): void {
    if (this.#left < 0) return;
    const pieces: Uint8Array[] = [];
    let size = 0;
    const take = (piece: Uint8Array): void => {
      size += piece.length;
      this.#left -= piece.length;
      if (size > MOST_UNPACKED_BYTES || this.#left < 0)
        throw new Error('more than a recording would unpack to');
      pieces.push(piece.slice());
    };
    try {
      const stream = isZstd ? new Decompress(take) : new Unzlib(take);
      // Few bytes at once: what unpacks to very many of them is given up before they take memory.
      for (let at = from; at < to; at += PUSHED_BYTES) {
        const end = Math.min(to, at + PUSHED_BYTES);
        stream.push(bytes.slice(at, end), end === to);
      }
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      this.#onFault(damaged(this.#source.name, byte, 'compressed packets', found));
    }
    const packets = new Message(joinBytes(pieces));
    while (packets.next()) if (packets.field === TRACE.packet) this.#onPacket(packets.message, byte);
    if (packets.isDamaged)
      this.#onFault(damaged(this.#source.name, byte, 'compressed packets', 'a packet that does not end'));
  }
}
