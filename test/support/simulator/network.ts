/**
 * How packets go from one machine to another, or to itself: a thread or an interrupt gives them to a device; later an
 * interrupt of the other machine takes them, in a softirq. The network delays, loses and so reorders them.
 */
import { DEVICES, interruptAt, raise, runSoftirqs, SOFTIRQ_NET_RX } from './interrupts.ts';
import type { Arrival, Cpu, Machine, Sending, Thread, Work } from './machine.ts';
import { packetFields, type NetPacket } from './packet-event.ts';
import type { Random } from './random.ts';

export interface Weather {
  /** Least time on the way between two machines, and most that comes on top, ns. */
  readonly delayNs: number;
  readonly jitterNs: number;
  /** Probability that a packet is lost between two machines. */
  readonly loss: number;
  /** Whether devices cut the large packets that kernels give them (segmentation offload). */
  readonly offload: boolean;
}

/** Where packets end. */
export interface Socket {
  readonly machine: Machine;
  /** In the softirq that received the packet. */
  receive(cpu: Cpu, packet: NetPacket, arrival: Arrival): Work;
  /** Which sending a received packet without identification is taken for, when it is not the one that it really was. */
  recognise(packet: NetPacket): Sending | undefined;
}

/** Who sends: a thread, or the interrupt that received a packet before, or a timer. */
export type Sender = Pick<Sending, 'thread' | 'answers' | 'before'>;

interface OnTheWay {
  readonly packet: NetPacket;
  readonly sending: Sending;
  readonly to: Socket;
}

export class Network {
  readonly weather: Weather;
  readonly random: Random;
  readonly #arrived = new Map<Machine, OnTheWay[]>();

  constructor(weather: Weather, random: Random) {
    this.weather = weather;
    this.random = random;
  }

  /**
   * Sends a packet from `machine`; a device that cuts large packets (`pieces`) lets the other machine see those.
   * @param sent called with the sending when it is recorded
   */
  *transmit(
    machine: Machine,
    cpu: Cpu,
    packet: NetPacket,
    sender: Sender,
    to: Socket,
    pieces: readonly NetPacket[],
    sent: (sending: Sending) => void,
  ): Work {
    const isLocal = to.machine === machine;
    const fields = packetFields(packet, isLocal ? 'lo' : 'eth0');
    const sending = { machine, cpu, time: machine.now, ...sender };
    machine.tracer.packet(machine, cpu, 'dev_queue', fields);
    sent(sending);
    yield machine.random.between(200, 2_000);
    if (!isLocal) {
      for (const piece of pieces) this.#carry({ packet: piece, sending, to });
      yield machine.random.between(100, 500);
      return;
    }
    machine.tracer.packet(machine, cpu, 'if_rx', fields);
    this.#queueOf(machine).push({ packet, sending, to });
    yield* raise(machine, cpu, SOFTIRQ_NET_RX, (on) => this.#poll(machine, on));
    if (cpu.frames.length === 0) yield* runSoftirqs(machine, cpu);
  }

  #carry(way: OnTheWay): void {
    const { delayNs, jitterNs, loss } = this.weather;
    // Without identification nothing but clocks tells which copy of a lost packet arrives.
    const { protocol, id } = way.packet;
    if ((protocol === 'udp' || id !== undefined) && this.random.chance(loss)) return;
    const { machine } = way.to;
    const time = machine.now + delayNs + this.random.between(0, jitterNs);
    machine.at(time, () => {
      this.#queueOf(machine).push(way);
      const { irq, name } = DEVICES.network;
      const body = (cpu: Cpu): Work => raise(machine, cpu, SOFTIRQ_NET_RX, (on) => this.#poll(machine, on));
      interruptAt(machine, time, machine.random.pick(machine.cpus), { kind: 'device', irq, name, body });
    });
  }

  /** Takes what has arrived, some packets at a time. */
  *#poll(machine: Machine, cpu: Cpu): Work {
    const queue = this.#queueOf(machine);
    for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
      const { packet, to } = way;
      const isLocal = way.sending.machine === machine;
      const sending = to.recognise(packet) ?? way.sending;
      machine.tracer.packet(machine, cpu, 'if_receive_skb', packetFields(packet, isLocal ? 'lo' : 'eth0'));
      const arrival = { machine, cpu, time: machine.now, sending, softirq: cpu.frames.at(-1)?.softirq };
      yield machine.random.between(200, 2_000);
      yield* to.receive(cpu, packet, arrival);
    }
  }

  #queueOf(machine: Machine): OnTheWay[] {
    const queue = this.#arrived.get(machine) ?? [];
    this.#arrived.set(machine, queue);
    return queue;
  }
}

/** The thread itself, as a sender. */
export function asThread(thread: Thread): Sender {
  return { thread, answers: undefined, before: undefined };
}
