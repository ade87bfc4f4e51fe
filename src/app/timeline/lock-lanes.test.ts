import { expect, it } from 'vitest';
import type { RowInfo } from '../../workers/session-api.ts';
import { lockLanes, lockRows } from './lock-lanes.ts';

const row = (kind: RowInfo['kind'], id: string, parent: number) => ({ kind, id, parent }) as RowInfo;

it('rows of locks are found by their thread and by their lock, beside rows of other layers and of locks', () => {
  const rows = [
    ...[row('host', 'host:0', -1), row('process', 'process:0:7', 0), row('thread', 'thread:0:1', 1)],
    ...[row('thread', 'thread:0:2', 1), row('layer', 'overlay:0:a', 2), row('layer', 'lock:0:thread:8', 2)],
    ...[
      row('group', 'group:0:Locks', 0),
      row('layer', 'lock:0:mutex:7:0x10:ha5h', 6),
      row('layer', 'lock:0:thread:9', 3),
    ],
  ];
  expect([...lockLanes(rows)].sort()).toEqual([
    ['thread:0:1', 'lock:0:thread:8'],
    ['thread:0:2', 'lock:0:thread:9'],
  ]);
  expect(lockLanes(rows.slice(0, 4)).size).toBe(0);
  expect([...lockRows(rows)]).toEqual([['0:mutex:7:0x10', 'lock:0:mutex:7:0x10:ha5h']]);
});
