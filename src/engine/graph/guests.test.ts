import { describe, expect, it } from 'vitest';
import { scenario, tell } from '../../../test/support/scenario.ts';
import type { KernelTables } from '../linux/states/reduce/kernel-tables.ts';
import { findGuests, type GuestChoice, type MachineId, machinesFor } from './guests.ts';

/** A host with events on its CPUs 0 … cpus-1, whose machines are processes (by pid) with so many CPUs. */
function tablesOf(cpus: number, machines: Readonly<Record<number, number>> = {}): KernelTables {
  const story = scenario();
  for (let cpu = 0; cpu < cpus; cpu++) story.switch(0, cpu, 0, 0, 0);
  for (const [pid, vcpus] of Object.entries(machines)) {
    const process = { pid: Number(pid), ppid: 1, name: `vm-${pid}`, type: 0 };
    story.add(1, 0, 'lttng_statedump_process_state', { tid: Number(pid), ...process });
    for (let vcpu = 0; vcpu < vcpus; vcpu++) {
      const tid = Number(pid) + 1 + vcpu;
      story
        .add(1, 0, 'lttng_statedump_process_state', { tid, ...process })
        .switch(10 * tid, 0, 0, 0, tid)
        .add(10 * tid + 1, 0, 'kvm_entry', { vcpu_id: vcpu })
        .switch(10 * tid + 2, 0, tid, 1, 0);
    }
  }
  return tell(story, 100_000).tables;
}

/** `GUEST=HOST:PID`, `GUEST=?` of each host of which something is said. */
function found(tables: readonly KernelTables[], choices?: readonly GuestChoice[]): string[] {
  const guests = findGuests(
    tables.map((each, index) => ({ index, tables: each })),
    choices,
  );
  return guests.map(({ guest, machine }) => `${guest}=${machine ? `${machine.host}:${machine.pid}` : '?'}`);
}

describe('machines of a host', () => {
  it('are processes whose threads entered a guest as its CPUs', () => {
    const machines = machinesFor(9, [{ index: 4, tables: tablesOf(4, { 100: 2, 200: 1 }) }]);
    expect(machines.map(({ host, pid, name, threads }) => [host, pid, name, [...threads.keys()]])).toEqual([
      [4, 100, 'vm-100', [0, 1]],
      [4, 200, 'vm-200', [0]],
    ]);
  });

  it('are not known by threads whose process was not told, nor by the idle thread', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, 50)
      .add(1, 0, 'kvm_entry', { vcpu_id: 0 })
      .switch(2, 0, 50, 1, 0)
      .add(3, 0, 'kvm_entry', { vcpu_id: 1 });
    expect(machinesFor(1, [{ index: 0, tables: tell(story, 10).tables }])).toEqual([]);
  });
});

describe('a host', () => {
  const host = tablesOf(4, { 100: 2 });

  it('is the machine with the same CPUs, where only one is', () => {
    expect(found([tablesOf(2), host])).toEqual(['0=1:100']);
    expect(found([host, tablesOf(2)])).toEqual(['1=0:100']);
    expect(found([tablesOf(3), host])).toEqual([]);
    expect(found([tablesOf(2), tablesOf(4)])).toEqual([]);
    expect(found([tablesOf(2), tablesOf(1), tablesOf(4, { 100: 2, 200: 1 })])).toEqual([
      '0=2:100',
      '1=2:200',
    ]);
  });

  it('is not told where several machines or hosts are alike', () => {
    expect(found([tablesOf(2), tablesOf(4, { 100: 2, 200: 2 })])).toEqual(['0=?']);
    expect(found([tablesOf(2), tablesOf(2), host])).toEqual(['0=?', '1=?']);
  });

  it('that runs machines is none itself', () => {
    expect(found([tablesOf(2, { 300: 1 }), host])).toEqual([]);
  });

  it('is what the user says, which tells of others too', () => {
    const machine: MachineId = { host: 1, pid: 200 };
    const two = tablesOf(4, { 100: 2, 200: 2 });
    expect(found([tablesOf(2), two], [{ guest: 0, machine }])).toEqual(['0=1:200']);
    expect(found([tablesOf(2), two, tablesOf(2)], [{ guest: 0, machine }])).toEqual(['0=1:200', '2=1:100']);
    expect(found([tablesOf(2), host, tablesOf(2)], [{ guest: 0, machine: undefined }])).toEqual([
      '0=?',
      '2=1:100',
    ]);
    expect(found([tablesOf(8), host], [{ guest: 0, machine: { host: 1, pid: 100 } }])).toEqual(['0=1:100']);
    expect(found([tablesOf(2), host], [{ guest: 0, machine: { host: 1, pid: 999 } }])).toEqual(['0=?']);
  });
});
