import { describe, expect, it } from 'vitest';
import { batchesOf, streamsOf } from '../../../test/support/batches.ts';
import { scenario } from '../../../test/support/scenario.ts';
import { reduceInto } from '../../../test/support/state-run.ts';
import { PathBuilder, type Path } from '../graph/path.ts';
import { RUNNING } from '../graph/path-codes.ts';
import { HistoryBuilder } from '../history/builder.ts';
import { createQuery } from '../history/query.ts';
import { kernelSchemeOf } from '../kernel/schemes.ts';
import { STATE_MEANINGS } from '../kernel/state-rules.ts';
import { ClockTransform, shiftedBy } from '../sync/clock-transform.ts';
import { noMatches } from '../sync/packet-matches.ts';
import type { PairSync } from '../sync/pair-sync.ts';
import { DisplayTime } from './display-time.ts';
import type { KernelHost } from './host-history.ts';
import { PathFinder, type PathGraph } from './path-finder.ts';
import { missingData } from './path-gaps.ts';

const A = 10;

function hostOf(index: number): KernelHost {
  const story = scenario().switch(0, 0, 0, 0, A).waking(5, 0, 20).switch(50, 0, A, 0, 20);
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf });
  const tables = reduceInto(builder, batchesOf(streamsOf(story.events), STATE_MEANINGS), {}, 100);
  builder.finish(tables.end);
  return { index, tables, query: createQuery(builder), clock: new ClockTransform(shiftedBy(0)) };
}

/** Two hosts whose clocks relate as `state` says. */
function twoHosts(state: PairSync['state']): Promise<PathGraph> {
  const pair: PairSync = {
    a: 0,
    b: 1,
    state,
    lines: undefined,
    matched: 9,
    ambiguous: 0,
    oneWay: 0,
    uncertaintyNs: Infinity,
    driftUncertainty: Infinity,
    from: 0,
    to: 100,
  };
  const matches = [noMatches(0), noMatches(0)];
  const sync = () => ({ pairs: [pair], matches, matcherPeak: 0 });
  const time = new DisplayTime(['a', 'b'].map((name) => ({ name, baseNs: 0n, offsetNs: 0n, firstEvent: 0 })));
  return new PathFinder([hostOf(0), hostOf(1)], sync, time).graph();
}

/** Runs on one host after the other. */
function pathOver({ graph }: PathGraph, hosts: readonly number[]): Path {
  const builder = new PathBuilder();
  const worker = graph.workerOfThread(hosts[0], 0);
  const to = 10 * hosts.length;
  for (let i = hosts.length - 1; i >= 0; i--)
    builder.add(graph.workerOfThread(hosts[i], 0), 10 * i, 10 * (i + 1), RUNNING, 0);
  return { worker, from: 0, to, ...builder.finish(), visited: hosts.length, folded: 0 };
}

describe('a path over hosts whose clocks cannot be reconciled', () => {
  it('says so', async () => {
    const known = await twoHosts('failed');
    const texts = missingData(known, pathOver(known, [0, 1, 0])).map(({ text }) => text);
    expect(
      texts.some((text) => text.startsWith('The clocks of hosts on this path cannot be reconciled')),
    ).toBe(true);
  });

  it('says nothing where it stays on one of them, or clocks are known', async () => {
    const failed = await twoHosts('failed');
    const accurate = await twoHosts('accurate');
    for (const found of [
      missingData(failed, pathOver(failed, [1, 1])),
      missingData(accurate, pathOver(accurate, [0, 1])),
    ])
      expect(found.filter(({ text }) => text.includes('clocks'))).toEqual([]);
  });
});
