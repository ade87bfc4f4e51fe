import { expect, it } from 'vitest';
import type { EventLine } from '../../engine/protocol/events.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import type { HostInfo } from '../../engine/protocol/session.ts';
import { filterOfRow } from './show-events.ts';
import { rowOfEvent } from './events-state.ts';

const row = (kind: RowInfo['kind'], id: string, name = '', host = 0) => ({ kind, id, name, host }) as RowInfo;
const event = (cpu: number, common: string, host = 0): EventLine => ({
  timeNs: 0,
  host,
  stream: 'channel_1',
  cpu,
  name: 'e',
  fields: { common, context: '-', payload: '{}' },
});

it('an event lies in the row of its CPU, else of its thread, else of its stream', () => {
  const rows = [
    row('cpu', 'cpu:0:1'),
    row('thread', 'thread:0:10.12'),
    row('thread', 'thread:0:-1.13'),
    row('stream', 'stream:1:0.0', 'channel_1', 1),
    row('stream', 'stream:0:0.0', 'channel_1', 0),
  ];
  expect(rowOfEvent(rows, event(1, '{"vpid":10,"vtid":12}'))).toBe('cpu:0:1');
  expect(rowOfEvent(rows, event(0, '{"vpid":10,"vtid":12}'))).toBe('thread:0:10.12');
  expect(rowOfEvent(rows, event(0, '{"vtid":13}'))).toBe('thread:0:-1.13');
  expect(rowOfEvent(rows, event(0, '{"procname":"\\"vtid\\":13"}'))).toBe('stream:0:0.0');
  expect(rowOfEvent(rows, event(-1, '-', 1))).toBe('stream:1:0.0');
  expect(rowOfEvent(rows, event(-1, '-', 2))).toBeUndefined();
});

it('an event of one of many threads lies in the row of those that have none', () => {
  const rows = [row('more-threads', 'more-threads:0')];
  expect(rowOfEvent(rows, event(0, '{"vpid":10,"vtid":99999}'))).toBe('more-threads:0');
});

const HOSTS = [
  { index: 0, name: 'client' },
  { index: 1, name: 'a "server"' },
] as readonly Partial<HostInfo>[] as readonly HostInfo[];
const rowOf = (parts: Partial<RowInfo>) => ({ host: 0, ...parts }) as RowInfo;

it('the filter of a row is by the number of a thread, a process or a CPU', () => {
  const [host] = HOSTS;
  expect(filterOfRow(rowOf({ kind: 'thread', tid: 7, pid: 5 }), [host])).toBe('tid=7');
  expect(filterOfRow(rowOf({ kind: 'process', tid: 5, pid: 5 }), [host])).toBe('pid=5');
  expect(filterOfRow(rowOf({ kind: 'cpu', cpu: 3 }), [host])).toBe('cpu=3');
  expect(filterOfRow(rowOf({ kind: 'host' }), [host])).toBeUndefined();
  expect(filterOfRow(rowOf({ kind: 'thread' }), [host])).toBeUndefined();
});

it('the filter of a row names the host where there are several', () => {
  expect(filterOfRow(rowOf({ kind: 'thread', tid: 7, host: 1 }), HOSTS)).toBe(
    'tid=7 and host="a \\"server\\""',
  );
});
