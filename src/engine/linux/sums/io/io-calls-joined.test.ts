import { expect, test } from 'vitest';
import { tableOf } from '../../../base/tables.ts';
import { CALL_UNNAMED, ioCallOf, nameOfCall } from './io-calls.ts';
import { joinCalls } from './io-calls-joined.ts';
import { CALLS, FACTS, type IoPart } from './io-chunk.ts';

interface Call {
  readonly call: number;
  readonly entry: number;
  readonly exit: number;
}

const READ = ioCallOf('read');
const TID = 7;

/** Calls of one thread in one chunk; what its ends cut of them is said by `ends`. */
function partOf(rows: readonly Call[], ends: Partial<IoPart> = {}): IoPart {
  const calls = { ...tableOf(CALLS, rows.length), length: rows.length };
  for (const [i, { call, entry, exit }] of rows.entries()) {
    calls.thread[i] = TID;
    calls.call[i] = call;
    calls.entry[i] = entry;
    calls.exit[i] = exit;
    calls.path[i] = -1;
  }
  const facts = { ...tableOf(FACTS, 0), length: 0 };
  const threads = { changed: false, beginThread: TID, endThread: TID };
  return { calls, facts, texts: [], ...threads, pending: -1, closing: -1, endsPending: true, ...ends };
}

function joined(...streams: readonly (readonly IoPart[])[]) {
  const stream = { first: 0, last: 0, host: 0, switchesElsewhere: false };
  return joinCalls(
    streams.map((parts, cpu) => ({ ...stream, rank: cpu, cpu, parts })),
    () => TID,
  );
}

/** Names and ends of the calls of one thread in one chunk that ended. */
function endedOf(rows: readonly Call[]): (readonly [name: string, exit: number])[] {
  const { ended, call, exit } = joined([partOf(rows)]);
  return Array.from(ended, (row) => [nameOfCall(call[row]), exit[row]]);
}

test('an exit that does not say of what ends the call that its thread is in', () => {
  const rows = [
    { call: READ, entry: 10, exit: NaN },
    { call: CALL_UNNAMED, entry: NaN, exit: 20 },
  ];
  expect(endedOf(rows)).toEqual([['read', 20]]);
});

test('a call whose name nobody knows does not count, nor does one that did not end', () => {
  const rows = [
    { call: CALL_UNNAMED, entry: NaN, exit: 20 },
    { call: READ, entry: 30, exit: 40 },
    { call: READ, entry: 50, exit: NaN },
  ];
  expect(endedOf(rows)).toEqual([['read', 40]]);
});

test('a call that the border of two chunks cuts is one, whatever its thread seems to do on another CPU meanwhile', () => {
  const begun = partOf([{ call: READ, entry: 10, exit: NaN }], { pending: 0 });
  const other = partOf([{ call: READ, entry: 12, exit: 14 }]);
  const ends = partOf([{ call: READ, entry: NaN, exit: 20 }], { closing: 0 });
  const idle = partOf([], { endsPending: false });
  const { ended, entry, exit } = joined([begun, idle, ends], [other]);
  expect(Array.from(ended, (row) => [entry[row], exit[row]])).toEqual([
    [12, 14],
    [10, 20],
  ]);
});
