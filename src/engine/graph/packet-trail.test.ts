import { describe, expect, test } from 'vitest';
import type { ExecutionGraph, GraphWorker, Packet } from './execution-graph.ts';
import { LiteralGraph } from '../../../test/support/literal-graph.ts';
import { followPackets } from './packet-trail.ts';
import { NETWORK, RUNNING } from './path-codes.ts';

const THREAD = 1;
const NEAR_INTERRUPT = 2;
const FAR_INTERRUPT = 3;

interface Received {
  readonly at: GraphWorker;
  readonly frame: number;
  readonly received: number;
  readonly sent: number;
  readonly sender: GraphWorker;
  /** Of the sender. */
  readonly sentIn: number;
}

/** A graph of nothing but what interrupts received. */
function graphOf(received: readonly Received[]): ExecutionGraph {
  const lastInFrame = (worker: GraphWorker, frame: number, time: number, packet: Packet): boolean => {
    const found = received.findLast(
      (one) => one.at === worker && one.frame === frame && one.received <= time,
    );
    if (found === undefined) return false;
    packet.received = found.received;
    packet.sent = found.sent;
    packet.sender = found.sender;
    packet.frame = found.sentIn;
    return true;
  };
  return Object.assign(new LiteralGraph(), { lastInFrame });
}

/** A thread sends at 10; another machine's interrupt receives it and answers 10 later, by a clock that is `ahead`. */
function trailThrough(ahead: number): ReturnType<typeof followPackets> {
  const graph = graphOf([
    { at: FAR_INTERRUPT, frame: 7, received: 30 + ahead, sent: 10, sender: THREAD, sentIn: 0 },
    { at: NEAR_INTERRUPT, frame: 5, received: 60, sent: 40 + ahead, sender: FAR_INTERRUPT, sentIn: 7 },
  ]);
  return followPackets(graph.facts, NEAR_INTERRUPT, 5, 65);
}

describe('the way back through packets', () => {
  test('goes through the interrupt that answered', () => {
    expect(trailThrough(0)).toEqual({
      sender: THREAD,
      hops: [
        { worker: NEAR_INTERRUPT, from: 60, label: RUNNING, cause: 0 },
        { worker: NEAR_INTERRUPT, from: 40, label: NETWORK, cause: 0 },
        { worker: FAR_INTERRUPT, from: 30, label: RUNNING, cause: 0 },
        { worker: FAR_INTERRUPT, from: 10, label: NETWORK, cause: 0 },
      ],
    });
  });

  test('finds what the answer was for where the clock that is ahead shows both after it came', () => {
    expect(trailThrough(50)).toEqual({
      sender: THREAD,
      hops: [
        { worker: NEAR_INTERRUPT, from: 60, label: RUNNING, cause: 0 },
        { worker: NEAR_INTERRUPT, from: 60, label: NETWORK, cause: 0 },
        { worker: FAR_INTERRUPT, from: 60, label: RUNNING, cause: 0 },
        { worker: FAR_INTERRUPT, from: 10, label: NETWORK, cause: 0 },
      ],
    });
  });
});
