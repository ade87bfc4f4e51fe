import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { filesOfFolder, memoryRefs, withFiles } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { until } from '../../../../test/support/until.ts';
import { ok } from '../../base/fault.ts';
import { EVENT_TABLES, LAYERS } from '../../registry.ts';
import { MemoryStore } from '../../store/memory-store.ts';
import type { Experiment } from '../../trace/types.ts';
import { fingerprintOf } from '../../trace/fingerprint-of-key.ts';
import { traceKey } from './trace-key.ts';

function experimentOf(...fingerprints: readonly string[]): Experiment {
  return { hosts: [], traces: fingerprints.map((fingerprint) => ({ fingerprint })) } as unknown as Experiment;
}

it('names a trace by its files, in any order, and by how it is kept', async () => {
  const key = await traceKey(experimentOf('a', 'b'));
  expect(key).toMatch(/^[0-9a-f]{64}-[0-9a-f]{16}$/);
  expect(await traceKey(experimentOf('b', 'a'))).toBe(key);
  expect(fingerprintOf(key)).toBe(key.slice(0, 64));
  const other = await traceKey(experimentOf('a', 'c'));
  expect(fingerprintOf(other)).not.toBe(fingerprintOf(key));
  expect(other.slice(64)).toBe(key.slice(64));
});

type Table = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The tables with one text, number or pattern of them changed, each in its turn. */
function* changes(table: Table): Iterable<{ readonly changed: Table; readonly was: unknown }> {
  const withValue = (name: string, value: unknown): Table =>
    Array.isArray(table)
      ? table.map((old, i) => (String(i) === name ? value : old))
      : { ...table, [name]: value };
  for (const [name, value] of Object.entries(table)) {
    if (value instanceof RegExp) yield { changed: withValue(name, /another/), was: value };
    else if (typeof value === 'object' && value !== null)
      for (const { changed, was } of changes(value as Table))
        yield { changed: withValue(name, changed), was };
    else if (typeof value === 'string') yield { changed: withValue(name, `${value}+`), was: value };
    else if (typeof value === 'number') yield { changed: withValue(name, value + 1), was: value };
  }
}

describe('tables of events', () => {
  const tables: Record<string, Table> = EVENT_TABLES;

  // Names of tables that say which events are read, one of each where there are several.
  const NAMES: Readonly<Partial<Record<string, readonly unknown[]>>> = {
    kinds: ['sched_switch', 'sched_ttwu', 'next_pid', 'compat_sys_', 'netif_rx', 173],
    analyses: ['kernel-state', 'counts', 'lttng_statedump_process_state', 'vtid'],
    overlay: ['overlays', 'finish', 'acq', /statedump/],
    resource: ['plots', 'cpu_frequency', 'power:cpu_idle', 'sched_pi_setprio'],
    lock: [
      'locks',
      '*:pthread_mutex_lock_req',
      'acquire',
      'flock',
      'syscall_entry_futex',
      'contention_begin',
    ],
    stack: [
      'stacks',
      '*:cpu_stack',
      'callstack_user',
      'lttng_ust_cyg_profile:func_entry',
      'lttng_ust_lib:load',
    ],
    execution: ['executions', 'syscall_exit_accept4', 'syscall_entry_fsync', 'net:net_dev_queue', 'finish'],
    queue: ['queues', 'lttng_statedump_block_device'],
    interrupt: ['interrupt-rows', 'irq_handler_entry'],
    heap: ['heap', 'lttng_ust_libc:malloc', 'lttng_ust_statedump:bin_info'],
  };

  const keyBy = (changed: Record<string, Table>) => traceKey(experimentOf('a'), changed);

  it.each(Object.keys(tables))('%s: whatever is changed of it changes the key', async (name) => {
    const all = [...changes(tables[name])];
    const known = new Set(all.map(({ was }) => String(was)));
    // Beside the id of a layer.
    expect(all.length).toBeGreaterThan(1);
    const names = NAMES[name] ?? [];
    expect(names.filter((one) => !known.has(String(one)))).toEqual([]);
    const named = new Set(names.map(String));
    // Of the others some: there are thousands.
    const tried = all.filter(({ was }, i) => i % 50 === 0 || named.delete(String(was)));
    const keys = await Promise.all(tried.map(({ changed }) => keyBy({ ...tables, [name]: changed })));
    expect(new Set([...keys, await keyBy(tables)]).size).toBe(1 + tried.length);
    expect(new Set(keys.map(fingerprintOf)).size).toBe(1);
  });

  it('are those of all layers: one more or less changes the key', async () => {
    expect(Object.keys(tables)).toEqual(['kinds', 'analyses', ...Object.keys(LAYERS)]);
    expect(Object.keys(tables)).toEqual(expect.arrayContaining(Object.keys(NAMES)));
    const less = Object.fromEntries(Object.entries(tables).filter(([name]) => name !== 'heap'));
    const keys = await Promise.all([tables, { ...tables, other: [] }, less].map(keyBy));
    expect(new Set(keys).size).toBe(3);
  });
});

/** A program whose table of kinds has one more name for switches of threads: its modules are loaded anew. */
async function programWith(alias?: string) {
  vi.resetModules();
  if (alias !== undefined)
    vi.doMock('../../trace/event-kinds.ts', async (original) => {
      const actual = await original<typeof import('../../trace/event-kinds.ts')>();
      (actual.EVENT_KINDS.switch.events as unknown as string[]).push(alias);
      return actual;
    });
  return import('../../../../test/support/local-session.ts');
}

describe('a trace that was kept before its event was known', () => {
  const ALIAS = 'sched_swatch';
  const example = filesOfFolder(join(projectDir(), 'public/examples/disk-io'));
  const path = [...example.keys()].find((one) => one.endsWith('metadata')) ?? '';
  const renamed = Buffer.from(example.get(path) ?? [])
    .toString('latin1')
    .replace('"sched_switch"', `"${ALIAS}"`);
  const files = memoryRefs(withFiles(example, { [path]: Buffer.from(renamed, 'latin1') }));

  afterEach(() => {
    vi.doUnmock('../../trace/event-kinds.ts');
    vi.resetModules();
  });

  it('is read anew by a program that knows it, and the old one goes', async () => {
    const store = new MemoryStore();
    const before = (await programWith()).localSession({ store: ok(store), layers: {} });
    const { info: old } = await before.open(files);
    const unknown = await before.api.ask('cpu', {});
    expect(unknown.missing).toContain('sched_switch');
    expect(unknown.cpus[0]).toMatchObject({ switches: 0, idle: 0 });
    await before.api.close();

    const after = (await programWith(ALIAS)).localSession({ store: ok(store), layers: {} });
    expect(await after.reopen(old.key)).toMatchObject({ ok: false, fault: { code: 'store-damaged' } });
    const { info } = await after.open(files);
    expect([info.fromStore, fingerprintOf(info.key)]).toEqual([false, fingerprintOf(old.key)]);
    expect(info.key).not.toBe(old.key);
    await until(async () => (await store.list()).every(({ key }) => key === info.key));
    const { missing, cpus } = await after.api.ask('cpu', {});
    expect(missing).not.toContain('sched_switch');
    expect(cpus[0]).toMatchObject({ switches: 276, idle: expect.closeTo(909e6, -7) as number });
    await after.api.close();
    // By the same tables it is not read again.
    expect(await after.reopen(info.key)).toMatchObject({ ok: true });
  });
});
