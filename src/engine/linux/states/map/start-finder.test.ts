import { describe, expect, test } from 'vitest';
import type { PacketsAhead, StreamAhead } from '../../../analysis/contract.ts';
import { StartFinder } from './start-finder.ts';
import { HIDES_ALL } from '../../../trace/loss-subjects.ts';
import * as transitions from './transitions.ts';
import { EMPTY_CHUNK, type StateChunk } from './transitions.ts';

/** [time, kind, CPU, arguments]. */
type Line = readonly [time: number, kind: number, cpu: number, args?: readonly number[]];

const begin = (time: number, cpu = 0): Line => [time, transitions.T_BEGIN, cpu];
const other = (time: number, cpu = 0): Line => [time, transitions.T_WAKING, cpu];
const call = (time: number): Line => [time, transitions.T_CALL, 0];
const returned = (time: number): Line => [time, transitions.T_RETURN, 0];
const switchFrom = (time: number, tid: number, prevState = 0, cpu = 0): Line => [
  time,
  transitions.T_SWITCH,
  cpu,
  [tid, 0, prevState, 0],
];
const loss = (time: number, end: number, cpu = 0): Line => [
  time,
  transitions.T_LOSS,
  cpu,
  [end, 0, HIDES_ALL],
];

function chunkResultOf(lines: readonly Line[]): StateChunk {
  return {
    ...EMPTY_CHUNK,
    length: lines.length,
    time: Float64Array.from(lines, ([time]) => time),
    kind: Uint8Array.from(lines, ([, kind]) => kind),
    cpu: Int32Array.from(lines, ([, , cpu]) => cpu),
    place: Uint32Array.from(lines, (_, i) => i * transitions.ARGUMENTS),
    args: Int32Array.from(
      lines.flatMap(([, , , args = []]) =>
        Array.from({ length: transitions.ARGUMENTS }, (_, i) => args[i] ?? 0),
      ),
    ),
    texts: ['name'],
  };
}

const TWO_LOSSES = [
  begin(5),
  other(7),
  loss(10, 30),
  other(31),
  switchFrom(40, 10),
  loss(50, 60),
  switchFrom(70, 11),
];

const WITHOUT_LIMIT: PacketsAhead = { reach: () => Infinity };

interface Recorded {
  /** `TIME CPU TID MODE`. */
  readonly starts: readonly string[];
  readonly until: readonly number[];
}

/** @param streams per stream: its chunk results */
function find(
  streams: readonly (readonly (readonly Line[])[])[],
  packets = WITHOUT_LIMIT,
  of: Partial<StreamAhead> = {},
): Recorded {
  const ahead = streams.map((chunkResults, order): StreamAhead => {
    const bounds = chunkResults.map((lines) => lines[0]?.[0] ?? 0);
    return { domain: 'kernel', cpu: 0, order, begin: NaN, recording: 0, bounds, ...of };
  });
  const finder = new StartFinder(ahead, packets, { recordsCalls: true, losesSwitches: true });
  const starts: string[] = [];
  const until: number[] = [];
  const longest = Math.max(...streams.map((chunkResults) => chunkResults.length));
  for (let sequence = 0; sequence < longest; sequence++)
    for (const [stream, chunkResults] of streams.entries()) {
      if (sequence >= chunkResults.length) continue;
      finder.put(stream, sequence, chunkResultOf(chunkResults[sequence]), -Infinity);
      const concluded = finder.conclude(finder.groupOf(stream));
      if (concluded === undefined) continue;
      const { chunkResult } = concluded;
      until.push(concluded.until);
      for (let i = 0; i < chunkResult.length; i++) {
        const at = chunkResult.place[i];
        starts.push(
          [chunkResult.time[i], chunkResult.cpu[i], chunkResult.args[at], chunkResult.args[at + 1]].join(' '),
        );
      }
    }
  return { starts, until };
}

