/** `critical-path PATH… --thread TID`: the active path of a thread, its totals, what it waited for. */
import { unpackParts } from '../../engine/answers/paths/packed-parts.ts';
import { pathVerdict } from '../../engine/answers/paths/path-owners.ts';
import { lowered } from '../../engine/base/first-letter.ts';
import { NO_LOCK_EVENTS } from '../../engine/words/recording-commands.ts';
import { CRITERIA, type Criterion, criterionOf } from '../../engine/graph/path.ts';
import { BLOCKED, LABELS } from '../../engine/graph/path-codes.ts';
import type { SessionLayers } from '../../engine/open/layers/session-layers.ts';
import type { PathAnswer, PathBlocker, PathCriterion, PathReport } from '../../engine/protocol/paths.ts';
import { threadNamed, guestChoices } from '../named-threads.ts';
import { type Command, oneOf, type Options, UsageError } from '../options.ts';
import { print, printError, printJson, sentenceText, shareText } from '../output.ts';
import { faultsOf, readLocks } from '../read-layers.ts';
import { onTrace, type TraceSession } from '../trace-session.ts';
import { printTable } from './table.ts';

const GROUPINGS = ['thread', 'program', 'process', 'host'] as const;

export const criticalPath: Command = (paths, options) => {
  if (options.thread === undefined) throw new UsageError('critical-path: --thread TID is expected');
  const criterion =
    criterionOf(options.criterion ?? CRITERIA[0]) ?? oneOf('--criterion', CRITERIA, options.criterion);
  const grouping = oneOf('--by', GROUPINGS, options.by ?? 'thread');
  return onTrace(paths, options, async (session) => {
    const layers = criterion === 'lock holder' ? await readLocks(session) : undefined;
    const answer = await pathOf(session, options, criterion, layers);
    const request = answer && { path: answer.id, by: grouping, isFolded: options.folded };
    const report = request && (await session.ask('pathReport', request, layers));
    const parts = answer && (await session.ask('pathParts', { path: answer.id }, layers));
    if (answer !== undefined && report !== undefined && parts !== undefined) {
      const group = grouping === 'thread' ? 'worker' : grouping;
      const { workers, parts: packed } = parts;
      const verdict = pathVerdict(
        { ...answer, workers, parts: unpackParts(packed) },
        session.trace.time.hosts,
      );
      const sentence = sentenceText(verdict?.sentence ?? []);
      printFound({ answer, report, sentence, group, criterion, firstNs: session.firstNs }, options);
    }
    return layers && faultsOf(layers, 'lock');
  });
};

/**
 * Asks for the path.
 * @returns undefined: nothing is known of it
 * @throws UsageError for no thread or machine, and where nothing tells of locks that the criterion needs: another
 * criterion's path would answer another question
 */
async function pathOf(
  session: TraceSession,
  options: Options,
  criterion: Criterion,
  layers: SessionLayers | undefined,
): Promise<PathAnswer | undefined> {
  if (layers && (await session.ask('lockEvents', {}, layers)) !== 'there')
    throw new UsageError(`--criterion lock holder: ${NO_LOCK_EVENTS.text}\n  ${NO_LOCK_EVENTS.command}`);
  const { row } = threadNamed(session, options.thread ?? '');
  const marked = options.marked.map((name) => threadNamed(session, name).row);
  const request = {
    row,
    range: session.range,
    criterion: criterion.replaceAll(' ', '-') as PathCriterion,
    marked,
    foldLoops: options.foldLoops,
    guests: guestChoices(session, options),
  };
  return session.ask('path', request, layers);
}

interface Found {
  readonly answer: PathAnswer;
  readonly report: PathReport;
  /** Sentence on the greatest shares of the path; '' for no time. */
  readonly sentence: string;
  /** Name of a group in output. */
  readonly group: 'worker' | 'program' | 'process' | 'host';
  readonly criterion: Criterion;
  readonly firstNs: number;
}

