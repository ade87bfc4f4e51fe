import { describe, expect, it } from 'vitest';
import { packTexts } from '../../../engine/base/text-writer.ts';
import {
  STATE_BLOCKED_S,
  STATE_DEAD,
  STATE_KERNEL,
  STATE_UNKNOWN,
  STATE_USER,
  STATE_WOKEN,
  THREAD_STATES,
} from '../../../engine/linux/events/values.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { rowsInView } from './rows-in-view.ts';
import { plainRow } from '../../../../test/support/timeline/plain-row.ts';

const row = (id: string, parent: number, kind: RowInfo['kind'], more: Partial<RowInfo> = {}) =>
  plainRow(id, parent, kind, { attribute: kind === 'thread' ? 1 : -1, lastNs: 100, ...more });

const ROWS = [
  row('host', -1, 'host'),
  row('web', 0, 'process'),
  row('ran', 1, 'thread'),
  row('ready', 1, 'thread'),
  row('db', 0, 'process'),
  row('waits', 4, 'thread'),
  row('lock', 5, 'layer'),
  row('ended', 0, 'thread'),
  row('lost', 0, 'thread'),
  row('of events', 0, 'thread', { attribute: -1, firstNs: 0, lastNs: 10 }),
  row('later', 0, 'stream', { firstNs: 40, lastNs: 90 }),
];

function statesOf(threads: Readonly<Record<string, readonly (readonly [number, number])[]>>) {
  const length = Object.keys(threads).length;
  const states = new Float64Array(length * THREAD_STATES.length);
  Object.values(threads).forEach((times, i) => {
    for (const [state, ns] of times) states[i * THREAD_STATES.length + state] = ns;
  });
  return { length, row: packTexts(Object.keys(threads)), states };
}

describe('rows in view', () => {
  const threads = statesOf({
    ran: [
      [STATE_USER, 3],
      [STATE_KERNEL, 2],
      [STATE_BLOCKED_S, 15],
    ],
    ready: [
      [STATE_WOKEN, 1],
      [STATE_BLOCKED_S, 19],
    ],
    waits: [[STATE_BLOCKED_S, 20]],
    ended: [[STATE_DEAD, 20]],
    lost: [[STATE_UNKNOWN, 20]],
    'not in the list': [[STATE_USER, 20]],
  });
  const { onCpuNs, isActive } = rowsInView(ROWS, threads, { from: 20, to: 40 });
  const active = ROWS.filter((_, i) => isActive[i] === 1).map(({ id }) => id);

  it('are active where they ran, were ready, or nothing is known, and so are groups of such', () => {
    expect(active).toEqual(['host', 'web', 'ran', 'ready', 'lock', 'lost', 'later']);
  });

  it('have the time on CPU, of groups the sum', () => {
    expect([...onCpuNs]).toEqual([5, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0]);
  });
});
