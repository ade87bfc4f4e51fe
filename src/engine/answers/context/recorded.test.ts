import { describe, expect, it } from 'vitest';
import { missingEvents } from './recorded.ts';

const hostsWith = (...names: readonly (readonly string[])[]) => names.map((eventNames) => ({ eventNames }));

describe('missing events', () => {
  it('are the first ones of each group of which no event class is there', () => {
    const hosts = hostsWith(['sched_wakeup', 'syscall_entry_read']);
    const groups = [['switch'], ['waking', 'wakeup'], ['syscall-entry'], ['syscall-exit']] as const;
    expect(missingEvents(hosts, groups)).toEqual(['sched_switch', 'syscall_exit_*']);
  });

  it('are there where one host has them', () => {
    expect(missingEvents(hostsWith(['a'], ['sched_switch']), [['switch']])).toEqual([]);
    expect(missingEvents([], [['switch']])).toEqual(['sched_switch']);
  });
});
