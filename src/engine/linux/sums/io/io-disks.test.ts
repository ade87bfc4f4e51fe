import { describe, expect, it } from 'vitest';
import { DurationLog } from '../duration-log.ts';
import { addRequests, diskLog, diskUsage, requestAt } from './io-disks.ts';
import type { ByteBounds } from './io-transfers.ts';
import type { IoFact } from './io-files.ts';
import { FACT_COMPLETE, FACT_INSERT, FACT_ISSUE, FACT_REQUEUE } from './io-chunk.ts';

const fact = (kind: number, time: number, sector: number, sectors = 8): IoFact => {
  return { time, kind, a: 8 << 20, b: sectors, c: 1001, d: 4, wide: sector, text: undefined };
};
const issue = (time: number, sector: number) => fact(FACT_ISSUE, time, sector);
const complete = (time: number, sector: number) => fact(FACT_COMPLETE, time, sector);

const logOf = (facts: readonly IoFact[]) => diskLog(facts, (tid) => tid);

function depthIn(facts: readonly IoFact[], from: number, to: number) {
  const [{ meanDepth, maxDepth }] = diskUsage(0, logOf(facts), from, to).disks;
  return { meanDepth, maxDepth };
}

describe('depth', () => {
  // Three at once from 20 to 30, one alone from 0 to 10 and from 50 to 60.
  const facts = [
    ...[issue(0, 100), complete(10, 100)],
    ...[
      issue(20, 200),
      issue(20, 300),
      issue(20, 400),
      complete(30, 300),
      complete(30, 200),
      complete(30, 400),
    ],
    ...[issue(50, 500), complete(60, 500)],
  ];

  it('is of the range alone', () => {
    expect(depthIn(facts, -Infinity, Infinity)).toEqual({ maxDepth: 3, meanDepth: 50 / 30 });
    expect(depthIn(facts, 5, 15)).toEqual({ maxDepth: 1, meanDepth: 1 });
    expect(depthIn(facts, 25, 55)).toEqual({ maxDepth: 3, meanDepth: 20 / 10 });
  });

  it('does not count requests whose completion was lost', () => {
    expect(depthIn([issue(0, 1), issue(0, 2), ...facts], 40, 70)).toEqual({ maxDepth: 1, meanDepth: 1 });
  });

  it('of requests one right after the other is one', () => {
    const one = [issue(0, 100), complete(10, 100), issue(10, 200), complete(20, 200)];
    expect(depthIn(one, 0, 30)).toEqual({ maxDepth: 1, meanDepth: 1 });
  });
});

it('a request that completes in parts counts when the last one does', () => {
  const parts = [
    fact(FACT_ISSUE, 0, 1000, 256),
    fact(FACT_COMPLETE, 10, 1000, 128),
    fact(FACT_COMPLETE, 20, 1128, 128),
    // A part of a request that is not there.
    fact(FACT_COMPLETE, 40, 5000, 16),
  ];
  const usageIn = (from: number, to: number) => diskUsage(0, logOf(parts), from, to);
  const { disks, bytesOfThread } = usageIn(-Infinity, Infinity);
  expect(disks).toMatchObject([{ requests: 1, sectors: 256, totalLatencyNs: 20, maxDepth: 1 }]);
  expect([...bytesOfThread.values()]).toEqual([{ tid: 1001, read: 256 * 512, write: 0 }]);
  expect(usageIn(0, 15).disks).toEqual([]);
});

