/** Proposals for recorded traces, as the page asks for them; their ABOUT.md says what was recorded. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LocalSession, openLocal } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir, sharedDir, sharedPath } from '../../../../test/support/shared.ts';
import { DEEP } from '../../../../test/support/tier.ts';
import type { ExecutionDefinition } from '../../layers/executions/definition.ts';

async function opened(path: string): Promise<LocalSession> {
  const session = await openLocal(memoryRefs(filesOfFolder(path)));
  return session;
}

const example = (name: string) => opened(join(projectDir(), 'public/examples', name));

const FUTEXES: ExecutionDefinition = {
  begin: 'syscall_entry_futex',
  end: 'syscall_exit_futex',
  key: [],
  acrossThreads: false,
  where: [],
  minNs: 0,
};

it('pairs the events of a program, and shows what they come to', async () => {
  const { api } = await example('executions-lock');
  const [requests] = await api.ask('executionProposals', {});
  expect(requests).toMatchObject({
    definition: { begin: 'wk_req:begin', end: 'wk_req:end', key: ['id'], acrossThreads: false },
    counts: { executions: 300, withoutEnd: 0, withoutBegin: 0, nested: 0 },
  });
  const found = await api.ask('executions', { definition: requests.definition });
  const durations = found?.from.map((from, i) => found.to[i] - from).sort();
  expect(requests.durations).toEqual(durations);
});

it('reads events once, and keeps those that were chosen', async () => {
  const { api, started } = await example('executions-lock');
  const opening = started();
  const [futexes, [requests]] = await Promise.all([
    api.ask('executions', { definition: FUTEXES }),
    api.ask('executionProposals', {}),
  ]);
  expect(futexes?.length).toBeGreaterThan(0);
  expect(requests.counts.executions).toBe(300);
  const reading = started();
  expect(reading).toBeGreaterThan(opening);
  const again = await api.ask('executions', { definition: FUTEXES });
  expect(again?.from).toEqual(futexes?.from);
  const longer = { ...requests.definition, minNs: 5e6 };
  const slow = await api.ask('executions', { definition: longer });
  expect(slow?.length).toBe(requests.durations.filter((ns) => ns >= 5e6).length);
  expect((await api.ask('executionProposals', {}))[0]).toEqual(requests);
  expect(started()).toBe(reading);
});

it('leaves locks to their layer', async () => {
  const { api } = await example('lockfight-mutex');
  const proposals = await api.ask('executionProposals', {});
  expect(proposals.filter(({ definition }) => definition.begin.startsWith('lttng_ust'))).toEqual([]);
});

if (DEEP)
  describe.skipIf(sharedDir() === undefined)('of traces of the kernel alone', () => {
    const trace = (name: string) => opened(sharedPath('traces', name));

    it('begins with the requests of a server', async () => {
      const { api } = await trace('apache-opcache');
      const [requests, ...longCalls] = await api.ask('executionProposals', {});
      // Six rounds of five requests, and three of `/reset.php`.
      expect(requests).toMatchObject({
        definition: { begin: 'syscall_exit_accept4', end: 'syscall_entry_shutdown' },
        counts: { executions: 33 },
      });
      expect(longCalls.map(({ definition: { begin, minNs } }) => [begin, minNs])).toContainEqual([
        'syscall_entry_read',
        1e6,
      ]);
    });

    it('has messages of each program, and calls that took long, those that most did first', async () => {
      const { api } = await trace('pgbench');
      const proposals = await api.ask('executionProposals', {});
      const messages = proposals.slice(0, 2);
      expect(messages).toMatchObject(
        ['pgbench', 'postgres'].map((value) => ({
          definition: {
            begin: 'syscall_exit_recvfrom',
            end: 'syscall_entry_sendto',
            where: [{ field: 'process', value }],
          },
        })),
      );
      // 36 transactions of seven messages each, and what opens the connections.
      for (const { counts } of messages) expect(counts.executions).toBeGreaterThan(36 * 7);
      const long = proposals.slice(2);
      // Each transaction waits for the log to reach the disk.
      expect(long[0].definition.begin).toBe('syscall_entry_fdatasync');
      const executions = long.map(({ counts }) => counts.executions);
      expect(executions).toEqual([...executions].sort((a, b) => b - a));
      for (const { durations } of long) {
        expect(durations.length).toBeGreaterThan(1);
        expect(durations[0]).toBeGreaterThanOrEqual(1e6);
      }
    });
  });
