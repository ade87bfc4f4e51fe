/**
 * Time that the history leaves out: a thread of which nothing is left is dead, up to the end of its life in the tables.
 */
import type { Interval } from '../../../history/query-types.ts';
import { STATE_DEAD } from '../../events/values.ts';
import type { ThreadRows } from './kernel-tables.ts';

export type StateInterval = Pick<Interval, 'from' | 'to' | 'value'>;

/** The state intervals of a thread that the history gave, and behind them the one in which it is dead. */
export function withDeadTime(
  intervals: readonly StateInterval[],
  { closedAt, last }: ThreadRows,
  thread: number,
): readonly StateInterval[] {
  const [from, to] = [closedAt[thread], last[thread]];
  return from < to ? [...intervals, { from, to, value: STATE_DEAD }] : intervals;
}

/** ns of [from, to) in which a thread is dead. */
export function deadTime({ closedAt, last }: ThreadRows, thread: number, from: number, to: number): number {
  const begin = Math.max(from, closedAt[thread]);
  const end = Math.min(to, last[thread]);
  return begin < end ? end - begin : 0;
}
