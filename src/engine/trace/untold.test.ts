import { describe, expect, it } from 'vitest';
import { callBegun, callOf, isKind } from './event-kinds.ts';
import { halfOfCalls, missingHalf } from './untold.ts';
import type { Trace } from './types.ts';

type Model = Trace['model'];

const modelOf = (...names: readonly string[]): Model =>
  ({ streams: [{ events: names.map((name) => ({ name })) }] }) as unknown as Model;

describe('names of system calls', () => {
  it.each([
    ['syscall_entry_read', 'read'],
    ['compat_syscall_entry_read', 'read'],
    ['sys_enter_read', 'read'],
    ['syscalls:sys_enter_read', 'read'],
    ['sys_read', 'read'],
    ['sys_exit_group', 'exit_group'],
    ['sys_enter_exit_group', 'exit_group'],
  ])('%s begins %s', (name, call) => {
    expect([callBegun(name), callOf(name), isKind('syscall-exit', name)]).toEqual([call, call, false]);
  });

  it.each([
    ['syscall_exit_read', 'read'],
    ['compat_syscall_exit_read', 'read'],
    ['sys_exit_read', 'read'],
    ['syscalls:sys_exit_read', 'read'],
    ['sys_exit_exit_group', 'exit_group'],
    ['sys_exit', ''],
    ['raw_syscalls:sys_exit', ''],
    ['exit_syscall', ''],
  ])('%s returns from "%s"', (name, call) => {
    expect([callBegun(name), callOf(name), isKind('syscall-exit', name)]).toEqual(['', call, true]);
    expect(isKind('syscall-entry', name)).toBe(false);
  });

  it.each(['sys_enter', 'raw_syscalls:sys_enter'])('%s gives a number', (name) => {
    expect([isKind('raw-call', name), isKind('syscall-entry', name), callOf(name)]).toEqual([
      true,
      false,
      '',
    ]);
  });
});

describe('the half that is missing', () => {
  it.each([
    [[], 'all'],
    [['sched_switch'], 'all'],
    [['syscall_entry_read', 'syscall_exit_write'], 'none'],
    [['sys_enter', 'sys_exit'], 'none'],
    [['sys_read', 'exit_syscall'], 'none'],
    [['sys_enter_read'], 'exits'],
    [['sys_exit_read'], 'entries'],
    // Of an old LTTng it is a call.
    [['sys_exit', 'exit_syscall'], 'none'],
    [['sys_exit'], 'entries'],
  ] as const)('%j: %s', (names, half) => expect(missingHalf(modelOf(...names))).toBe(half));

  it('is said of the traces of kernels', () => {
    const trace = { domain: 'kernel', path: 'k', streams: [{}], model: modelOf('sys_enter_read') };
    expect(halfOfCalls(trace as unknown as Trace)).toEqual([
      {
        code: 'calls-half-recorded',
        place: { file: 'k' },
        expected: 'both ends of system calls',
        found: 'no event at which one returns',
      },
    ]);
    expect(halfOfCalls({ ...trace, domain: 'ust' } as unknown as Trace)).toEqual([]);
    expect(halfOfCalls({ ...trace, model: modelOf('a') } as unknown as Trace)).toEqual([]);
  });
});
