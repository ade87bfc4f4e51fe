/** `critical-path PATH… --thread TID`: the active path of a thread, its totals, what it waited for. */
import type { DisplayNs } from '../../engine/base/units.ts';
import { visibleText } from '../../engine/base/visible-text.ts';
import { CRITERIA, type Criterion, criterionOf } from '../../engine/graph/criterion.ts';
import { type GraphWorker, NOBODY } from '../../engine/graph/execution-graph.ts';
import { foldedStacks } from '../../engine/graph/folded-stacks.ts';
import type { GuestChoice } from '../../engine/graph/guests.ts';
import { BLOCKED, isOnHost, LABELS } from '../../engine/graph/path-codes.ts';
import { pathNames, type PathNames } from '../../engine/graph/path-names.ts';
import { pathTotals } from '../../engine/graph/path-totals.ts';
import type { Path } from '../../engine/graph/path.ts';
import { segmentParts, type SegmentParts } from '../../engine/graph/segment-parts.ts';
import { waitsForTree } from '../../engine/graph/waits-for.ts';
import { machineText } from '../../engine/words/machine-text.ts';
import type { SessionLayers } from '../../engine/open/layers/session-layers.ts';
import { locksOf } from '../../engine/answers/locks/locks-of.ts';
import type { PathAnswer, PathCriterion, PathBlocker } from '../../engine/protocol/paths.ts';
import {
  blockersOf,
  blockerText,
  blockerTexts,
  partsIn,
  servedDuring,
} from '../../engine/answers/paths/path-blockers.ts';
import type { PathGraph } from '../../engine/answers/paths/path-finder.ts';
import { NO_LOCK_EVENTS } from '../../engine/answers/paths/lock-events.ts';
import { guestsOnPath, virtualCpusOf } from '../../engine/answers/paths/path-guests.ts';
import {
  holderIn,
  isLockWait,
  type PathLocks,
  pathLocks,
  vainWaitsOn,
} from '../../engine/answers/paths/path-locks.ts';
import { stateWords } from '../../engine/answers/paths/path-parts.ts';
import { guestChoices } from '../guest-choices.ts';
import { reportFaults } from '../messages.ts';
import { namedHosts, threadNamed } from '../named-threads.ts';
import { type Options, UsageError } from '../options.ts';
import { print, printError, printJson } from '../output.ts';
import { readLocks } from '../read-layers.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';
import type { Command } from './command.ts';
import { groupingOf, pathGroups, type PathGroups } from './path-groups.ts';
import { printTable } from './table.ts';

export const criticalPath: Command = async (paths, options) => {
  if (options.thread === undefined) throw new UsageError('critical-path: --thread TID is expected');
  const criterion = criterionOf(options.criterion ?? CRITERIA[0]);
  if (criterion === undefined) throw new UsageError(refusal(options.criterion ?? ''));
  const grouping = groupingOf(options.by ?? 'thread');
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return reportFaults(faults, options.strict);
  const layers = criterion === 'lock holder' ? await readLocks(session, options) : undefined;
  const found = await foundPath(session, options, criterion, layers);
  if (found !== undefined) {
    const { known, path, locks, choices } = found;
    const hosts = namedHosts(known, session, locks);
    const names = pathNames(known.graph, hosts);
    const groups = pathGroups(grouping, known.graph, hosts, names);
    const sources = { virtualCpus: virtualCpusOf(known, choices), holderOf: locks && holderIn(locks) };
    const parts = await segmentParts(known.graph, path, sources);
    printFound({ ...found, names, groups, parts, criterion, firstNs: session.firstNs }, options);
  }
  return reportFaults([...faults, ...(layers?.info('lock')?.faults ?? [])], options.strict);
};

function refusal(name: string): string {
  return `--criterion: one of ${CRITERIA.join(', ')} is expected, not "${name}"`;
}

interface FoundPath {
  readonly known: PathGraph;
  readonly answer: PathAnswer;
  /** That of the answer. */
  readonly path: Path;
  /** Of criterion `lock holder`. */
  readonly locks: PathLocks | undefined;
  readonly choices: readonly GuestChoice[];
}

