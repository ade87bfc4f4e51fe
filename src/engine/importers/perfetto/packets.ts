/** Packets of a Perfetto trace one after the other, out of compressed ones too. */
import { Unzlib } from 'fflate';
import { Decompress } from 'fzstd';
import type { Fault } from '../../base/fault.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { TRACE, TRACE_PACKET } from '../../trace/perfetto-fields.ts';
import { byteBudget, damaged } from '../types.ts';
import { Message } from './wire.ts';

/** Bytes that are read at once. */
const PIECE_BYTES = 1 << 20;
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

export interface PerfettoPackets {
  readonly source: ByteSource;
  /** @param byte of the file where the packet, or the one that it was packed in, begins */
  readonly onPacket: (packet: Message, byte: number) => void;
  readonly onFault: (fault: Fault) => void;
  /** Called after some packets; a fault ends the reading. */
  readonly onPiece: (bytesRead: number) => Promise<Fault | undefined>;
}

/** Reads all packets; the fault that ended it before the end, if any. */
export async function readPackets(given: PerfettoPackets): Promise<Fault | undefined> {
  const { source, onPiece } = given;
  const { name, size } = source;
  const unpacker = new Unpacker(given);
  let bytes = new Uint8Array(0);
  /** Byte of the file where `bytes` begins, and of `bytes` where the next packet does. */
  let begin = 0;
  let at = 0;
  while (begin + at < size) {
    const packet = begin + at;
    let needed = Math.min(HEAD_BYTES, size - packet);
    if (at + needed <= bytes.length) {
      if (bytes[at] !== PACKET_TAG) return damaged(name, packet, 'a packet', `the byte ${bytes[at]}`);
      const head = new Message(bytes, at + 1);
      if (!head.varint()) return damaged(name, packet, 'the size of a packet', 'a number without an end');
      needed = head.at - at + head.number;
      if (packet + needed > size) return truncated(name, packet, head.number, size - begin - head.at);
      if (head.number > MOST_PACKET_BYTES)
        return damaged(
          name,
          packet,
          `a packet of at most ${MOST_PACKET_BYTES} bytes`,
          `${head.number} bytes`,
        );
      if (at + needed <= bytes.length) {
        at += needed;
        unpacker.read(new Message(bytes, head.at, at), packet);
        continue;
      }
    }
    const ended = await onPiece(packet);
    if (ended !== undefined) return ended;
    const read = await source.read(packet, Math.min(Math.max(PIECE_BYTES, needed), size - packet));
    if (!read.ok) return read.fault;
    bytes = read.value as Uint8Array<ArrayBuffer>;
    begin = packet;
    at = 0;
  }
  return onPiece(size);
}

function truncated(file: string, byte: number, size: number, there: number): Fault {
  const expected = `a packet of ${size} bytes`;
  return { code: 'truncated', place: { file, byte }, expected, found: `${there} bytes` };
}

/** Gives packets on, and instead of a compressed one those in it. */
class Unpacker {
  readonly #given: PerfettoPackets;
  /** Bytes that may still be unpacked. */
  #left: number;

  constructor(given: PerfettoPackets) {
    this.#given = given;
    this.#left = byteBudget(given.source);
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
    this.#given.onPacket(packet, byte);
  }

  #unpack({ bytes, from, to }: Message, isZstd: boolean, byte: number): void {
    const { source, onPacket, onFault } = this.#given;
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
      onFault(damaged(source.name, byte, 'compressed packets', found));
    }
    const unpacked = new Uint8Array(size);
    let end = 0;
    for (const piece of pieces) {
      unpacked.set(piece, end);
      end += piece.length;
    }
    const packets = new Message(unpacked, 0, end);
    while (packets.next()) if (packets.field === TRACE.packet) onPacket(packets.message, byte);
    if (packets.isDamaged)
      onFault(damaged(source.name, byte, 'compressed packets', 'a packet that does not end'));
  }
}
