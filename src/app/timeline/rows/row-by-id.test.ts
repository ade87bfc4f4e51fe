import { expect, it } from 'vitest';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { lockLanes, lockRows } from './row-by-id.ts';

const row = (kind: RowInfo['kind'], id: string, parent: number) =>
  ({ kind, id, name: id, parent }) as RowInfo;

it('rows of locks are found by their thread and by their lock, beside other rows', () => {
  const rows = [
    ...[row('host', 'host:0', -1), row('process', 'process:0:7', 0)],
    ...[row('thread', 'thread:0:1', 1), row('layer', 'overlay:0:a', 2), row('layer', 'lock:0:thread:8:h', 2)],
    ...[row('thread', 'thread:0:2', 1), row('layer', 'lock:0:thread:9:h', 5), row('thread', 'thread:0:3', 1)],
    ...[row('group', 'lock-group:0:Locks', 0), row('layer', 'lock:0:mutex:7:0x10:h', 8)],
  ];
  expect([...lockLanes(rows)]).toEqual([
    ['thread:0:1', 'lock:0:thread:8:h'],
    ['thread:0:2', 'lock:0:thread:9:h'],
  ]);
  expect([...lockRows(rows)]).toEqual([['0:mutex:7:0x10', 'lock:0:mutex:7:0x10:h']]);
  expect(lockLanes(rows.slice(0, 4)).size).toBe(0);
});
