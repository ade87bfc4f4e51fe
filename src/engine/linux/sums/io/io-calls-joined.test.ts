import { expect, test } from 'vitest';
import { tableOf } from '../../../base/tables.ts';
import { CALL_UNNAMED, ioCallOf, nameOfCall } from './io-calls.ts';
import { joinCalls } from './io-calls-joined.ts';
import { CALLS, FACTS } from './io-chunk.ts';

interface Call {
  readonly call: number;
  readonly entry: number;
  readonly exit: number;
}

const READ = ioCallOf('read');
const TID = 7;

/** Names and ends of the calls of one thread in one chunk that ended. */
function endedOf(rows: readonly Call[]): (readonly [name: string, exit: number])[] {
  const calls = { ...tableOf(CALLS, rows.length), length: rows.length };
  for (const [i, { call, entry, exit }] of rows.entries()) {
    calls.thread[i] = TID;
    calls.call[i] = call;
    calls.entry[i] = entry;
    calls.exit[i] = exit;
    calls.path[i] = -1;
  }
  const facts = { ...tableOf(FACTS, 0), length: 0 };
  const part = { calls, facts, texts: [], changed: false, beginThread: TID, endThread: TID };
  const uncut = { ...part, pending: -1, closing: -1, endsPending: true };
  const stream = { rank: 0, first: 0, last: 0, host: 0, cpu: 0 };
  const joined = joinCalls([{ ...stream, switchesElsewhere: false, parts: [uncut] }], () => TID);
  return Array.from(joined.ended, (row) => [nameOfCall(joined.call[row]), joined.exit[row]]);
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
