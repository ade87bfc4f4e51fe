import { describe, expect, it } from 'vitest';
import { sharedNames, threadLabel } from './thread-rows.ts';

describe('labels of threads', () => {
  const threads = (name: string[], idleCpu = name.map(() => -1)) =>
    ({ length: name.length, name, idleCpu: Int32Array.from(idleCpu) }) as never;

  it('have the tid of threads that share their name, also with one of another host', () => {
    const hosts = [
      { tables: { threads: threads(['apache2', 'mysqld', 'apache2', 'swapper/0'], [-1, -1, -1, 0]) } },
      { tables: { threads: threads(['mysqld', 'swapper/0', 'cron'], [-1, 0, -1]) } },
      { tables: undefined },
    ];
    const shared = sharedNames(hosts, ['worker', 'cron']);
    expect([...shared].sort()).toEqual(['apache2', 'cron', 'mysqld']);
    expect(threadLabel(shared, 'apache2', '12#2')).toBe('apache2 (12#2)');
    expect(threadLabel(shared, 'worker', '7')).toBe('worker');
    expect(threadLabel(shared, '', '7')).toBe('thread 7');
  });
});
