/** Numbers that views show, for the test that no sentence says another one: tables of the place that a sentence leads to. */
import { groupBy } from '../../src/engine/base/group-by.ts';
import { textAt } from '../../src/engine/base/text-column.ts';
import { isOwnWork, pathOwners, pathVerdict, timeOf } from '../../src/engine/answers/paths/path-owners.ts';
import { unpackParts } from '../../src/engine/answers/paths/packed-parts.ts';
import { busyOf, knownOf, threadUsage } from '../../src/engine/answers/statistics/cpu-usage.ts';
import {
  STATE_DEAD,
  STATE_UNKNOWN,
  STATE_ZOMBIE,
  THREAD_STATES,
} from '../../src/engine/linux/events/values.ts';
import { comparedOf } from '../../src/engine/layers/executions/ranking/compared.ts';
import { slowGroups } from '../../src/engine/layers/executions/ranking/groups.ts';
import type { RankedNode } from '../../src/engine/layers/executions/ranking/node-ranking.ts';
import { rank } from '../../src/engine/layers/executions/ranking/ranking.ts';
import type { PathPart, PathRequest } from '../../src/engine/protocol/paths.ts';
import type { ExperimentInfo, SessionApi } from '../../src/engine/protocol/session.ts';
import type { FindingPlace, Quantity, SentencePart } from '../../src/engine/protocol/summary.ts';
import type { ExplainedPath } from '../../src/app/path/path-state.ts';
import { formatDuration } from '../../src/app/format/numbers.ts';
import { pathRows } from '../../src/app/path/path-rows.ts';
import { wordOfPart } from '../../src/app/path/path-words.ts';
import { sum } from './sum.ts';

export class ShownNumbers {
  /** ns and counts, and what shares of them are of. */
  readonly #values = new Set<number>();
  readonly #wholes = new Set<number>();

  /** Adds all numbers of an answer, at any depth. */
  add(answer: unknown): this {
    if (typeof answer === 'number') this.#values.add(answer);
    else if (typeof answer === 'object' && answer !== null)
      for (const each of ArrayBuffer.isView(answer) ? (answer as Float64Array) : Object.values(answer))
        this.add(each);
    return this;
  }

  /** Adds numbers that shares are of; they are shown too. */
  addWholes(...wholes: readonly number[]): this {
    for (const whole of wholes) if (whole > 0) this.#wholes.add(whole);
    return this.add(wholes);
  }

