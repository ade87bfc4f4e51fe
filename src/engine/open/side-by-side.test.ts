/** Recordings of one machine side by side: each gives what it gives alone, from its own begin. */
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localSession, type LocalSession } from '../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../test/support/memory-files.ts';
import { projectDir, sharedDir } from '../../../test/support/shared.ts';
import { DEEP } from '../../../test/support/tier.ts';
import type { SourceRef } from '../io/byte-source.ts';
import { textAt } from '../base/text-column.ts';
import { THREAD_STATES } from '../linux/events/values.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { ok } from '../base/fault.ts';
import { fingerprintOf } from '../trace/fingerprint-of-key.ts';
import type { CpuStats } from '../protocol/statistics.ts';

const shared = sharedDir();
const cases = join(projectDir(), 'test/fixtures/cases');
/** Pairs that one machine recorded one after the other. */
const PAIRS: (readonly [string, string])[] = [
  [join(cases, 'rt-softirq-preempted'), join(cases, 'kernel-step-back')],
  ...(shared === undefined || !DEEP
    ? []
    : [[join(shared, 'traces/regression-a'), join(shared, 'traces/regression-b')] as const]),
];

function refsOf(folder: string): SourceRef[] {
  return memoryRefs(filesOfFolder(folder));
}

/** What a host's rows, statistics and paths say, as if it were the only one. */
async function toldOf({ api }: LocalSession, host: number): Promise<string> {
  const [cpu, sched, irq, calls, io] = [
    await api.ask('cpu', {}),
    await api.ask('sched', {}),
    await api.ask('irq', {}),
    await api.ask('syscalls', { withPairs: true }),
    await api.ask('io', {}),
  ];
  const own = <Row extends { readonly host: number }>(rows: readonly Row[]) =>
    rows.filter((row) => row.host === host).map((row) => ({ ...row, host: 0 }));
  const threads = threadsOf(cpu, host);
  const busiest = threads.toSorted((a, b) => b.states[0] - a.states[0])[0];
  const path = await api.ask('path', { row: busiest.row, criterion: 'main-task' });
  const answers = {
    threads,
    cpus: own(cpu.cpus),
    sched: own(sched.threads),
    irq: [own(irq.interrupts), own(irq.cpus)],
    calls: [own(calls.calls), own(calls.threads), own(calls.pairs ?? [])],
    io: [own(io.threads), own(io.files), own(io.disks)],
    path: path && {
      ...path,
      id: 0,
      // A label has the tid where another recording has a thread of that name.
      workers: path.workers.map((worker) => ({ ...worker, label: '', host: worker.host - host })),
      segments: { ...path.segments },
    },
  };
  return JSON.stringify(answers).replaceAll(`:${host}:`, ':0:');
}

function threadsOf({ threads }: CpuStats, host: number) {
  const count = THREAD_STATES.length;
  return Array.from({ length: threads.length }, (_, i) => ({
    host: threads.host[i],
    row: textAt(threads.row, i),
    name: textAt(threads.name, i),
    tid: threads.tid[i],
    states: [...threads.states.subarray(i * count, (i + 1) * count)],
    migrations: threads.migrations[i],
  }))
    .filter((thread) => thread.host === host)
    .map((thread) => ({ ...thread, host: 0 }));
}

describe.each(PAIRS)('%s and the recording after it', (...folders) => {
  const files = folders.flatMap(refsOf);

  it('are one host as they were recorded, two side by side, each as it is alone', async () => {
    const both = localSession();
    const { info: recorded } = await both.open(files);
    expect(recorded.sideBySide).toBe(false);
    expect(recorded.hosts.map(({ notRecorded }) => notRecorded.length)).toEqual([1]);
    const { info } = await both.open(files, { sideBySide: true });
    expect(info).toMatchObject({ sideBySide: true, originNs: '', events: recorded.events });
    expect(info.hosts.map(({ name }) => name)).toEqual(folders.map((folder) => basename(folder)));
    // To links and notes it is another trace.
    expect(fingerprintOf(info.key)).not.toBe(fingerprintOf(recorded.key));
    const [gap] = recorded.hosts[0].notRecorded;
    expect(info.hosts.map(({ shiftNs }) => shiftNs)).toEqual([0, -gap.to]);
    const sync = await both.api.ask('sync', {});
    expect(sync?.pairs).toEqual([]);
    expect(sync?.hosts.filter(({ source }) => source === 'start')).toHaveLength(1);
    for (const [host, folder] of folders.entries()) {
      const alone = localSession();
      const { info: own } = await alone.open(refsOf(folder));
      const { firstNs, lastNs, events, cpus } = own.hosts[0];
      expect(info.hosts[host]).toMatchObject({ firstNs, lastNs, events, cpus, notRecorded: [] });
      expect(await toldOf(both, host)).toBe(await toldOf(alone, 0));
    }
  });

  it('are known by their files, and kept beside each other', async () => {
    const session = localSession({ store: ok(new MemoryStore()) });
    const recorded = await session.open(files);
    const apart = await session.open(files, { sideBySide: true });
    const facts = await toldOf(session, 1);
    // Whoever drops the files of what is shown is not asked whether it is another trace.
    const found = await session.api.probe(files, () => undefined);
    expect(found.ok && found.value.key).toBe(apart.info.key);
    expect((await session.api.recent()).map(({ key }) => key).sort()).toEqual(
      [recorded.info.key, apart.info.key].sort(),
    );
    expect(await session.reopen(apart.info.key)).toMatchObject({ ok: true, info: { sideBySide: true } });
    expect(await toldOf(session, 1)).toBe(facts);
    expect(await session.api.attachFiles(files)).toBe(true);
  });
});

it('a single recording is the same, however it is asked for', async () => {
  const session = localSession();
  const [folder] = PAIRS[0];
  const { info } = await session.open(refsOf(folder));
  expect((await session.open(refsOf(folder), { sideBySide: true })).info.key).toBe(info.key);
  expect(info.sideBySide).toBe(false);
});
