/** TCP as far as traces show it: numbers, acknowledgements, retransmission, segmentation offload. */
import { interruptAt, raise, SOFTIRQ_TIMER } from './interrupts.ts';
import type { Arrival, Cpu, Machine, Program, Sending, Thread, Wait, Work } from './machine.ts';
import { asThread, type Network, type Sender, type Socket } from './network.ts';
import { TCP_ACK, TCP_PSH, type Address, type NetPacket } from './packet-event.ts';
import { block, complete } from './scheduler.ts';
import { call, waitOf } from './system-calls.ts';

const SEGMENT_BYTES = 1448;
/** What a device with segmentation offload takes at once. */
const OFFLOAD_BYTES = 8 * SEGMENT_BYTES;
const RETRANSMIT_NS = 5_000_000;

export interface Host {
  readonly machine: Machine;
  readonly address: Address;
}

/** The two ends of a connection that is open. */
export function connect(network: Network, client: Host, server: Host): [TcpSocket, TcpSocket] {
  const ends: [TcpSocket, TcpSocket] = [new TcpSocket(network, client), new TcpSocket(network, server)];
  ends[0].join(ends[1]);
  ends[1].join(ends[0]);
  return ends;
}

export class TcpSocket implements Socket {
  readonly machine: Machine;
  readonly #address: Address;
  readonly #network: Network;
  #peer: TcpSocket = this;
  /** Numbers grow without end here; packets carry their lowest 32 bits. */
  #sent: number;
  #acknowledged: number;
  #received = 0;
  /** Lengths of segments that came before others which belong in front of them, by number. */
  readonly #early = new Map<number, number>();
  #unread = 0;
  #reader: { readonly wait: Wait; readonly bytes: number } | undefined;
  /** Who waits for acknowledgements. */
  #drainer: Wait | undefined;
  /** Sendings by what they are recognised by, first sent first, and the last of each. */
  readonly #sendings = new Map<string, Sending[]>();
  readonly #lastSent = new Map<string, Sending>();
  #identification = 1;

  constructor(network: Network, { machine, address }: Host) {
    this.#network = network;
    this.machine = machine;
    this.#address = address;
    this.#sent = this.#acknowledged = network.random.between(1, 2 ** 32 - 1);
  }

  join(peer: TcpSocket): void {
    this.#peer = peer;
    this.#received = peer.#sent;
  }

  *write(thread: Thread, bytes: number): Program {
    const { machine } = this;
    const most = this.#network.weather.offload ? OFFLOAD_BYTES : SEGMENT_BYTES;
    const body = function* (this: TcpSocket): Program {
      for (let left = bytes; left > 0; left -= most) {
        const packet = this.#packet(this.#sent, Math.min(left, most), left <= most);
        this.#sent += packet.bytes;
        this.#watch(packet);
        yield (cpu) => this.#transmit(cpu, packet, asThread(thread));
      }
    };
    yield* call(machine, thread, 'sendto', { fd: 7, len: bytes }, body.bind(this), () => bytes);
  }

  /** Waits for that many bytes. */
  *read(thread: Thread, bytes: number): Program {
    const { machine } = this;
    const body = function* (this: TcpSocket): Program {
      if (this.#unread < bytes) {
        const wait = waitOf(thread);
        this.#reader = { wait, bytes };
        yield* block(machine, thread, 'S', wait);
      }
      this.#unread -= bytes;
    };
    yield* call(machine, thread, 'recvfrom', { fd: 7, size: bytes }, body.bind(this), () => bytes);
  }

  /** Waits until the peer's kernel has everything. */
  *drain(thread: Thread): Program {
    const { machine } = this;
    const body = function* (this: TcpSocket): Program {
      if (this.#acknowledged === this.#sent) return;
      this.#drainer = waitOf(thread);
      yield* block(machine, thread, 'S', this.#drainer);
    };
    yield* call(machine, thread, 'poll', { nfds: 1, timeout_msecs: -1 }, body.bind(this), () => 1);
  }

  *receive(cpu: Cpu, packet: NetPacket, arrival: Arrival): Work {
    // Numbers of this packet, which wrapped, near those that are expected.
    this.#acknowledged = Math.max(this.#acknowledged, near(this.#acknowledged, packet.ack));
    if (this.#drainer !== undefined && this.#acknowledged === this.#sent) {
      const drainer = this.#drainer;
      this.#drainer = undefined;
      yield* complete(this.machine, cpu, drainer, { kind: 'network', arrival });
    }
    if (packet.bytes === 0) return;
    this.#early.set(near(this.#received, packet.seq), packet.bytes);
    this.#takeInOrder();
    const wakesFirst = this.machine.random.chance(0.5);
    if (wakesFirst) yield* this.#wakeReader(cpu, arrival);
    yield* this.#transmit(cpu, this.#packet(this.#sent, 0, false), {
      thread: undefined,
      answers: arrival,
      before: undefined,
    });
    if (!wakesFirst) yield* this.#wakeReader(cpu, arrival);
  }

