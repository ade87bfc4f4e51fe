/** `critical-path PATH… --thread TID`: the active path of a thread, its totals, what it waited for. */
import { CRITERIA, CRITERIA_WITHOUT_DATA, criterionOf, lacksData } from '../../engine/graph/criterion.ts';
import type { GraphWorker } from '../../engine/graph/execution-graph.ts';
import { BLOCKED, LABELS } from '../../engine/graph/path-codes.ts';
import { pathNames, type PathNames } from '../../engine/graph/path-names.ts';
import { pathTotals } from '../../engine/graph/path-totals.ts';
import type { Path } from '../../engine/graph/path.ts';
import { foldedStacks, waitsForTree } from '../../engine/graph/waits-for.ts';
import { stateWords } from '../../engine/session/path-answer.ts';
import type { PathGraph } from '../../engine/session/path-finder.ts';
import { missingData, unexplainedNs } from '../../engine/session/path-gaps.ts';
import { segmentStates } from '../../engine/session/path-states.ts';
import { reportFaults } from '../messages.ts';
import { UsageError, type Options } from '../options.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';
import { printJson, type Command } from './command.ts';
import { printTable } from './table.ts';

export const criticalPath: Command = async (paths, options) => {
  if (options.thread === undefined) throw new UsageError('critical-path: --thread TID is expected');
  const criterion = criterionOf(options.criterion ?? CRITERIA[0]);
  if (criterion === undefined) throw new UsageError(refusal(options.criterion ?? ''));
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return reportFaults(faults, options.strict);
  const known = await session.trace.paths.graph();
  const names = namesOf(known, session);
  const { range, firstNs, trace } = session;
  const path = await trace.paths.find(known, {
    worker: workerNamed(known, names, options.thread, session),
    range,
    criterion,
    marked: new Set(options.marked.map((name) => workerNamed(known, names, name, session))),
    foldLoops: options.foldLoops,
  });
  if (path !== undefined) await print({ known, names, path, criterion, firstNs }, options);
  return reportFaults(faults, options.strict);
};

function refusal(name: string): string {
  const known = CRITERIA.join(', ');
  return lacksData(name)
    ? `--criterion ${name}: needs the begin of critical sections, which only lock events tell; one of ${known} is expected`
    : `--criterion: one of ${[...CRITERIA, ...CRITERIA_WITHOUT_DATA].join(', ')} is expected, not "${name}"`;
}

function namesOf({ graph, hosts }: PathGraph, session: TraceSession): PathNames {
  const prefixes = new Map(session.experiment.hosts.map(({ index, name }) => [index, name]));
  const isOne = session.experiment.hosts.length === 1;
  return pathNames(
    graph,
    hosts.map(({ tables, index }) => ({ tables, prefix: isOne ? '' : `${prefixes.get(index)}:` })),
  );
}

/** A thread by its name in output, or, where only one host has it, by its key there. */
function workerNamed(
  { graph, hosts }: PathGraph,
  names: PathNames,
  wanted: string,
  session: TraceSession,
): GraphWorker {
  const found: GraphWorker[] = [];
  hosts.forEach(({ tables, index }, host) => {
    if (!session.hosts.some((other) => other.index === index)) return;
    for (let row = 0; row < tables.threads.length; row++) {
      const worker = graph.workerOfThread(host, row);
      const name = names.worker(worker);
      if (name === wanted || name.endsWith(`:${wanted}`)) found.push(worker);
    }
  });
  if (found.length === 1) return found[0];
  throw new UsageError(
    found.length === 0
      ? `there is no thread ${wanted}`
      : `thread ${wanted}: one of ${found.map(names.worker).join(', ')} is expected`,
  );
}

interface Found {
  readonly known: PathGraph;
  readonly names: PathNames;
  readonly path: Path;
  readonly criterion: string;
  readonly firstNs: number;
}

async function print(found: Found, options: Options): Promise<void> {
  for (const { text, command } of missingData(found.known, found.path))
    console.error(command === '' ? text : `${text}\n  ${command}`);
  if (options.folded) (await foldedLines(found)).forEach((line) => console.log(line));
  else if (options.json) printJson(jsonOf(found));
  else printPath(found);
}

async function foldedLines({ known, names, path }: Found): Promise<string[]> {
  const tree = waitsForTree(path, await segmentStates(known.graph, path));
  return foldedStacks(tree, (worker, value) => {
    if (worker < 0) return stateWords(value);
    const { host, thread } = known.graph.place(worker);
    const name = thread < 0 ? '' : known.hosts[host].tables.threads.name[thread];
    return `${name} ${names.worker(worker)}`.trim();
  });
}

function jsonOf({ names, path, criterion, firstNs }: Found) {
  const { segments: s, waits } = path;
  const segments = Array.from({ length: s.length }, (_, i) => ({
    worker: names.worker(s.worker[i]),
    from: s.from[i] - firstNs,
    to: s.to[i] - firstNs,
    label: LABELS[s.label[i]],
    cause: names.cause(s.worker[i], s.label[i], s.cause[i]),
    depth: s.wait[i] < 0 ? 0 : waits.depth[s.wait[i]],
  }));
  const totals = totalsOf(names, path).map(({ worker, label, cause, ns }) => {
    return { worker, label, cause, time: ns };
  });
  const worker = names.worker(path.worker);
  return { worker, from: path.from - firstNs, to: path.to - firstNs, criterion, segments, totals };
}

/** By worker, label and kind of cause; most time first. */
function totalsOf(names: PathNames, path: Path) {
  const { segments: s } = path;
  return pathTotals(
    path,
    (worker) => worker,
    (i, take) => take(s.label[i], s.to[i] - s.from[i], names.kind(s.worker[i], s.label[i], s.cause[i])),
  ).map(({ group, value, detail, ns, segments }) => {
    return { worker: names.worker(group), label: LABELS[value], cause: detail, ns, segments };
  });
}

function printPath({ names, path, firstNs }: Found): void {
  const { segments: s } = path;
  for (let i = 0; i < s.length; i++) {
    const cause = names.cause(s.worker[i], s.label[i], s.cause[i]);
    const text = `${s.from[i] - firstNs} ${s.to[i] - firstNs} ${names.worker(s.worker[i])} ${LABELS[s.label[i]]}`;
    console.log(cause === '' ? text : `${text} (${cause})`);
  }
  const length = path.to - path.from;
  const share = (ns: number): string => `${((100 * ns) / Math.max(1, length)).toFixed(1)} %`;
  console.log('');
  printTable(
    ['ns', 'share', 'segments', 'worker', 'state', 'cause'],
    totalsOf(names, path).map(({ worker, label, cause, ns, segments }) => {
      return [ns, share(ns), segments, worker, label === LABELS[BLOCKED] ? 'waits' : label, cause];
    }),
  );
  console.log(
    `\n${length} ns, of which nothing explains ${unexplainedNs(path)} (${share(unexplainedNs(path))})`,
  );
  if (path.folded > 0) console.log(`${path.folded} waits of event loops folded`);
}
