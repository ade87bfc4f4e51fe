import { describe, expect, it } from 'vitest';
import type { RowInfo } from '../../workers/session-api.ts';
import { findRows } from './row-search.ts';

const row = (name: string, tid: number, cpuTimeNs = 0, kind: RowInfo['kind'] = 'thread') =>
  ({ id: `${kind}:${tid}`, name, tid, cpuTimeNs, events: 0, kind }) as RowInfo;
const rows = [
  row('wk-httpd', 196),
  row('http-0', 198, 5),
  row('http-1', 199, 9),
  row('curl', 19),
  row('host', 1, 0, 'host'),
];
const found = (query: string) => findRows(rows, query, 3).map((r) => r.name);

describe('finding rows', () => {
  it('puts begins before middles, and the busiest first', () => {
    expect(found('HTTP')).toEqual(['http-1', 'http-0', 'wk-httpd']);
  });

  it('takes numbers, the exact one first', () => {
    expect(found('19')[0]).toBe('curl');
    expect(found('198')).toEqual(['http-0']);
  });

  it('finds nothing for nothing, and no groups', () => {
    expect(found(' ')).toEqual([]);
    expect(found('host')).toEqual([]);
  });
});
