/** UDP: questions and answers that may get lost; who asks asks again after a time-out. */
import { timerAt } from './interrupts.ts';
import type { Arrival, Cpu, Machine, Program, Thread, Wait, Work } from './machine.ts';
import { asThread, type Network, type Socket } from './network.ts';
import type { Address, NetPacket } from './packet-event.ts';
import { block, complete } from './scheduler.ts';
import { call, waitOf } from './system-calls.ts';
import type { Host } from './tcp.ts';

const TIMEOUT_NS = 20_000_000;

/** The two ends of a flow. */
export function flowBetween(network: Network, client: Host, server: Host): [UdpSocket, UdpSocket] {
  const ends: [UdpSocket, UdpSocket] = [new UdpSocket(network, client), new UdpSocket(network, server)];
  ends[0].join(ends[1]);
  ends[1].join(ends[0]);
  return ends;
}

export class UdpSocket implements Socket {
  readonly machine: Machine;
  readonly #address: Address;
  readonly #network: Network;
  #peer: UdpSocket = this;
  /** Numbers of messages that came. */
  readonly #inbox: number[] = [];
  #reader: Wait | undefined;
  #checks = 0;
  /** The message that a check sum stands for. */
  readonly #messages = new Map<number, number>();

  constructor(network: Network, { machine, address }: Host) {
    this.#network = network;
    this.machine = machine;
    this.#address = address;
  }

  join(peer: UdpSocket): void {
    this.#peer = peer;
  }

  /** Sends message `number`, of so many bytes. */
  *write(thread: Thread, number: number, bytes: number): Program {
    const { machine } = this;
    const packet: NetPacket = {
      protocol: 'udp',
      source: this.#address,
      destination: this.#peer.#address,
      seq: 0,
      ack: 0,
      flags: 0,
      bytes,
      // No two packets of a flow are equal.
      check: ++this.#checks,
    };
    this.#messages.set(packet.check, number);
    const send = (cpu: Cpu): Work =>
      this.#network.transmit(machine, cpu, packet, asThread(thread), this.#peer, [packet], () => {});
    const body = function* (): Program {
      yield send;
    };
    yield* call(machine, thread, 'sendto', { fd: 8, len: bytes }, body, () => bytes);
  }

  /** Waits for the next message, with a time-out or without; `take` gets its number, undefined: none came. */
  *read(thread: Thread, hasTimeout: boolean, take: (message: number | undefined) => void): Program {
    const { machine } = this;
    const body = function* (this: UdpSocket): Program {
      if (this.#inbox.length === 0) {
        const wait = waitOf(thread);
        this.#reader = wait;
        if (hasTimeout) timerAt(machine, machine.now + TIMEOUT_NS, thread.cpu, wait);
        yield* block(machine, thread, 'S', wait);
        this.#reader = undefined;
      }
      take(this.#inbox.shift());
    };
    yield* call(machine, thread, 'recvfrom', { fd: 8, size: 2048 }, body.bind(this), () => 1);
  }

  *receive(cpu: Cpu, packet: NetPacket, arrival: Arrival): Work {
    this.#inbox.push(this.#peer.#messages.get(packet.check) ?? NaN);
    if (this.#reader) yield* complete(this.machine, cpu, this.#reader, { kind: 'network', arrival });
  }

  recognise(): undefined {
    return undefined;
  }
}