describe('who runs before the first switch', () => {
  test('has run since the first event of the CPU', () => {
    expect(find([[[begin(5), other(7), switchFrom(20, 10)]]]).starts).toEqual([
      `5 0 10 ${transitions.START_LATE}`,
    ]);
  });

  test('is not told by a switch that is the first event', () => {
    expect(find([[[begin(5), switchFrom(5, 10), switchFrom(9, 11)]]]).starts).toEqual([]);
  });

  test('is known from the end of a loss on, and nothing reaches over it', () => {
    expect(find([[TWO_LOSSES]]).starts).toEqual([
      `30 0 10 ${transitions.START_LATE}`,
      `60 0 11 ${transitions.START_LATE}`,
    ]);
  });

  test.each<[string, Line[], number, number]>([
    ['user mode before an entry', [call(7)], 0, transitions.START_USER],
    [
      'user mode before a return from a signal handler',
      [[7, transitions.T_NUMBERED_CALL, 0]],
      0,
      transitions.START_USER,
    ],
    ['a call before its exit', [returned(7)], 0, transitions.START_CALL],
    ['what its first event tells', [returned(7), call(8)], 1, transitions.START_CALL],
    ['the kernel where it leaves blocked', [], 1, transitions.START_KERNEL],
    ['what comes later tells', [], 0x100, transitions.START_LATE],
  ])('is in %s', (_, calls, prevState, mode) => {
    const lines = [begin(5), ...calls, switchFrom(20, 10, prevState)];
    expect(find([[lines]]).starts).toEqual([`5 0 10 ${mode}`]);
  });

  test('had another tid before an exec', () => {
    const lines: Line[] = [begin(5), [7, transitions.T_EXEC, 0, [10, 0, 12]], switchFrom(20, 10)];
    expect(find([[lines]]).starts).toEqual([`5 0 12 ${transitions.START_LATE}`]);
  });

  test('is found across chunk results and streams of a CPU, and the merge waits for it', () => {
    const calls = [[begin(3), call(8)], [other(50)]];
    const switches = [[begin(5)], [switchFrom(20, 10)]];
    const { starts, until } = find([calls, switches]);
    expect(starts).toEqual([`3 0 10 ${transitions.START_USER}`]);
    expect(until).toEqual([3, Infinity]);
  });

  test('is not known before the first packet of the stream with the switch', () => {
    const stream = (begins: number): Partial<StreamAhead> => ({ begin: begins });
    expect(find([[[begin(5), other(7), switchFrom(20, 10)]]], WITHOUT_LIMIT, stream(6)).starts).toEqual([
      `6 0 10 ${transitions.START_LATE}`,
    ]);
  });

  test('stays unknown where the switch is too far away', () => {
    const near: PacketsAhead = { reach: () => 15 };
    const lines = [begin(5), other(7), switchFrom(15, 10), loss(20, 30), switchFrom(40, 11)];
    expect(find([[lines]], near).starts).toEqual([`5 0 10 ${transitions.START_LATE}`]);
    // Nobody waits for it any more.
    expect(find([[[begin(5)], [other(14)], [other(16)], [other(17)]]], near).until).toEqual([
      5,
      16,
      17,
      Infinity,
    ]);
  });

  test('is found for each CPU of a stream that does not tell its CPU', () => {
    const lines = [begin(5, 1), begin(6, 2), switchFrom(20, 10, 0, 2), switchFrom(30, 11, 0, 1)];
    expect(find([[lines]], WITHOUT_LIMIT, { cpu: -1 }).starts).toEqual([
      `5 1 11 ${transitions.START_LATE}`,
      `6 2 10 ${transitions.START_LATE}`,
    ]);
  });

  test.each([1, 2, 3])('is the same whatever the chunk results (%i transitions each)', (size) => {
    const chunkResults = Array.from({ length: Math.ceil(TWO_LOSSES.length / size) }, (_, i) =>
      TWO_LOSSES.slice(i * size, (i + 1) * size),
    );
    expect(find([chunkResults]).starts).toEqual(find([[TWO_LOSSES]]).starts);
  });
});

describe('a loss of switches', () => {
  const lost = (from: number, end: number) => `${from} 0 ${end} 0`;

  test('began behind the event before the first call since the last switch, if a thread of the kernel seems to run', () => {
    const lines = [begin(5), switchFrom(5, 10), other(7), call(9), other(11), call(12), loss(20, 30)];
    expect(find([[lines]]).starts).toEqual([lost(7, 30)]);
  });

  test.each<[string, Line[]]>([
    ['no call', [begin(5), switchFrom(5, 10), other(7), loss(20, 30)]],
    ['a switch behind the call', [begin(5), switchFrom(5, 10), call(9), switchFrom(10, 3), loss(20, 30)]],
    ['no switch', [begin(5), call(9), loss(20, 30)]],
  ])('began where it says: %s', (_, lines) => {
    expect(find([[lines]]).starts).toEqual([]);
  });

  test('the merge waits for it no longer than it may', () => {
    const chunkResults = [[begin(5), switchFrom(5, 10), other(7), call(9), other(50)], [other(60)]];
    expect(find([chunkResults]).until).toEqual([7, Infinity]);
    expect(find([chunkResults], { reach: (from) => from + 20 }).until).toEqual([60, Infinity]);
  });
});