function printFound(found: Found, options: Options): void {
  const { answer, report } = found;
  for (const { text, command } of answer.missing) {
    printError(text);
    if (command !== '') printError(`  ${command}`);
  }
  for (const { guest, machine, host } of report.machines)
    printError(`Host ${guest} is taken for ${machine} of host ${host}.`);
  if (options.folded) report.stacks.forEach((line) => print(line, Infinity));
  else if (options.json) printJson(jsonOf(found));
  else printPath(found);
}

function jsonOf({ answer, report, sentence, group: title, criterion, firstNs }: Found) {
  const segments = segmentsOf(answer, report, firstNs);
  const totals = report.totals.map(({ group, label, cause, ns }) => {
    return { [title]: group, label, cause, time: ns };
  });
  const parts = report.parts.map(({ group, state, call, ns, blockers, served }) => {
    return { [title]: group, state, call, time: ns, by: timesOf(blockers), served: timesOf(served) };
  });
  const [from, to] = [answer.from - firstNs, answer.to - firstNs];
  return { worker: report.worker, from, to, criterion, sentence, segments, totals, parts };
}

interface Segment {
  readonly worker: string;
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly cause: string;
  readonly depth: number;
}

/** Segments of a path; like ones that touch, which explain different waits for locks, as one. */
function segmentsOf(
  { segments: s }: PathAnswer,
  { workers, causes }: PathReport,
  firstNs: number,
): Segment[] {
  const segments: Segment[] = [];
  for (let i = 0; i < s.length; i++) {
    const [worker, label, cause, to] = [workers[i], LABELS[s.label[i]], causes[i], s.to[i] - firstNs];
    const before = segments.at(-1);
    if (before?.worker === worker && before.label === label && before.cause === cause)
      segments[segments.length - 1] = { ...before, to, depth: Math.min(before.depth, s.depth[i]) };
    else segments.push({ worker, from: s.from[i] - firstNs, to, label, cause, depth: s.depth[i] });
  }
  return segments;
}

function timesOf(blockers: readonly PathBlocker[]) {
  return blockers.map(({ text, ns }) => ({ name: text, time: ns }));
}

function printPath({ answer, report, sentence, group: title, firstNs }: Found): void {
  for (const { worker, from, to, label, cause } of segmentsOf(answer, report, firstNs)) {
    const text = `${from} ${to} ${worker} ${label}`;
    print(cause === '' ? text : `${text} (${cause})`);
  }
  const length = answer.to - answer.from;
  const share = (ns: number): string => shareText(ns, length);
  print();
  printTable(
    ['ns', 'share', 'segments', title, 'state', 'cause'],
    report.totals.map(({ group, label, cause, ns, segments }) => {
      return [ns, share(ns), segments, group, label === LABELS[BLOCKED] ? 'waits' : label, cause];
    }),
  );
  printBlockers(report, title);
  printVainWaits(report);
  print();
  if (sentence !== '') print(sentence);
  print(`${length} ns, of which nothing explains ${answer.unexplainedNs} (${share(answer.unexplainedNs)})`);
  if (answer.foldedWaits > 0) print(`${answer.foldedWaits} waits of event loops folded`);
}

/** Prints who held the locks that nobody handed over. */
function printVainWaits({ vainWaits }: PathReport): void {
  if (vainWaits.length > 0) print();
  for (const { worker, ns, chain, isCircle } of vainWaits) {
    const held = chain.map(({ lock, holder = 'nobody known' }) => `${lock}, held by ${holder}`);
    const end = isCircle ? ': a deadlock' : '';
    print(`${worker} waited ${ns} ns in vain for ${held.join(', which waited for ')}${end}`);
  }
}

/** Prints who took the time, where the path could not go on. */
function printBlockers({ parts }: PathReport, title: string): void {
  const blocked = parts.filter(({ blockers }) => blockers.length > 0);
  if (blocked.length === 0) return;
  print();
  printTable(
    ['ns', title, 'state', 'taken by'],
    blocked.flatMap(({ group, state, blockers }) =>
      blockers.map(({ text, ns }) => [ns, group, lowered(state), text]),
    ),
  );
}