  has({ kind, value }: Quantity): boolean {
    if (kind !== 'share') return this.#values.has(value);
    if (this.#values.has(value)) return true;
    // Divided as sentences divide: a product may be another double.
    for (const whole of this.#wholes)
      for (const part of this.#values) if (Math.min(1, part / whole) === value) return true;
    return false;
  }

  /** Whether a number in the form that people read is that of a value here. */
  hasText(text: string, form: (value: number) => string): boolean {
    for (const value of this.#values) if (form(value) === text) return true;
    return false;
  }
}

/** Numbers of a sentence that no table has; how many names follow those that it lists is in none. */
export function strange(sentence: readonly SentencePart[], shown: ShownNumbers): readonly unknown[] {
  const isRestOfList = (i: number) => /^ more\b/.test(String(sentence[i + 1]));
  return sentence.filter((part, i) =>
    typeof part === 'string'
      ? /\d\s?(ns|µs|ms|s|%)(?![\w-])/.test(part)
      : !shown.has(part) && !isRestOfList(i),
  );
}

/** Times in a text that no table has. */
export function strangeTexts(text: string, shown: ShownNumbers): string[] {
  const times = text.match(/(?<![\w.])\d[\d.\u2009]*\u2009(?:ns|µs|ms|s)(?!\w)/g) ?? [];
  return times.filter((time) => !shown.hasText(time, formatDuration));
}

type Asking = Pick<SessionApi, 'ask'>;

/** The numbers of the place that a finding leads to. */
export async function numbersAt(
  session: Asking,
  info: ExperimentInfo,
  place: FindingPlace,
): Promise<ShownNumbers> {
  switch (place.tab) {
    case 'info': {
      const { events, discardedEvents, discardedPackets } = info;
      return new ShownNumbers().add([discardedEvents, discardedPackets]).addWholes(events + discardedEvents);
    }
    case 'recordings': {
      const gaps = info.hosts.map(({ notRecorded }) => notRecorded.map(({ from, to }) => to - from));
      return new ShownNumbers().add(gaps).add(gaps.map(sum)).addWholes(info.lengthNs);
    }
    case 'sync':
      return new ShownNumbers().add(await session.ask('sync', {}));
    case 'statistics':
      return (await numbersOfCpus(session)).add(await session.ask(place.section, {}));
    case 'path': {
      const { row, range, criterion } = place;
      const path = await explained(session, { row, range, criterion });
      return path === undefined ? new ShownNumbers() : numbersOfPath(path, info);
    }
    case 'locks':
      return numbersOfLocks(session, info);
    case 'compare': {
      const answer = await session.ask('executions', { definition: place.definition });
      const shown = new ShownNumbers();
      if (answer === undefined) return shown;
      const compared = comparedOf(answer);
      const groups = slowGroups(compared.durations, 'auto');
      const ranking = rank(compared, groups);
      shown.add([answer.length, groups.a.length, groups.b.length]);
      shown.add([groups.a, groups.b].map((group) => Array.from(group, (i) => compared.durations[i])));
      shown.add(ranking?.nodes.map(({ explains, difference }) => [explains.length, difference]));
      shown.add(explainedTogether(ranking?.nodes ?? []));
      shown.add(ranking?.metrics.flatMap(({ metric, ...means }) => (metric === 'duration' ? [means] : [])));
      return shown;
    }
  }
}

/** Numbers of executions that causes explain together: those in one function, call or thread, and those of one kind. */
function explainedTogether(nodes: readonly RankedNode[]): number[] {
  const together = new Map<string, Set<number>>();
  for (const { frames, kind, explains } of nodes)
    for (const key of [...frames, `kind ${kind}`]) {
      const all = together.get(key) ?? new Set<number>();
      for (const execution of explains) all.add(execution);
      together.set(key, all);
    }
  return Array.from(together.values(), ({ size }) => size);
}

/** Path as the page asks for it. */
export async function explained(session: Asking, request: PathRequest): Promise<ExplainedPath | undefined> {
  const answer = await session.ask('path', request);
  const parts = answer && (await session.ask('pathParts', { path: answer.id }));
  return answer && parts && { ...answer, ...parts, parts: unpackParts(parts.parts) };
}

/** Tables of a path: rows by thread, state, program, process and host, their bars, who took the time, the tree of waits. */
export function numbersOfPath(path: ExplainedPath, { hosts }: Pick<ExperimentInfo, 'hosts'>): ShownNumbers {
  const { workers, parts, from, to, unexplainedNs, waitsFor, vainWaits, kernelWaits } = path;
  const shown = new ShownNumbers().add([unexplainedNs, waitsFor.ns, vainWaits.map(({ ns }) => ns)]);
  shown.add(kernelWaits);
  shown.addWholes(to - from);
  const owned = (['program', 'process', 'host'] as const).flatMap((kind) => pathOwners(path, kind, hosts));
  shown.add(owned.map(({ ns, processes }) => [ns, processes]));
  const workersOf = (own: readonly PathPart[]) => new Set(own.map(({ worker }) => worker)).size;
  const threads = groupBy(parts, ({ worker }) => worker);
  const names = groupBy(parts, ({ worker }) => `${workers[worker].host} ${workers[worker].name}`);
  shown.add(Array.from(names.values(), workersOf));
  const rows = [...owned.map((owner) => owner.parts), ...threads.values(), ...names.values(), parts];
  for (const by of ['thread', 'cause'] as const)
    shown.add(
      pathRows(path, by, { hosts } as ExperimentInfo).map(({ details, served }) => [details, served]),
    );
  for (const row of rows) {
    shown.add([timeOf(row), timeOf(row.filter(isOwnWork))]);
    for (const bar of groupBy(row, ({ value }) => wordOfPart(value)).values())
      shown.add([
        timeOf(bar),
        bar.map(({ blockers, served }) => [blockers, served].flat().map(({ ns }) => ns)),
      ]);
    shown.add(timeOf(row.filter(({ value }) => value < 0)));
  }
  shown.add(pathVerdict(path, hosts)?.subjects.map(({ ns, parts: own }) => [ns, workersOf(own)]));
  const ofInterrupts = parts.filter(({ worker }) => workers[worker].row === undefined);
  shown.add(timeOf(ofInterrupts.filter(({ value }) => value >= 0)));
  return shown;
}

async function numbersOfCpus(session: Asking): Promise<ShownNumbers> {
  const [stats, { cpus: kinds }] = [await session.ask('cpu', {}), await session.ask('irq', {})];
  const shown = new ShownNumbers().add(kinds).add(stats.cpus);
  shown.addWholes(...(await lives(session)).values());
  shown.add(threadUsage(stats).map(({ onCpu }) => onCpu));
  for (const own of groupBy(stats.cpus, ({ host }) => host).values()) {
    shown.add([own.length, sum(own.map(busyOf))]).addWholes(sum(own.map(knownOf)));
    for (const cpu of own) shown.add(cpu.hardirq + cpu.softirq + cpu.timer).addWholes(knownOf(cpu));
  }
  return shown;
}

/** Time of each thread of which it is known what it did, by its row. */
async function lives(session: Asking): Promise<ReadonlyMap<string, number>> {
  const { threads } = await session.ask('cpu', { allThreads: true });
  return new Map(
    Array.from({ length: threads.length }, (_, i): [string, number] => {
      const at = i * THREAD_STATES.length;
      const all = threads.states.subarray(at, at + THREAD_STATES.length);
      const unknown = all[STATE_UNKNOWN] + all[STATE_ZOMBIE] + all[STATE_DEAD];
      return [textAt(threads.row, i), sum([...all]) - unknown];
    }),
  );
}

/** Tables of locks, of each lock, and of its waits. */
async function numbersOfLocks(session: Asking, { lengthNs }: ExperimentInfo): Promise<ShownNumbers> {
  const answer = await session.ask('locks', { isWhole: true });
  const shown = new ShownNumbers();
  if (answer === undefined) return shown;
  const lifeOf = await lives(session);
  const addLives = (waiters: readonly { readonly thread: number }[]) =>
    shown.addWholes(
      sum(waiters.map(({ thread }) => lifeOf.get(answer.threads[thread]?.row ?? '') ?? lengthNs)),
    );
  shown.add([answer.locks, answer.threadSums, answer.futexes, answer.kernelLocks]);
  shown.add(answer.deadlocks.map(({ from, to }) => to - from));
  shown.add(answer.convoys.map(({ maxWaiters, handOvers }) => [maxWaiters, handOvers]));
  for (const { id } of answer.locks) {
    const lock = await session.ask('lock', { lock: id });
    const waiters = (lock?.threadSums ?? []).filter(({ wait }) => wait.count > 0);
    shown.add([lock?.threadSums, waiters.length]);
    addLives(waiters);
  }
  for (const { waiters } of answer.kernelLocks) {
    shown.add(waiters.length);
    addLives(waiters);
  }
  for (const { timeOuts } of answer.futexes) for (const one of timeOuts) addLives([one]);
  return shown;
}
