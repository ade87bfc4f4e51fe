/** What stands out in the examples and in recorded traces, beside what their ABOUT.md says was done there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localSession, type LocalSession } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir, sharedDir } from '../../../../test/support/shared.ts';
import { append } from '../../base/append.ts';
import { fingerprintOf } from '../../trace/fingerprint-of-key.ts';
import { inOrder } from './order.ts';
import type { Finding } from '../../protocol/summary.ts';

interface Example {
  readonly name: string;
  readonly trace: string;
  readonly answer: string;
}

const folder = join(projectDir(), 'public/examples');
const examples = JSON.parse(readFileSync(join(folder, 'examples.json'), 'utf8')) as Example[];

async function opened(path: string): Promise<LocalSession> {
  const session = localSession();
  await session.open(memoryRefs(filesOfFolder(path)));
  return session;
}

/** All findings, most severe first. */
async function findingsOf({ api }: LocalSession): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let rule = 0, rules = 1; rule < rules; rule++) {
    const answer = await api.ask('summary', { rule });
    if (answer === undefined) throw new Error('the trace is read');
    rules = answer.rules;
    append(findings, answer.findings);
  }
  return inOrder(findings);
}

/** Numbers in ms, so that they can be compared with what programs said. */
function textOf({ sentence }: Finding): string {
  return sentence
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.kind === 'share') return `${Math.round(100 * part.value)} %`;
      return part.kind === 'ns' ? `${Math.round(part.value / 1e6)} ms` : String(part.value);
    })
    .join('');
}

/** Rules and sentences, most severe first. */
async function saidOf(...paths: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const session = localSession();
  await session.open(memoryRefs(new Map(paths.flatMap((path) => [...filesOfFolder(path)]))));
  return (await findingsOf(session)).map((finding) => [finding.rule, textOf(finding)]);
}

const example = (name: string) => join(folder, name);

describe('of examples', () => {
  it.each(examples)('$name: its question is answered', async ({ name, trace, answer }) => {
    const session = await opened(example(name));
    expect(fingerprintOf(session.updates.findLast(({ info }) => info)?.info?.key ?? '')).toBe(trace);
    const findings = await findingsOf(session);
    expect(findings.map(({ rule }) => rule)).toContain(answer);
    expect(findings.filter(({ share }) => !(share >= 0 && share <= 1))).toEqual([]);
  });

  // The program measured 709.7, 542.0 and 325.7 ms at the barrier.
  it('the slowest thread of a barrier holds up the others', async () => {
    expect(await saidOf(example('imbalance-4t'))).toEqual([
      ['held-up', 'imb-10, imb-20 and imb-40 waited for imb-80; imb-10 longest: 704 ms, 71 % of its time.'],
      ['programs', 'Of 1045 ms of sh, imb-80 took 704 ms and imb-10 279 ms.'],
    ]);
  });

  // It measured 374.90 and 40.39 ms of waiting for the two mutexes, and 0.07 ms for the third.
  it('the lock that was waited for longest', async () => {
    expect((await saidOf(example('lockfight-mutex'))).slice(0, 2)).toEqual([
      [
        'locks',
        '4 threads waited 375 ms for mutex 0x…f260 of wk-lockfight, 27 % of their time, in 36 waits.',
      ],
      ['locks', '2 threads waited 40 ms for mutex 0x…f220 of wk-lockfight, 6 % of their time, in 4 waits.'],
    ]);
  });

  it('a service that sleeps and works for its callers, and the one that calls it; neither waits for its client', async () => {
    expect(await saidOf(example('rpc-chain'))).toEqual([
      [
        'held-up',
        'wk-client waited for wk-srv-b: 172 ms, 30 % of its time, in which wk-srv-b ran for 111 ms.',
      ],
      ['held-up', 'wk-client waited for wk-srv-a: 166 ms, 28 % of its time.'],
    ]);
  });

  it('two programs that use a disk at once', async () => {
    const [first] = await saidOf(example('disk-io'));
    expect(first).toEqual([
      'disk',
      'wk-writer and wk-reader waited 88 ms for the disk vdb, wk-writer for 12 % of its time; the disk served wk-reader for 9 ms while wk-writer waited.',
    ]);
  });

  // 18 requests met the thread `maintenance` in the critical section.
  it('slow requests, and what explains them', async () => {
    expect(await saidOf(example('executions-lock'))).toEqual([
      [
        'executions',
        '30 of 300 executions from wk_req:begin to wk_req:end took 9 ms instead of 1 ms; 18 of them for the system call futex in cache_lookup, mostly while thread maintenance worked.',
      ],
    ]);
  });

  it('another machine, and the network to it', async () => {
    expect(await saidOf(example('two-hosts-http'))).toEqual([
      ['elsewhere', 'Of 580 ms of wk-httpget on client, server took 251 ms and the network 52 ms.'],
      [
        'held-up',
        'wk-httpget waited for wk-httpd: 251 ms, 43 % of its time, in which wk-httpd ran for 110 ms.',
      ],
      ['programs', 'Of 360 ms of sh, curl took 320 ms.'],
    ]);
  });

  it('hosts whose clocks nothing ties together', async () => {
    const [first] = await saidOf(example('imbalance-4t'), example('two-hosts-http/client'));
    expect(first).toEqual([
      'clocks',
      'The clocks of imbalance-4t are not synchronised with the others: nothing tells how their times relate.',
    ]);
  });

  it('nothing while nothing is known, and of a rule that there is not', async () => {
    const session = localSession();
    expect(await session.api.ask('summary', { rule: 0 })).toMatchObject({ findings: [] });
    await session.open(memoryRefs(filesOfFolder(example('imbalance-4t'))));
    for (const rule of [-1, 0.5, 1000, NaN])
      expect(await session.api.ask('summary', { rule })).toMatchObject({ findings: [] });
  });
});

