/**
 * A small network with its truth: hosts that exchange TCP segments, each with a clock of its own, over links that delay,
 * lose, reorder, duplicate and cut packets. What the hosts record are `PacketRows`.
 */
import * as p from '../../src/engine/linux/states/reduce/packet-rows.ts';
import type { PacketRows } from '../../src/engine/linux/states/reduce/packet-rows.ts';
import type { SyncHost } from '../../src/engine/sync/synchronise.ts';
import type { Random } from './simulator/random.ts';

export interface ClockPlan {
  /** Its time at true time 0, ns. */
  readonly offset: number;
  /** ns per true ns, less one. */
  readonly drift: number;
  /** It is set once: at a true time, by so much. */
  readonly step?: { readonly at: number; readonly by: number };
}

export interface NetworkPlan {
  readonly clocks: readonly ClockPlan[];
  /** Exchanges, each a request and its answer. */
  readonly exchanges: number;
  /** True ns between two. */
  readonly gap: number;
  /** Least delay, and the most that is added to it. */
  readonly delay: number;
  readonly jitter: number;
  /** Chances of a segment. */
  readonly loss: number;
  readonly duplicate: number;
  /** Segments of several frames are cut on the way. */
  readonly offload: number;
  /** Hosts that talk, two by two; default: all to the first. */
  readonly links?: readonly (readonly [number, number])[];
}

interface Recorded {
  readonly time: number;
  readonly direction: number;
  readonly key: readonly number[];
}

export interface Network {
  readonly hosts: readonly SyncHost[];
  /** Time of a host's clock. */
  clock(host: number, trueTime: number): number;
  /** True times of what was recorded, by host and row. */
  readonly truth: readonly (readonly number[])[];
}

const FRAME = 1448;

export function simulateNetwork(plan: NetworkPlan, random: Random): Network {
  const { clocks, exchanges, gap, loss, duplicate, offload } = plan;
  const recorded = clocks.map((): { at: number; row: Recorded }[] => []);
  const links = plan.links ?? clocks.slice(1).map((_, i) => [0, i + 1] as const);
  const clock = (host: number, time: number): number => {
    const { offset, drift, step } = clocks[host];
    return Math.floor(offset + time + drift * time + (step !== undefined && time >= step.at ? step.by : 0));
  };
  const note = (host: number, at: number, direction: number, key: readonly number[]): void => {
    recorded[host].push({ at, row: { time: clock(host, at), direction, key } });
  };
  const delay = (): number => plan.delay + Math.floor(random.next() * plan.jitter);
  const sequences = new Map<string, number>();

  const send = (from: number, to: number, at: number, port: number): number => {
    const flow = `${from} ${to} ${port}`;
    const frames = random.next() < offload ? 3 : 1;
    const bytes = frames * FRAME;
    const seq = sequences.get(flow) ?? 1000 * (from + 1);
    sequences.set(flow, seq + bytes);
    const key = (first: number, length: number, flags = 0x8018) => {
      return [from + 1, to + 1, (port << 16) | 80, first, 7, flags, length, 0];
    };
    let sent = at;
    for (;;) {
      note(from, sent, p.PACKET_SENT, key(seq, bytes));
      if (random.next() >= loss) break;
      sent += 200_000_000;
    }
    let received = sent;
    for (let frame = 0; frame < frames; frame++) {
      const arrives = sent + delay() + frame * 1000;
      const length = frames === 1 ? bytes : FRAME;
      note(
        to,
        arrives,
        p.PACKET_RECEIVED,
        key(seq + frame * FRAME, length, frame < frames - 1 ? 0x8010 : 0x8018),
      );
      if (random.next() < duplicate) {
        note(to, arrives + delay(), p.PACKET_RECEIVED, key(seq + frame * FRAME, length));
      }
      received = Math.max(received, arrives);
    }
    return received;
  };

  for (let i = 0; i < exchanges; i++) {
    const [client, server] = links[i % links.length];
    const begin = i * gap + Math.floor(random.next() * gap);
    const arrived = send(client, server, begin, 40_000);
    const answered = send(server, client, arrived + 1000 + Math.floor(random.next() * 50_000), 40_000);
    send(client, server, answered + 500, 40_000);
  }
  const sorted = recorded.map((list) => forwardOnly(list.sort((a, b) => a.at - b.at)));
  return {
    hosts: sorted.map((list, host) => ({
      name: `h${host}`,
      start: list[0]?.row.time ?? 0,
      packets: packetRows(list.map(({ row }) => row)),
    })),
    clock,
    truth: sorted.map((list) => list.map(({ at }) => at)),
  };
}

/** As the engine orders events: time waits where the clock was set back. */
function forwardOnly(list: readonly { readonly at: number; readonly row: Recorded }[]) {
  let now = -Infinity;
  return list.map(({ at, row }) => {
    now = Math.max(now, row.time);
    return { at, row: { ...row, time: now } };
  });
}

export function packetRows(list: readonly Recorded[], kind = p.KEY_TCP): PacketRows {
  return {
    length: list.length,
    time: Float64Array.from(list, ({ time }) => time),
    direction: Uint8Array.from(list, ({ direction }) => direction),
    keyKind: new Uint8Array(list.length).fill(kind),
    worker: new Int32Array(list.length).fill(-1),
    frame: new Int32Array(list.length),
    key: Uint32Array.from(
      list.flatMap(({ key }) => Array.from({ length: p.PACKET_KEY_WORDS }, (_, i) => key[i] ?? 0)),
    ),
    addresses: [],
  };
}
