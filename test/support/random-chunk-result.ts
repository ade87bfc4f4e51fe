/** Transitions as no kernel makes them: any of a few threads, CPUs and texts at any time, so that every rule is met. */
import {
  KEY_LONG_ADDRESSES,
  KEY_TCP,
  KEY_UDP,
  PACKET_KEY_WORDS,
} from '../../src/engine/linux/states/reduce/packet-rows.ts';
import { HIDES_ALL } from '../../src/engine/trace/loss-subjects.ts';
import * as transitions from '../../src/engine/linux/states/map/transitions.ts';
import {
  ChunkResultWriter,
  type PacketKeys,
  type StateChunk,
} from '../../src/engine/linux/states/map/transitions.ts';
import { collidingInts } from './chosen-keys.ts';
import type { Random } from './simulator/random.ts';

const TEXTS = [
  'read',
  'write',
  'ksoftirqd/0',
  'eth0',
  'nvme0q1',
  'local_timer',
  'reschedule',
  'bash',
  'make',
  'irq/7-eth0',
  '/usr/bin/sixteen-letters-long',
];

/** A host whose states are reduced. */
export const HOST = {
  index: 0,
  name: 'host',
  kernelRelease: '6.1.0',
  cpus: [],
  hasWaking: true,
  tellsQueues: true,
  recordsCalls: true,
  begin: 0,
};

/** Often what the compiled reducer knows, seldom the rest. */
const OFTEN = [
  transitions.T_SWITCH,
  transitions.T_SWITCH,
  transitions.T_WAKING,
  transitions.T_WAKEUP,
  transitions.T_CALL,
  transitions.T_RETURN,
  transitions.T_ENTER,
  transitions.T_LEAVE,
];
const SELDOM = [
  transitions.T_BEGIN,
  transitions.T_WAKEUP_NEW,
  transitions.T_MIGRATE,
  transitions.T_FORK,
  transitions.T_FORK,
  transitions.T_FORK,
  transitions.T_EXEC,
  transitions.T_EXIT,
  transitions.T_EXIT,
  transitions.T_FREE,
  transitions.T_FREE,
  transitions.T_PROCESS,
  transitions.T_LOSS,
  transitions.T_FREQUENCY,
  transitions.T_INSERT,
  transitions.T_INSERT,
  transitions.T_ISSUE,
  transitions.T_ISSUE,
  transitions.T_REQUEUE,
  transitions.T_COMPLETE,
  transitions.T_COMPLETE,
  transitions.T_SENT,
  transitions.T_RECEIVED,
  transitions.T_GUEST_ENTRY,
  transitions.T_GUEST_EXIT,
  transitions.T_RAISE,
  transitions.T_NUMBERED_CALL,
  transitions.T_MERGE,
];

const PACKETS = 8;
/** Thread ids of which many are forked. */
const CHILDREN = [...collidingInts(3000)];

/**
 * A chunk result of `rows` transitions of three CPUs from `begin` (HostNs) on; the threads that run there are mostly those
 * that a switch told.
 */
export function randomChunkResult(random: Random, begin: number, rows: number): StateChunk {
  const writer = new ChunkResultWriter();
  const running = [0, 0, 0];
  let time = begin;
  for (let row = 0; row < rows; row++) {
    time += random.chance(0.3) ? 0 : random.between(1, 20);
    const kind = random.pick(random.chance(0.93) ? OFTEN : SELDOM);
    const cpu = random.between(0, 2);
    const at = writer.append(time, kind, cpu);
    const args = argumentsOf(random, kind, random.chance(0.95) ? running[cpu] : tidOf(random));
    if (kind === transitions.T_SWITCH) running[cpu] = args[1];
    writer.args.set(args, at);
  }
  return {
    ...writer.columns(),
    texts: TEXTS,
    packets: packetsOf(random),
    historyText: new Int32Array(TEXTS.length).fill(-1),
    windows: [{ cpu: 0, last: 10 * rows }],
  };
}

function argumentsOf(random: Random, kind: number, current: number): number[] {
  const tid = tidOf(random);
  const text = random.chance(0.2) ? -1 : random.between(0, TEXTS.length - 1);
  const cpu = random.between(-1, 3);
  switch (kind) {
    case transitions.T_BEGIN:
      return [0];
    case transitions.T_SWITCH:
      return [current, tid, random.pick([0, 0, 1, 1, 2, 4, 0x10, 0x40, 0x80, 0x200]), text, -1, tid];
    case transitions.T_CALL:
      return [Math.max(0, text)];
    case transitions.T_ENTER:
    case transitions.T_LEAVE: {
      const frame = random.pick([0, 1, 1, 2, 3]);
      return [
        frame,
        frame === transitions.FRAME_SOFTIRQ ? random.pick([1, 3, 9]) : 7,
        0,
        text,
        random.between(-1, 3),
      ];
    }
    case transitions.T_FORK:
      return [
        current,
        random.chance(0.5) ? tid : random.chance(0.5) ? random.between(10, 3000) : random.pick(CHILDREN),
        random.pick([-1, 2, current]),
        tid,
        text,
      ];
    case transitions.T_PROCESS:
      return [tid, tid, 1, random.between(-1, 1), text];
    case transitions.T_LOSS:
      return [random.between(0, 5000), 0, random.pick([HIDES_ALL, random.between(0, HIDES_ALL)])];
    case transitions.T_FREQUENCY:
      return [Math.max(0, cpu), 1_000_000];
    case transitions.T_INSERT:
    case transitions.T_ISSUE:
    case transitions.T_REQUEUE:
    case transitions.T_COMPLETE:
    case transitions.T_MERGE: {
      const isFlush = random.chance(0.2);
      const [low, high] = isFlush
        ? random.pick([
            [0, 0],
            [-1, -1],
          ])
        : [random.between(0, 3), random.pick([0, 0, 1, 1, 2 ** 31 - 1, -2])];
      const sectors = isFlush ? 0 : random.pick([8, 8, 8, 2, 1, -1, -3, -(2 ** 31)]);
      const flags = isFlush ? random.pick([1 << 10, 1 << 8, -1]) : random.pick([1, 1, 1, 4, 4, 2, -1]);
      return [random.between(1, 2), low, high, sectors, random.pick([0, tid]), flags, -1];
    }
    case transitions.T_SENT:
    case transitions.T_RECEIVED:
    case transitions.T_GUEST_ENTRY:
      return [random.between(-2, PACKETS - 1)];
    case transitions.T_RAISE:
      return [random.between(-1, 10)];
    case transitions.T_NUMBERED_CALL:
      return [Math.max(0, text), random.pick([15, 16, 119, 173, 139]), random.between(0, 1)];
    case transitions.T_EXEC:
      return [random.chance(0.5) ? current : tid, Math.max(0, text), random.pick([-1, tid, current])];
    default:
      return [tid, cpu, text];
  }
}

function packetsOf(random: Random): PacketKeys {
  const kinds = [KEY_TCP, KEY_UDP, KEY_UDP | KEY_LONG_ADDRESSES];
  const kind = Uint8Array.from({ length: PACKETS }, () => random.pick(kinds));
  const words = { length: PACKETS * PACKET_KEY_WORDS };
  return { kind, key: Uint32Array.from(words, () => random.between(0, TEXTS.length - 1)) };
}

function tidOf(random: Random): number {
  return random.between(0, 9);
}
