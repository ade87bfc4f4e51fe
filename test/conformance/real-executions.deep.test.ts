/**
 * What explains the slow executions of programs that nothing was put into: their ABOUT.md says what was recorded and what
 * is true of it. Skipped where the folder with recorded traces is not there.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExecutionDefinition } from '../../src/engine/layers/executions/definition.ts';
import { comparedOf } from '../../src/engine/layers/executions/ranking/compared.ts';
import { slowGroups } from '../../src/engine/layers/executions/ranking/groups.ts';
import { rankLocks, rank } from '../../src/engine/layers/executions/ranking/ranking.ts';
import { openLocal } from '../support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../support/memory-files.ts';
import { sharedDir, sharedPath } from '../support/shared.ts';

const TRACES = sharedPath('traces');

function definitionOf(begin: string, end: string, process: string): ExecutionDefinition {
  const where = [{ field: 'process', value: process }];
  return { begin, end, key: [], acrossThreads: false, where, minNs: 0 };
}

/** The slowest tenth against the faster half, and the waits for locks of all. */
async function compared(trace: string, definition: ExecutionDefinition) {
  const session = await openLocal(memoryRefs(filesOfFolder(join(TRACES, trace))));
  const { api } = session;
  const answer = await api.ask('executions', { definition });
  if (answer === undefined) throw new Error('no executions');
  // They are read behind the trace.
  await expect.poll(() => api.ask('locks', {})).toBeDefined();
  const { threads, thread, from, to } = answer;
  const locks = await api.ask('locksWithin', { rows: threads.map(({ row }) => row), thread, from, to });
  const executions = comparedOf(answer);
  const groups = slowGroups(executions.durations, 90);
  const ranking = rank(executions, groups);
  if (ranking === undefined) throw new Error('a group is empty');
  const stacks = ranking.nodes.map(({ frames }) => frames.join(';'));
  return { answer, locks, groups, ranking, stacks, ranked: rankLocks(locks, answer.length, groups) };
}

describe.skipIf(sharedDir() === undefined)('programs as they are', () => {
  it('Apache: slow requests compile scripts, and wait for the lock of OPcache', async () => {
    const definition = definitionOf('syscall_exit_accept4', 'syscall_entry_shutdown', 'apache2');
    const { answer, locks, groups, ranking, stacks, ranked } = await compared('apache-opcache', definition);
    expect(answer.length).toBe(33);
    // Nothing tells in which function; compiling is most of the time, and no wait.
    expect(stacks[0]).toBe('apache2');
    expect(ranking.threads.map(({ thread }) => thread)).toContain('→ thread apache2');
    // The lock of connections is waited for between requests only.
    expect(ranked.map(({ name }) => name)).toEqual([expect.stringMatching(/^\/tmp\/\.ZendSem\./)]);
    const [{ inA, inB, meanA, meanB, effect }] = ranked;
    expect({ inA, inB, a: groups.a.length, b: groups.b.length }).toEqual({ inA: 4, inB: 3, a: 17, b: 3 });
    expect(meanB).toBeGreaterThan(4 * meanA);
    expect(effect).toBeGreaterThan(1);
    // By ABOUT.md ten calls slept in it, each of another request: 3.2 to 28.3 ms of calls of 3.4 to 48.4 ms.
    const longest = [...locks.ns].sort((a, b) => b - a);
    expect(longest[0]).toBeGreaterThan(28.3e6);
    expect(longest[0]).toBeLessThan(48.5e6);
    expect(longest.filter((ns) => ns > 3e6)).toHaveLength(10);
  });

  it('PostgreSQL: slow statements wait for another backend that waits for its log to reach the disk', async () => {
    const definition = definitionOf('syscall_exit_recvfrom', 'syscall_entry_sendto', 'postgres');
    const { ranking, stacks, groups } = await compared('pgbench', definition);
    expect(stacks[0]).toMatch(
      /^syscall epoll_wait;→ thread postgres;syscall fdatasync;→ thread jbd2\/vdb-8;disk$/,
    );
    const [first] = ranking.nodes;
    expect(first.meanA).toBe(0);
    expect(first.inB).toBeGreaterThan(groups.b.length / 2);
    // Most of what is explained lies below a wait for another backend, that of the row lock; the rest is the disk and CPUs.
    const share = ranking.nodes
      .filter(({ frames }) => frames.join(';').startsWith('syscall epoll_wait;→ thread postgres'))
      .reduce((sum, node) => sum + node.share, 0);
    expect(share).toBeGreaterThan(0.8);
  });
});
