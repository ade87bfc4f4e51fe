/** How CPUs were used, by made-up statistics. */
import { expect, it } from 'vitest';
import { openLocal } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { packTexts } from '../../base/text-writer.ts';
import { STATE_USER, THREAD_STATES } from '../../linux/events/values.ts';
import type { CpuStat, CpuStats, ThreadCpuStats } from '../../protocol/statistics.ts';
import type { Facts } from './facts.ts';
import { saturated } from './load-measures.ts';

const NONE = {
  idle: 0,
  user: 0,
  kernel: 0,
  guest: 0,
  running: 0,
  hardirq: 0,
  softirq: 0,
  timer: 0,
  unknown: 0,
  switches: 0,
};
const cpuOf = (host: number, cpu: number, times: Partial<CpuStat>): CpuStat => ({
  ...NONE,
  ...{ row: `cpu:${host}:${cpu}`, host, cpu },
  ...times,
});

/** @param ran host, name, ns in user mode */
function threadsOf(ran: readonly (readonly [number, string, number])[]): ThreadCpuStats {
  const states = new Float64Array(ran.length * THREAD_STATES.length);
  ran.forEach(([, , ns], i) => (states[i * THREAD_STATES.length + STATE_USER] = ns));
  const numbers = new Int32Array(ran.length);
  return {
    ...{ length: ran.length, row: packTexts(ran.map((_, i) => `thread:${i}`)), states },
    ...{ tid: numbers, pid: numbers, process: numbers, host: Int32Array.from(ran, ([host]) => host) },
    name: packTexts(ran.map(([, name]) => name)),
    migrations: new Float64Array(ran.length),
  };
}

function factsOf(cpus: readonly CpuStat[], threads: ThreadCpuStats): Facts {
  const stats: CpuStats = { from: 0, to: 100, cpus, threads, missing: [] };
  const trace = { time: { hosts: [{ name: 'web' }, { name: 'disk' }] } };
  return { cpu: () => Promise.resolve(stats), trace } as unknown as Facts;
}

it('CPUs of a host are busy in what is known and not idle', async () => {
  const facts = factsOf(
    [
      cpuOf(0, 0, { idle: 5, user: 80, kernel: 10, softirq: 5 }),
      cpuOf(0, 1, { idle: 1, user: 49, unknown: 50 }),
      cpuOf(1, 0, { unknown: 100 }),
    ],
    threadsOf([
      [0, 'php', 70],
      [0, 'sh', 20],
      [1, 'dd', 90],
    ]),
  );
  // Of the other host nothing is known.
  expect((await saturated(facts)).found).toEqual([
    { share: 0.96, ns: 144, host: 'web', cpus: [0, 1], isWhole: false, most: 'php', mostNs: 70 },
  ]);
});

it('an example with CPUs to spare is not called busy, nor interrupted, nor polling', async () => {
  const session = await openLocal(memoryRefs(filesOfFolder(`${projectDir()}/public/examples/disk-io`)));
  const rules: string[] = [];
  for (let rule = 0; ; rule++) {
    const answer = await session.api.ask('summary', { rule });
    if (answer === undefined) throw new Error('the trace is read');
    rules.push(...answer.findings.map((finding) => finding.rule));
    if (rule + 1 >= answer.rules) break;
  }
  expect(rules).toContain('disk');
  for (const quiet of ['saturated', 'interrupts', 'polling']) expect(rules).not.toContain(quiet);
});
