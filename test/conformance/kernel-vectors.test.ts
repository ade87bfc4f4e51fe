/**
 * Vectors of other tools (what they are: golden/README). Where this program means something else, the difference is
 * listed in docs/validation.md and encoded here, so that nothing else may differ.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STATE_MEANINGS } from '../../src/engine/kernel/state-map.ts';
import { stateOf } from '../../src/engine/kernel/values.ts';
import { batchesOf, streamsOf } from '../support/batches.ts';
import type { PlainEvent } from '../support/batches.ts';
import { sharedDir } from '../support/shared.ts';
import { runStates } from '../support/state-run.ts';
import type { StateRun } from '../support/state-run.ts';

const shared = sharedDir();

interface StatusFixture {
  readonly events: readonly PlainEvent[];
  readonly rows: readonly {
    readonly tid: number;
    readonly states: readonly {
      start: number;
      duration: number;
      status: string | null;
      syscall: string | null;
    }[];
  }[];
  readonly queries: Readonly<
    Record<string, readonly { readonly args: readonly number[]; readonly result: unknown }[]>
  >;
}

function fixture<T>(file: string, id: string): T {
  const { fixtures } = JSON.parse(readFileSync(join(shared ?? '', 'golden', file), 'utf8'));
  return fixtures.find((candidate: { id: string }) => candidate.id === id);
}

/** The statuses of the vectors that each state number stands for. */
const STATUS: readonly (string | null)[] = [
  'Wait', // unknown: the state dump's status gives no state here
  'Usermode',
  'System call',
  'Interrupted',
  'Wait for CPU',
  'Wait for CPU',
  'Wait blocked',
  'Wait blocked',
  'Wait',
  'Wait',
  'Wait',
  'Wait for CPU', // new
  null, // zombie
  null,
];

describe.skipIf(shared === undefined)('thread_status', () => {
  const vectors =
    shared === undefined ? undefined : fixture<StatusFixture>('kernel-state-vectors.json', 'thread_status');
  const events = (vectors?.events ?? []).map((event) => withoutType(event));
  const run = () => runStates(batchesOf(streamsOf(events), STATE_MEANINGS), { kernelRelease: '4.4.0' }, 81);

  test('states of every thread', () => {
    const states = run();
    for (const { tid, states: expected } of vectors?.rows ?? []) {
      const found = expected.map(({ start, duration }) => statusOver(states, tid, start, start + duration));
      expect(found, `thread ${tid}`).toEqual(expected.map(({ status, syscall }) => ({ status, syscall })));
    }
  });

  test('current threads', () => {
    const { history, tables } = run();
    for (const { args, result } of vectors?.queries['thread_on_cpu(cpu,t)'] ?? []) {
      const [cpu, time] = args;
      const at = history.intervals(`cpus/${cpu}/thread`).find(({ from, to }) => from <= time && time < to);
      const tid = at === undefined || at.value === 0 ? null : tables.threads.tid[at.value - 1];
      expect(tid, `CPU ${cpu} at ${time}`).toBe(result);
    }
  });

  test('pid and parent', () => {
    const { threads } = run().tables;
    const known = Array.from(threads.tid, (tid, i) => [tid, threads.pid[i], threads.ppid[i]]);
    expect(known.sort((a, b) => a[0] - b[0])).toEqual([
      [10, 10, 0],
      [11, 10, 10],
      [12, 10, 11],
      [20, 20, 0],
      [21, 20, 20],
      [30, 30, 0],
      [100, -1, -1],
    ]);
  });
});

/** The vectors give every thread type 1, which LTTng writes for kernel threads: those are never in user mode. */
function withoutType(event: PlainEvent): PlainEvent {
  const fields = { ...event.fields };
  delete fields.type;
  return { ...event, fields };
}

/** The one status and call that a thread has over [from, to). */
function statusOver(run: StateRun, tid: number, from: number, to: number) {
  const inside = (path: string) => run.history.intervals(path).filter((i) => i.from < to && i.to > from);
  const statuses = new Set(inside(`threads/${tid}/state`).map(({ value }) => STATUS[stateOf(value)]));
  const calls = inside(`threads/${tid}/syscall`).map(({ value }) => run.history.texts[value]);
  expect(statuses.size, `thread ${tid} from ${from} to ${to}`).toBeLessThanOrEqual(1);
  return { status: [...statuses][0] ?? null, syscall: calls[0] ?? null };
}