  recognise(packet: NetPacket): Sending | undefined {
    return packet.id === undefined ? this.#peer.#sendings.get(keyOf(packet))?.shift() : undefined;
  }

  #takeInOrder(): void {
    for (const [seq, bytes] of [...this.#early].sort(([a], [b]) => a - b)) {
      if (seq > this.#received) return;
      this.#early.delete(seq);
      const more = Math.max(0, seq + bytes - this.#received);
      this.#received += more;
      this.#unread += more;
    }
  }

  *#wakeReader(cpu: Cpu, arrival: Arrival): Work {
    const reader = this.#reader;
    if (reader === undefined || this.#unread < reader.bytes) return;
    this.#reader = undefined;
    yield* complete(this.machine, cpu, reader.wait, { kind: 'network', arrival });
  }

  #packet(seq: number, bytes: number, isLast: boolean): NetPacket {
    return {
      protocol: 'tcp',
      source: this.#address,
      destination: this.#peer.#address,
      seq: seq % 2 ** 32,
      ack: this.#received % 2 ** 32,
      flags: isLast ? TCP_ACK | TCP_PSH : TCP_ACK,
      bytes,
      check: this.#network.random.between(1, 65_535),
    };
  }

  /** The packet as the other machine gets it, when the device cuts it. */
  #pieces(packet: NetPacket): NetPacket[] {
    const pieces: NetPacket[] = [];
    for (let at = 0; at < packet.bytes; at += SEGMENT_BYTES) {
      const bytes = Math.min(SEGMENT_BYTES, packet.bytes - at);
      const isLast = at + bytes === packet.bytes && (packet.flags & TCP_PSH) !== 0;
      const flags = isLast ? TCP_ACK | TCP_PSH : TCP_ACK;
      const id = packet.id && packet.id + pieces.length;
      pieces.push({ ...packet, seq: (packet.seq + at) % 2 ** 32, bytes, flags, id });
    }
    return pieces;
  }

  *#transmit(cpu: Cpu, packet: NetPacket, sender: Sender): Work {
    const isIpv4 = this.#address.numbers.length === 4;
    const numbered = isIpv4 ? { ...packet, id: this.#identification } : packet;
    const pieces = packet.bytes > SEGMENT_BYTES ? this.#pieces(numbered) : [numbered];
    this.#identification = (this.#identification + pieces.length) % 60_000 || 1;
    const key = keyOf(packet);
    const by = { ...sender, before: this.#lastSent.get(key) };
    yield* this.#network.transmit(this.machine, cpu, numbered, by, this.#peer, pieces, (sending) => {
      this.#sendings.set(key, [...(this.#sendings.get(key) ?? []), sending]);
      this.#lastSent.set(key, sending);
    });
  }

  /** Sends again what is not acknowledged in time. */
  #watch(packet: NetPacket): void {
    const { machine } = this;
    const end = near(this.#sent, packet.seq) + packet.bytes;
    const time = machine.now + RETRANSMIT_NS + machine.random.between(0, RETRANSMIT_NS);
    machine.at(time, () => {
      if (this.#acknowledged >= end) return;
      interruptAt(machine, time, machine.random.pick(machine.cpus), {
        kind: 'timer',
        timer: 0xb000,
        body: (cpu) => raise(machine, cpu, SOFTIRQ_TIMER, (on) => this.#sendAgain(on, packet)),
      });
    });
  }

  *#sendAgain(cpu: Cpu, packet: NetPacket): Work {
    this.#watch(packet);
    for (const piece of this.#pieces(packet)) {
      if (near(this.#acknowledged, piece.seq) + piece.bytes <= this.#acknowledged) continue;
      const again = { ...piece, ack: this.#received % 2 ** 32 };
      yield* this.#transmit(cpu, again, { thread: undefined, answers: undefined, before: undefined });
    }
  }
}

/** The number that is `wrapped` in its lowest 32 bits and nearest to `expected`. */
function near(expected: number, wrapped: number): number {
  const distance = (((wrapped - expected) % 2 ** 32) + 2 ** 32) % 2 ** 32;
  return expected + (distance < 2 ** 31 ? distance : distance - 2 ** 32);
}

/** What a packet is recognised by: without its length an acknowledgement and the data behind it would be equal. */
function keyOf({ seq, ack, flags, bytes }: NetPacket): string {
  return `${seq} ${ack} ${flags} ${bytes}`;
}
