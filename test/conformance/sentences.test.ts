/**
 * Sentences of recorded traces, as the page and `inspect` say them, beside the tables that they lead to: each number of a
 * sentence is one of the table's.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { busyOf, threadUsage } from '../../src/engine/answers/statistics/cpu-usage.ts';
import type { LockLine } from '../../src/engine/protocol/locks.ts';
import type { ExperimentInfo, SessionApi } from '../../src/engine/protocol/session.ts';
import { comparedOf } from '../../src/engine/layers/executions/ranking/compared.ts';
import { slowGroups } from '../../src/engine/layers/executions/ranking/groups.ts';
import { pathVerdict, timeOf } from '../../src/engine/answers/paths/path-owners.ts';
import { formatCount, formatShare, sentenceText } from '../../src/app/format/numbers.ts';
import { lockSentences, spinningShare } from '../../src/app/locks/lock-words.ts';
import { pathSentence } from '../../src/app/path/path-sentence.ts';
import { findingsOf } from '../support/findings.ts';
import { localSession } from '../support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../support/memory-files.ts';
import { projectDir, sharedPath } from '../support/shared.ts';
import { strangeComparison } from '../support/compare-sentences.ts';
import {
  explained,
  numbersAt,
  numbersOfPath,
  ShownNumbers,
  strange,
  strangeTexts,
} from '../support/shown-numbers.ts';
import { DEEP } from '../support/tier.ts';
import type { RowInfo } from '../../src/engine/protocol/rows.ts';
import { sum } from '../support/sum.ts';

/** In the fast tier examples of one kind each. */
const FEW = ['imbalance-4t', 'rpc-chain'];
const examples = join(projectDir(), 'public/examples');
const recorded = sharedPath('traces');
const folders = (DEEP && existsSync(recorded) ? foldersOf(recorded) : foldersOf(examples)).filter(
  ([name]) => DEEP || FEW.includes(name),
);

function foldersOf(folder: string): (readonly [string, string])[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.map(({ name }) => [name, join(folder, name)] as const);
}

/** Threads of each trace whose paths are looked at: those that ran longest. */
const MOST_THREADS = 3;
/** Definitions of executions of each trace that are compared, and executions of each: stacks are added up one by one. */
const MOST_DEFINITIONS = 2;
const MOST_EXECUTIONS = 2000;

describe.each(folders)('of %s', (_, folder) => {
  it('each number is one of the table that it leads to', async () => {
    const session = localSession();
    const { info, rows } = await session.open(memoryRefs(filesOfFolder(folder)));
    const wrong: unknown[] = [];
    for (const { rule, sentence, place } of await findingsOf(session)) {
      const found = strange(sentence, await numbersAt(session.api, info, place));
      if (found.length > 0) wrong.push({ rule, said: sentenceText(sentence), found });
    }
    for (const row of longest(rows)) {
      const path = await explained(session.api, { row, criterion: 'main-task' });
      if (path === undefined) continue;
      const shown = numbersOfPath(path, info);
      const sentence = pathVerdict(path, info.hosts)?.sentence ?? [];
      const pieces = pathSentence(path, 0, undefined);
      const named = new Set([0, ...pieces.map(({ worker }) => worker)]);
      // Those that are not named are told of together.
      const others = path.parts.filter(
        ({ worker }) => path.workers[worker].row !== undefined && !named.has(worker),
      );
      const steps = pieces.map(({ text }) => text).join('');
      // Waits for locks are told of with their holders: lock-sentences.test.ts.
      const stepsText = path.lockWaits.length + path.vainWaits.length > 0 ? '' : steps;
      const found = [...strange(sentence, shown), ...strangeTexts(stepsText, shown.add(timeOf(others)))];
      if (found.length > 0) wrong.push({ row, said: sentenceText(sentence) + steps, found });
    }
    for (const lock of (await session.api.ask('locks', {}))?.locks ?? []) {
      const found = lockSentences(lock).flatMap((text) => strangeCounts(text, lock));
      if (found.length > 0) wrong.push({ lock: lock.name, found });
    }
    wrong.push(...(await strangeComparisons(session.api)));
    wrong.push(...(await strangeHeads(session.api, info, rows)));
    await session.api.close();
    expect(wrong).toEqual([]);
  });
});

/** Sentences of Compare about what most likely are requests: the slow tail, or the slowest tenth. */
async function strangeComparisons(session: Pick<SessionApi, 'ask'>): Promise<unknown[]> {
  const proposals = (await session.ask('executionProposals', {})) ?? [];
  const likely = proposals.filter(({ counts }) => counts.executions <= MOST_EXECUTIONS);
  const wrong: unknown[] = [];
  for (const { definition } of likely.slice(0, MOST_DEFINITIONS)) {
    const answer = await session.ask('executions', { definition });
    if (answer === undefined) continue;
    const { durations } = comparedOf(answer);
    for (const rule of ['auto', 90] as const)
      for (const found of strangeComparison(answer, slowGroups(durations, rule)))
        wrong.push({ definition: `${definition.begin} to ${definition.end}`, rule, found });
  }
  return wrong;
}

/** Numbers in a sentence about a lock that its line has not. */
function strangeCounts(text: string, lock: LockLine): string[] {
  const shown = new ShownNumbers().add(lock);
  return (text.match(/\d[\d.]*(?:\u2009\d{3})*(?:\u2009%)?/g) ?? []).filter(
    (number) => number !== formatShare(spinningShare(lock) ?? NaN) && !shown.hasText(number, formatCount),
  );
}

/** Sums in the head of the page and beside rows of the timeline that are other ones in the statistics. */
async function strangeHeads(
  session: Pick<SessionApi, 'ask'>,
  info: ExperimentInfo,
  rows: readonly RowInfo[],
) {
  const [counts, cpu] = [await session.ask('counts', {}), await session.ask('cpu', { allThreads: true })];
  const sums = [
    sum(counts.events.map(({ count }) => count)),
    sum(info.hosts.map(({ events }) => events)),
    sum(info.streams.map(({ events }) => events)),
  ];
  const busy = cpu.cpus.map((one) => [one.row, busyOf(one)] as const);
  const onCpu = new Map([...threadUsage(cpu).map(({ row, onCpu: ns }) => [row, ns] as const), ...busy]);
  const beside = rows.filter(({ id, cpuTimeNs }) => (onCpu.get(id) ?? cpuTimeNs) !== cpuTimeNs);
  return [
    ...sums.filter((sum) => sum !== info.events).map((sum) => ({ events: info.events, sum })),
    ...beside.map(({ id, cpuTimeNs }) => ({ id, cpuTimeNs, onCpu: onCpu.get(id) })),
  ];
}

function longest(rows: readonly RowInfo[]): string[] {
  const threads = rows.filter(({ id, kernelThread }) => id.startsWith('thread:') && !kernelThread);
  return [...threads]
    .sort((a, b) => b.cpuTimeNs - a.cpuTimeNs)
    .slice(0, MOST_THREADS)
    .map(({ id }) => id);
}