/**
 * @returns undefined: nothing is known of it
 * @throws UsageError for no thread or machine, and where nothing tells of locks that the criterion needs: another
 * criterion's path would answer another question
 */
async function foundPath(
  session: TraceSession,
  options: Options,
  criterion: Criterion,
  layers: SessionLayers | undefined,
): Promise<FoundPath | undefined> {
  if (layers && (await session.ask('lockEvents', {}, layers)) !== 'there')
    throw new UsageError(`--criterion lock holder: ${NO_LOCK_EVENTS.text}\n  ${NO_LOCK_EVENTS.command}`);
  const { row } = await threadNamed(session, options.thread ?? '');
  const marked: string[] = [];
  for (const name of options.marked) marked.push((await threadNamed(session, name)).row);
  const choices = guestChoices(session, options);
  const { range, trace } = session;
  const { foldLoops } = options;
  const answer = await session.ask(
    'path',
    {
      row,
      range,
      criterion: criterion.replaceAll(' ', '-') as PathCriterion,
      marked,
      foldLoops,
      guests: choices,
    },
    layers,
  );
  const known = await trace.paths.graph();
  const path = answer && trace.pathAnswers.pathOf(answer.id, known);
  if (answer === undefined || path === undefined) return undefined;
  return { known, answer, path, locks: layers && pathLocks(known, locksOf(layers) ?? []), choices };
}

interface Found extends FoundPath {
  readonly names: PathNames;
  readonly groups: PathGroups;
  readonly parts: SegmentParts;
  readonly criterion: string;
  readonly firstNs: DisplayNs;
}

function printFound(found: Found, options: Options): void {
  for (const { text, command } of found.answer.missing) {
    printError(text);
    if (command !== '') printError(`  ${command}`);
  }
  for (const line of takenForGuests(found)) printError(line);
  if (options.folded) foldedLines(found).forEach((line) => print(line, Infinity));
  else if (options.json) printJson(jsonOf(found));
  else printPath(found);
}

/** Hosts that are taken for virtual machines without the user's word. */
function takenForGuests({ known, path, choices }: Found): string[] {
  const { names } = known;
  return guestsOnPath(known, path, choices).flatMap(({ guest, machine, isGiven, isSynchronised }) =>
    machine === undefined || isGiven || !isSynchronised
      ? []
      : [`Host ${names[guest]} is taken for ${machineText(machine)} of host ${names[machine.host]}.`],
  );
}

function foldedLines({ known, names, path, parts, locks }: Found): string[] {
  const nameOf = (worker: GraphWorker): string => fullName(known, names, worker);
  const { parent, ns, kind, subject } = waitsForTree(path, parts);
  const textOf = (i: number): string => {
    if (kind[i] === 'worker') return nameOf(subject[i]);
    if (kind[i] === 'state' && isLockWait(subject[i]))
      return `Waits for lock ${locks?.keyOf(subject[parent[i]], subject[i]) ?? ''}`;
    return kind[i] === 'state' ? stateWords(subject[i]) : blockerText(parts.blockers[subject[i]], nameOf);
  };
  return foldedStacks(parent, ns, (i) => visibleText(textOf(i)));
}

function fullName({ graph, hosts }: PathGraph, names: PathNames, worker: GraphWorker): string {
  const { host, thread } = graph.place(worker);
  const name = thread < 0 ? '' : hosts[host].tables.threads.name[thread];
  return `${name} ${names.worker(worker)}`.trim();
}

function jsonOf(found: Found) {
  const { names, groups, path, criterion, firstNs } = found;
  const { segments: s, waits } = path;
  const segments = Array.from({ length: s.length }, (_, i) => ({
    worker: names.worker(s.worker[i]),
    from: s.from[i] - firstNs,
    to: s.to[i] - firstNs,
    label: LABELS[s.label[i]],
    cause: names.cause(s.worker[i], s.label[i], s.cause[i]),
    depth: s.wait[i] < 0 ? 0 : waits.depth[s.wait[i]],
  }));
  const totals = totalsOf(found).map(({ group, label, cause, ns }) => {
    return { [groups.title]: group, label, cause, time: ns };
  });
  const parts = partsOf(found).map(({ group, state, call, ns, blockers, served }) => {
    return { [groups.title]: group, state, call, time: ns, by: timesOf(blockers), served: timesOf(served) };
  });
  const worker = names.worker(path.worker);
  const [from, to] = [path.from - firstNs, path.to - firstNs];
  return { worker, from, to, criterion, segments, totals, parts };
}

