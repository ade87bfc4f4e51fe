/** Follows received packets back from an interrupt to the thread that sent the first of them. */
import { NOBODY, Packet, type GraphFacts, type GraphWorker } from './execution-graph.ts';
import { blockedValue, CAUSE_TIMER, STATE_BLOCKED_S } from '../linux/events/values.ts';
import { BLOCKED, NETWORK } from './path-codes.ts';
import { type InterruptPart, partsOfInterrupt, type Softirq } from './softirqs.ts';
import { causeNumber } from './thread-edges.ts';

/** A part of the way, from a time to the begin of the part before it in this list. */
interface Hop extends Omit<InterruptPart, 'label'> {
  readonly worker: GraphWorker;
  /** BLOCKED: until a timer sent a lost packet again. */
  readonly label: InterruptPart['label'] | typeof NETWORK | typeof BLOCKED;
}

export interface PacketTrail {
  /** Latest first. */
  readonly hops: readonly Hop[];
  /** NOBODY: an interrupt that received nothing itself. */
  readonly sender: GraphWorker;
}

const BY_TIMER = causeNumber(blockedValue(STATE_BLOCKED_S, CAUSE_TIMER, -1));

/** Interrupts that answer interrupts at the same instant, at most; real traffic has fewer. */
const MOST_IDLE_HOPS = 64;

/**
 * The time from a packet's arrival to `time` belongs to the interrupt, the packet's transit to the network, on the
 * interrupt worker that received it. For a softirq the packet had arrived by the time it was raised. An interrupt may
 * itself send because of a packet that it received. One that received none and retransmitted a packet is a timer's,
 * and waited for the timer since the packet was sent before.
 * @returns undefined: the interrupt received no packet with a known sender
 */
export function followPackets(
  facts: GraphFacts,
  interrupt: GraphWorker,
  frame: number,
  time: number,
): PacketTrail | undefined {
  const packet = new Packet();
  if (!facts.lastInFrame(interrupt, frame, time, packet)) return undefined;
  const hops: Hop[] = [];
  let worker = interrupt;
  let at = time;
  let serial = frame;
  for (let idle = 0; idle < MOST_IDLE_HOPS; idle++) {
    const before = at;
    const softirq = facts.softirq(worker, serial);
    const arrived = Math.min(at, arrivalOf(packet, softirq));
    for (const part of partsOfInterrupt(softirq, arrived, at)) hops.push({ worker, ...part });
    at = Math.min(arrived, packet.sent);
    hops.push({ worker, from: at, label: NETWORK, cause: 0 });
    if (packet.frame === 0) return { hops, sender: packet.sender };
    worker = packet.sender;
    serial = packet.frame;
    // By the sender's own clock, which if wrong may show that it sent and received after `at`.
    while (!facts.lastInFrame(worker, serial, packet.sent, packet)) {
      if (!facts.copyBefore(packet) || packet.sent >= at) return { hops, sender: NOBODY };
      at = packet.sent;
      hops.push({ worker, from: at, label: BLOCKED, cause: BY_TIMER });
      if (packet.frame === 0) return { hops, sender: packet.sender };
      worker = packet.sender;
      serial = packet.frame;
    }
    if (at < before) idle = 0;
  }
  return { hops, sender: NOBODY };
}

/** Time since when a packet was in the host, as far as it was seen. */
function arrivalOf({ sent, received }: Packet, softirq: Softirq | undefined): number {
  const wait = softirq?.wait;
  const hasWaited = wait !== undefined && sent < wait.to && wait.to <= received;
  return hasWaited ? Math.max(sent, wait.from) : received;
}
