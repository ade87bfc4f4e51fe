/** What stands out in the examples, beside what their ABOUT.md says was done there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findingsAsAsked, findingsIn, saidOf } from '../../../../test/support/findings.ts';
import { localSession, openLocal } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { DEEP } from '../../../../test/support/tier.ts';
import { RULES } from './rules.ts';
import { fingerprintOf } from '../../trace/fingerprint-of-key.ts';

interface Example {
  readonly name: string;
  readonly trace: string;
  readonly answer: string;
  readonly lessonsOnly?: boolean;
}

const folder = join(projectDir(), 'public/examples');
/** In the fast tier those that have a card. */
const examples = (JSON.parse(readFileSync(join(folder, 'examples.json'), 'utf8')) as Example[]).filter(
  ({ lessonsOnly }) => DEEP || lessonsOnly !== true,
);

const example = (name: string) => join(folder, name);

describe('of examples', () => {
  it.each(examples)('$name: its question is answered', async ({ name, trace, answer }) => {
    const { key, findings } = await findingsIn(example(name));
    expect(fingerprintOf(key)).toBe(trace);
    expect(findings.map(({ rule }) => rule)).toContain(answer);
    expect(findings.filter(({ share }) => !(share >= 0 && share <= 1))).toEqual([]);
  });

  // The first is there before locks, calls or other events are read: a test of times would depend on the machine.
  it.each(['lockfight-mutex', 'disk-io', 'rpc-chain'])(
    '%s: the first finding needs states alone',
    async (name) => {
      const session = await openLocal(memoryRefs(filesOfFolder(example(name))));
      const [first] = await findingsAsAsked(session);
      await session.api.close();
      const rules = Object.keys(RULES);
      expect(rules.indexOf(first.rule)).toBeLessThan(rules.indexOf('polling'));
    },
  );

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
        '4 threads waited 375 ms for mutex 0x…f260 of wk-lockfight, 27 % of their time, longest while fight-3 held it.',
      ],
      [
        'locks',
        '2 threads waited 40 ms for mutex 0x…f220 of wk-lockfight, 6 % of their time, longest while fight-0 held it.',
      ],
    ]);
  });

  it('a service that sleeps and works for its callers, and the one that calls it; neither waits for its client', async () => {
    expect(await saidOf(example('rpc-chain'))).toEqual([
      ['held-up', 'wk-client waited for wk-srv-b: 172 ms, in which wk-srv-b ran for 99 ms.'],
      ['held-up', 'wk-client waited for wk-srv-a: 166 ms, in which wk-srv-a ran for 103 ms.'],
    ]);
  });

  it('two programs that use a disk at once, with CPUs to spare', async () => {
    const said = await saidOf(example('disk-io'));
    expect(said[0]).toEqual([
      'disk',
      'wk-writer and wk-reader waited for the disk vdb, wk-writer for 53 ms; the disk served wk-reader for 9 ms while wk-writer waited.',
    ]);
    const rules = said.map(([rule]) => rule);
    for (const quiet of ['saturated', 'interrupts', 'polling']) expect(rules).not.toContain(quiet);
  });

  // 18 requests met the thread `maintenance` in the critical section.
  it('slow requests, and what explains them', async () => {
    expect(await saidOf(example('executions-lock'))).toEqual([
      [
        'executions',
        '26 of 300 executions from wk_req:begin to wk_req:end took 5 ms to 19 ms instead of 1 ms; 18 of them in cache_lookup, mostly waiting for thread maintenance.',
      ],
    ]);
  });

  it('another machine, and the network to it', async () => {
    expect(await saidOf(example('two-hosts-http'))).toEqual([
      ['elsewhere', 'Of 580 ms of wk-httpget on client, server took 301 ms and the network 39 ms.'],
      ['held-up', 'wk-httpget waited for wk-httpd: 251 ms, in which wk-httpd ran for 102 ms.'],
      ['programs', 'Of 360 ms of sh (225), curl took 320 ms.'],
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