function timesOf(blockers: readonly PathBlocker[]) {
  return blockers.map(({ text, ns }) => ({ name: text, time: ns }));
}

/** By group of workers, label and kind of cause; most time first. */
function totalsOf({ names, groups, path, parts: { parts } }: Found) {
  const { segments: s } = path;
  return pathTotals(path, groups.of, (i, take) => {
    let left = s.to[i] - s.from[i];
    for (let part = parts.start[i]; part < parts.start[i + 1]; part++) {
      if (!isOnHost(parts.value[part])) continue;
      take(parts.value[part], parts.ns[part], '');
      left -= parts.ns[part];
    }
    take(s.label[i], left, names.kind(s.worker[i], s.label[i], s.cause[i]));
  }).map(({ group, value, detail, ns, segments }) => {
    return {
      group: groups.nameOf(group),
      label: isOnHost(value) ? stateWords(value).toLowerCase() : LABELS[value],
      cause: detail,
      ns,
      segments: segments.length,
    };
  });
}

/** By group of workers, state and system call, with who took the time; most time first. */
function partsOf({ known, names, groups, path, parts, locks }: Found) {
  const nameOf = (worker: GraphWorker): string => fullName(known, names, worker);
  const textOf = blockerTexts(parts, nameOf);
  return pathTotals(path, groups.of, partsIn(known.graph, path, parts, locks?.keyOf)).map((total) => ({
    group: groups.nameOf(total.group),
    state: stateWords(total.value),
    call: total.detail,
    ns: total.ns,
    blockers: blockersOf(total, textOf),
    served: servedDuring(total, parts, nameOf),
  }));
}

function printPath(found: Found): void {
  const { answer, names, groups, path, firstNs } = found;
  const { segments: s } = path;
  for (let i = 0; i < s.length; i++) {
    const cause = names.cause(s.worker[i], s.label[i], s.cause[i]);
    const text = `${s.from[i] - firstNs} ${s.to[i] - firstNs} ${names.worker(s.worker[i])} ${LABELS[s.label[i]]}`;
    print(cause === '' ? text : `${text} (${cause})`);
  }
  const length = path.to - path.from;
  const share = (ns: number): string => `${((100 * ns) / Math.max(1, length)).toFixed(1)} %`;
  print();
  printTable(
    ['ns', 'share', 'segments', groups.title, 'state', 'cause'],
    totalsOf(found).map(({ group, label, cause, ns, segments }) => {
      return [ns, share(ns), segments, group, label === LABELS[BLOCKED] ? 'waits' : label, cause];
    }),
  );
  printBlockers(found);
  printVainWaits(found);
  print();
  print(`${length} ns, of which nothing explains ${answer.unexplainedNs} (${share(answer.unexplainedNs)})`);
  if (answer.foldedWaits > 0) print(`${answer.foldedWaits} waits of event loops folded`);
}

/** Who held the locks that nobody handed over. */
function printVainWaits({ path, locks, names }: Found): void {
  const waits = locks === undefined ? [] : vainWaitsOn(path, locks);
  if (waits.length > 0) print();
  for (const { worker, ns, chain, isCircle } of waits) {
    const held = chain.map(({ lock, holder }) => {
      return `${lock}, held by ${holder === NOBODY ? 'nobody known' : names.worker(holder)}`;
    });
    const end = isCircle ? ': a deadlock' : '';
    print(`${names.worker(worker)} waited ${ns} ns in vain for ${held.join(', which waited for ')}${end}`);
  }
}

/** Who took the time, where the path could not go on. */
function printBlockers(found: Found): void {
  const parts = partsOf(found).filter(({ blockers }) => blockers.length > 0);
  if (parts.length === 0) return;
  print();
  printTable(
    ['ns', found.groups.title, 'state', 'taken by'],
    parts.flatMap(({ group, state, blockers }) =>
      blockers.map(({ text, ns }) => [ns, group, state.toLowerCase(), text]),
    ),
  );
}
