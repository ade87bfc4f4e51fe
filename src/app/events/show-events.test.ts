import { expect, it } from 'vitest';
import type { HostInfo } from '../../engine/protocol/session.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { filterOfRow } from './show-events.ts';

const HOSTS = [
  { index: 0, name: 'client' },
  { index: 1, name: 'a "server"' },
] as readonly Partial<HostInfo>[] as readonly HostInfo[];
const row = (parts: Partial<RowInfo>) => ({ host: 0, ...parts }) as RowInfo;

it('is by the number of a thread, a process or a CPU', () => {
  const [host] = HOSTS;
  expect(filterOfRow(row({ kind: 'thread', tid: 7, pid: 5 }), [host])).toBe('tid=7');
  expect(filterOfRow(row({ kind: 'process', tid: 5, pid: 5 }), [host])).toBe('pid=5');
  expect(filterOfRow(row({ kind: 'cpu', cpu: 3 }), [host])).toBe('cpu=3');
  expect(filterOfRow(row({ kind: 'host' }), [host])).toBeUndefined();
  expect(filterOfRow(row({ kind: 'thread' }), [host])).toBeUndefined();
});

it('names the host where there are several', () => {
  expect(filterOfRow(row({ kind: 'thread', tid: 7, host: 1 }), HOSTS)).toBe(
    'tid=7 and host="a \\"server\\""',
  );
});
