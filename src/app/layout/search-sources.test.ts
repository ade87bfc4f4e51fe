import { describe, expect, it } from 'vitest';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { findNamed, findRows } from './search-sources.ts';

const row = (name: string, tid: number, cpuTimeNs = 0, kind: RowInfo['kind'] = 'thread', life = '') =>
  ({ id: `${kind}:${tid}${life}`, name, tid, cpuTimeNs, events: 0, kind }) as RowInfo;
const rows = [
  row('wk-httpd', 196),
  row('http-0', 198, 5),
  row('http-1', 199, 9),
  row('curl', 19),
  row('host', 1, 0, 'host'),
];
const found = (query: string) => findRows(rows, query).map((r) => r.name);

describe('finding rows', () => {
  it('puts begins before middles, and the busiest first', () => {
    expect(found('HTTP')).toEqual(['http-1', 'http-0', 'wk-httpd']);
  });

  it('takes numbers, the exact one first', () => {
    expect(found('19')[0]).toBe('curl');
    expect(found('198')).toEqual(['http-0']);
  });

  it('takes the life of a thread whose number was used again', () => {
    const lives = [row('sh', 7), row('cc', 7, 0, 'thread', '#2')];
    expect(findRows(lives, '7').length).toBe(2);
    expect(findRows(lives, '7#2').map((r) => r.name)).toEqual(['cc']);
  });

  it('finds nothing for nothing, and no groups', () => {
    expect(found(' ')).toEqual([]);
    expect(found('host')).toEqual([]);
  });
});

it('finds things by name: the same one, then begins, then middles, else in their order', () => {
  const things = ['pread64', 'read', 'epoll_wait', 'readv', 'write'].map((name) => ({ name }));
  expect(findNamed(things, 'Read').map(({ name }) => name)).toEqual(['read', 'readv', 'pread64']);
  expect(findNamed(things, ' ')).toEqual([]);
});
