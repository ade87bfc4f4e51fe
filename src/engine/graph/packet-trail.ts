/** Way from an interrupt back through the packets that it received to the thread that sent the first of them. */
import { NOBODY, Packet, type ExecutionGraph, type GraphWorker } from './execution-graph.ts';
import { NETWORK, RUNNING } from './path-codes.ts';

/** A part of the way, from a time to the begin of the part before it in this list. */
interface Hop {
  readonly worker: GraphWorker;
  readonly from: number;
  readonly label: typeof RUNNING | typeof NETWORK;
}

export interface PacketTrail {
  /** Latest first. */
  readonly hops: readonly Hop[];
  /** NOBODY: an interrupt that received nothing itself. */
  readonly sender: GraphWorker;
}

/** Interrupts that answer interrupts at the same instant: more are no real traffic. */
const MOST_IDLE_HOPS = 64;

/**
 * The time from a packet's arrival to `time` belongs to the interrupt, that of its transit to the network, on the
 * interrupt worker that received it. An interrupt may itself send because of a packet it received.
 * @returns undefined where the interrupt received no packet with a known sender
 */
export function followPackets(
  graph: ExecutionGraph,
  interrupt: GraphWorker,
  frame: number,
  time: number,
): PacketTrail | undefined {
  const packet = new Packet();
  if (!graph.lastInFrame(interrupt, frame, time, packet)) return undefined;
  const hops: Hop[] = [];
  let worker = interrupt;
  let at = time;
  for (let idle = 0; idle < MOST_IDLE_HOPS; idle++) {
    const before = at;
    at = Math.min(at, packet.received);
    hops.push({ worker, from: at, label: RUNNING });
    at = Math.min(at, packet.sent);
    hops.push({ worker, from: at, label: NETWORK });
    if (packet.frame === 0) return { hops, sender: packet.sender };
    worker = packet.sender;
    // By the sender's own clock: where clocks are wrong it seems to have sent after `at`, and received after it as well.
    if (!graph.lastInFrame(worker, packet.frame, packet.sent, packet)) break;
    if (at < before) idle = 0;
  }
  return { hops, sender: NOBODY };
}