describe('single requests', () => {
  const WRITE = 1 | (1 << 5) | (1 << 10);
  const flagged = (one: IoFact, flags: number): IoFact => ({ ...one, d: flags });
  const facts = [
    flagged(fact(FACT_INSERT, 0, 100), WRITE),
    flagged(issue(4, 100), WRITE),
    issue(5, 200),
    flagged(complete(10, 100), WRITE),
    complete(11, 200),
    flagged(issue(20, 300), -1),
    flagged(complete(90, 300), -1),
  ];
  const requestsIn = (from: number, to: number, bounds?: ByteBounds, only?: number) => {
    const log = logOf(facts);
    const durations = new DurationLog(10, 0, Infinity);
    addRequests(log, durations, from, to, bounds, only);
    const { subject, ns } = durations.longest();
    return Array.from(subject, (place, i) => ({ ...requestAt(log, place), ns: ns[i] }));
  };

  it('come the longest first, with the time in the queue where that was seen', () => {
    expect(requestsIn(-Infinity, Infinity)).toMatchObject([
      { ns: 70, begin: 20, queuedNs: NaN, diskNs: 70, sector: 300, bytes: 4096, flags: '' },
      { ns: 10, begin: 0, queuedNs: 4, diskNs: 6, sector: 100, flags: 'FWS', dev: '8:0', tid: 1001 },
      { ns: 6, begin: 5, queuedNs: NaN, diskNs: 6, sector: 200, flags: 'R' },
    ]);
  });

  it('are of the range in which they completed, of a size, of a thread', () => {
    expect(requestsIn(11, 90).map(({ sector }) => sector)).toEqual([200]);
    const sized = (least: number, greatest: number) =>
      requestsIn(-Infinity, Infinity, { least, greatest }).length;
    expect([sized(0, 4095), sized(4096, 4096), sized(4097, Infinity)]).toEqual([0, 3, 0]);
    expect(requestsIn(-Infinity, Infinity, undefined, 1)).toEqual([]);
  });

  it('are of all disks', () => {
    const other = facts.map((one) => ({ ...one, a: one.a + 1 }));
    const log = logOf([...facts, ...other]);
    const durations = new DurationLog(10, 0, Infinity);
    addRequests(log, durations, -Infinity, Infinity);
    expect(durations.count).toBe(6);
    const disks = Array.from({ length: 6 }, (_, place) => requestAt(log, place));
    expect(disks.map(({ dev }) => dev)).toEqual(['8:0', '8:0', '8:0', '8:1', '8:1', '8:1']);
    expect(disks.slice(3).map(({ sector }) => sector)).toEqual(disks.slice(0, 3).map(({ sector }) => sector));
  });
});

describe('requests that are not done at once', () => {
  const flagged = (one: IoFact, flags: number): IoFact => ({ ...one, d: flags });
  const FLUSH = 1 << 10;
  const disksIn = (facts: readonly IoFact[], losses?: readonly number[]) =>
    diskUsage(
      0,
      diskLog(facts, (tid) => tid, losses),
      -Infinity,
      Infinity,
    ).disks;

  it('are as large as they were when a part of them is queued again', () => {
    const facts = [
      fact(FACT_INSERT, 0, 1000, 64),
      fact(FACT_ISSUE, 10, 1000, 64),
      fact(FACT_COMPLETE, 40, 1000, 16),
      fact(FACT_REQUEUE, 50, 1016, 48),
      fact(FACT_ISSUE, 60, 1016, 48),
      fact(FACT_COMPLETE, 90, 1016, 48),
    ];
    expect(disksIn(facts)).toMatchObject([
      { requests: 1, sectors: 64, totalQueuedNs: 10, totalLatencyNs: 80, totalAgainNs: 10, meanDepth: 1 },
    ]);
  });

  it('flush the cache, whatever sector is told, and are no writes', () => {
    const flush = (one: IoFact) => flagged({ ...one, b: 0 }, FLUSH);
    const facts = [flush(issue(0, 0)), flush(complete(30, 2 ** 64)), flush(complete(40, 2 ** 64))];
    expect(disksIn(facts)).toMatchObject([
      { requests: 1, writes: 0, flushes: 1, sectors: 0, totalLatencyNs: 30 },
    ]);
  });

  it('are found by direction, and of one sector the oldest first', () => {
    const facts = [
      issue(0, 100),
      flagged(issue(5, 100), 1),
      issue(10, 100),
      flagged(complete(20, 100), 1),
      complete(30, 100),
      complete(50, 100),
    ];
    expect(disksIn(facts)).toMatchObject([{ requests: 3, writes: 1, totalLatencyNs: 15 + 30 + 40 }]);
  });

  it('are not completed where nothing says so, also when a loss lies between', () => {
    expect(disksIn([issue(0, 100), issue(5, 200), complete(9, 200)])).toMatchObject([
      { requests: 1, notCompleted: 1 },
    ]);
    const again = [issue(0, 100), issue(20, 100), complete(29, 100)];
    expect(disksIn(again, [10])).toMatchObject([{ requests: 1, notCompleted: 1, totalLatencyNs: 9 }]);
  });

  it('have the letters of ftrace and perf', () => {
    const lettered = (one: IoFact, text: string): IoFact => ({ ...one, d: -1, text });
    const facts = ['WS', 'FF', 'R', 'DS'].flatMap((text, i) => {
      const sectors = text === 'FF' ? 0 : 8;
      const [begin, end] = [fact(FACT_ISSUE, i, i, sectors), fact(FACT_COMPLETE, i + 9, i, sectors)];
      return [lettered(begin, text), lettered(end, text)];
    });
    facts.sort((a, b) => a.time - b.time);
    expect(disksIn(facts)).toMatchObject([{ requests: 4, writes: 1, flushes: 1, discards: 1, sectors: 16 }]);
  });
});
