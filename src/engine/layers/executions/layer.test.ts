import { expect, it } from 'vitest';
import type { EventShape } from '../contract/event-shapes.ts';
import { executionCandidates } from './layer.ts';
import type { ExecutionDefinition } from './definition.ts';

/** @param counts of events by name; those of the kernel begin with `syscall_` */
function candidatesOf(counts: Readonly<Record<string, number>>, shown: readonly string[] = []) {
  const events = Object.keys(counts).map((name): EventShape => {
    const isOfKernel = name.startsWith('syscall_');
    return { name, domain: isOfKernel ? 'kernel' : 'ust', fields: isOfKernel ? [] : ['size', 'id'] };
  });
  const [ofPrograms, requests, longCalls] = executionCandidates({
    events,
    countOf: (event) => counts[event] ?? 0,
    isShown: (event) => shown.includes(event),
  });
  const ofCalls = [...requests, ...longCalls];
  const namesOf = (definitions: readonly ExecutionDefinition[]) =>
    definitions.map(({ begin, end }) => `${begin} ${end}`);
  return { ofPrograms, ofCalls, programs: namesOf(ofPrograms), calls: namesOf(ofCalls) };
}

it('pairs recorded events of programs by name, those with most first', () => {
  const { ofPrograms, programs } = candidatesOf({
    'a:begin': 5,
    'a:end': 5,
    'b:job_start': 9,
    'b:job_stop': 8,
    'c:entry': 9,
    'c:exit': 0,
  });
  expect(programs).toEqual(['b:job_start b:job_stop', 'a:begin a:end']);
  expect(ofPrograms[0]).toMatchObject({ key: ['id'], acrossThreads: false, where: [], minNs: 0 });
});

it('leaves out what the tracer does and what a layer shows', () => {
  const counts = {
    'lttng_ust_dl:open_entry': 3,
    'lttng_ust_dl:open_exit': 3,
    'm:lock_req': 3,
    'm:lock_acq': 3,
  };
  expect(candidatesOf(counts).programs).toEqual(['m:lock_req m:lock_acq']);
  expect(candidatesOf(counts, ['m:lock_req', 'm:lock_acq']).programs).toEqual([]);
});

it('has requests of servers and long reads', () => {
  const calls = { syscall_exit_accept4: 4, syscall_entry_close: 9, syscall_entry_shutdown: 0 };
  expect(candidatesOf(calls).calls).toEqual(['syscall_exit_accept4 syscall_entry_close']);
  const { ofCalls } = candidatesOf({
    ...calls,
    syscall_entry_shutdown: 4,
    syscall_entry_read: 7,
    syscall_exit_read: 7,
  });
  expect(ofCalls).toMatchObject([
    { begin: 'syscall_exit_accept4', end: 'syscall_entry_shutdown', minNs: 0 },
    { begin: 'syscall_entry_read', end: 'syscall_exit_read', minNs: 1e6 },
  ]);
});

it('has messages of servers that keep their connections', () => {
  const calls = { syscall_exit_recvfrom: 9, syscall_entry_sendto: 9, syscall_exit_accept: 2 };
  expect(candidatesOf({ ...calls, syscall_entry_close: 2 }).calls).toEqual([
    'syscall_exit_accept syscall_entry_close',
    'syscall_exit_recvfrom syscall_entry_sendto',
  ]);
});

it('are few', () => {
  const names = [...'abcdefgh'].flatMap((name) => [`${name}:begin`, `${name}:end`]);
  const { programs, calls } = candidatesOf(
    Object.fromEntries([...names, 'syscall_entry_read', 'syscall_exit_read'].map((name) => [name, 2])),
  );
  expect([programs.length, calls.length]).toEqual([6, 0]);
});