describe.skipIf(sharedDir() === undefined)('of recorded traces', () => {
  const trace = (name: string) => join(sharedDir() ?? '', 'traces', name);

  it('lost events come first, and nothing is said about times then', async () => {
    expect(await saidOf(trace('lost-events'))).toEqual([
      [
        'lost-events',
        '84 % of the events were lost while recording, 41754 of 49735: counts and times are too low, and states are unknown meanwhile.',
      ],
    ]);
  });

  it('time between two recordings of a machine', async () => {
    const [first] = await saidOf(trace('regression-a'), trace('regression-b'));
    expect(first).toEqual([
      'not-recorded',
      'Of regression-a 8096 ms between its recordings were not recorded, 66 % of what is shown.',
    ]);
  });

  it('a deadlock, and the orders that led there', async () => {
    const [first, second] = await saidOf(trace('deadlock-ust'));
    expect(first).toEqual([
      'deadlock',
      "dead-ab and dead-ba waited for each other's locks for 266 ms: a deadlock that nothing ended.",
    ]);
    expect(second[0]).toBe('lock-order');
  });

  // Of hog-a and hog-b on one CPU the program says 244.2 and 251.4 ms; hog-alone never waited.
  it('threads that want the same CPU', async () => {
    const [first] = await saidOf(trace('cpu-contention'));
    expect(first).toEqual([
      'cpu-wait',
      'hog-a and hog-b could have run while others had the CPU, hog-a for 248 ms, 48 % of its time, mostly hog-b.',
    ]);
  });

  it('threads that a limit of CPU time keeps from running', async () => {
    const [first] = await saidOf(trace('cgroup-throttle'));
    expect(first).toEqual([
      'throttled',
      "burner-0 and burner-1 could have run while their CPUs were idle, burner-0 for 1223 ms, 88 % of its time: most likely a control group's limit of CPU time.",
    ]);
  });

  it('a CPU that interrupts take much of', async () => {
    expect(await saidOf(trace('executions-disk'))).toContainEqual([
      'interrupts',
      'Interrupts took 10 % of CPU 1 of executions-disk, 197 ms, softirq NET_RX most: 136 ms.',
    ]);
  });

  it('the bottleneck of a pipeline', async () => {
    const [first] = await saidOf(trace('pipeline'));
    expect(first).toEqual([
      'held-up',
      'wk-gen and wk-sink waited for wk-mid; wk-gen longest: 534 ms, 58 % of its time.',
    ]);
  });
});
