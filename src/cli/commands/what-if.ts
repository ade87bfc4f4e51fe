/** `what-if PATH… --thread TID`, `what-if PATH… --begin E --end E [--execution ID]`: what would help, as replays tell. */
import { groupRequests, replayGroup } from '../../engine/answers/what-if/group-savings.ts';
import type { ExecutionDefinition } from '../../engine/layers/executions/definition.ts';
import { slowGroups } from '../../engine/layers/executions/ranking/groups.ts';
import type { SessionLayers } from '../../engine/open/layers/session-layers.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import {
  WHAT_IF_KINDS,
  type WhatIfAnswer,
  type WhatIfGroupLine,
  type WhatIfRequest,
  type WhatIfTarget,
} from '../../engine/protocol/what-if.ts';
import { changeLabel } from '../../engine/words/change-words.ts';
import { reportLosses } from '../messages.ts';
import { threadNamed } from '../named-threads.ts';
import { type Command, type Options, UsageError } from '../options.ts';
import { print, printJson, rewriteLine, shareText } from '../output.ts';
import { findExecutions } from '../read-executions.ts';
import { faultsOf, readStacksAndLocks } from '../read-layers.ts';
import { onTrace, type TraceSession } from '../trace-session.ts';
import { definitionOf } from './executions.ts';
import { printTable } from './table.ts';

const HALF = 0.5;

export const whatIf: Command = (paths, options) => {
  const definition = definitionOf(options);
  if ((options.thread === undefined) === (definition === undefined))
    throw new UsageError(
      'what-if: --thread TID, or --begin EVENT and --end EVENT of executions, is expected',
    );
  if (definition === undefined && options.execution !== undefined)
    throw new UsageError('what-if: --execution needs --begin EVENT and --end EVENT');
  if (definition !== undefined && options.range !== undefined)
    throw new UsageError('what-if: executions are of the whole trace, without --range');
  const target = options.change === undefined ? undefined : targetOf(options.change);
  return onTrace(paths, options, async (session) => {
    await reportLosses(session);
    const change = { target, factor: options.factor ?? HALF };
    const layers =
      definition === undefined
        ? await answerThread(session, change, options)
        : await answerExecutions(session, change, definition, options);
    return faultsOf(layers, 'lock', 'stack', 'execution');
  });
};

type Asked = Pick<WhatIfRequest, 'target' | 'factor'>;

async function answerThread(session: TraceSession, change: Asked, options: Options): Promise<SessionLayers> {
  const { row, worker } = threadNamed(session, options.thread ?? '');
  const layers = await readStacksAndLocks(session);
  await answerOne(session, { row, range: session.range, ...change }, worker, layers, options);
  return layers;
}

/** @throws UsageError where a name means no single thing */
async function answerOne(
  session: TraceSession,
  request: WhatIfRequest,
  worker: string,
  layers: SessionLayers,
  options: Options,
): Promise<void> {
  const answer = await session.ask('whatIf', request, layers);
  if (answer === undefined) throw new Error('the answer was wanted');
  if (request.target !== undefined && answer.choices !== undefined)
    throw new UsageError(
      `--change ${options.change}: in what thread ${worker} did or waited for ${choiceWords(answer, request.target)}`,
    );
  if (options.json) printJson(jsonOf(answer, worker, session.firstNs));
  else printAnswer(answer, worker, options);
}

/** One execution, or some of a group. */
async function answerExecutions(
  session: TraceSession,
  change: Asked,
  definition: ExecutionDefinition,
  options: Options,
): Promise<SessionLayers> {
  const { layers, answer } = await findExecutions(session, definition, options);
  if (answer.isElapsed) throw new UsageError('what-if: it needs a kernel trace, which this one has not');
  const { threads, thread, from, to } = answer;
  if (options.execution !== undefined) {
    const i = numberOf(answer, options.execution);
    const name = `${threads[thread[i]].tid} in execution ${options.execution}`;
    const [request] = groupRequests(answer, [i], change);
    await answerOne(session, request, name, layers, options);
    return layers;
  }
  const durations = to.map((end, i) => end - from[i]);
  const group =
    options.slow === undefined ? Int32Array.from(durations.keys()) : slowGroups(durations, options.slow).b;
  const requests = groupRequests(answer, group, change, options.limit);
  const savings = await replayGroup(
    requests,
    (request) => session.ask('whatIf', request, layers),
    ({ length }) => {
      if (process.stderr.isTTY) rewriteLine(`${length} of ${requests.length} executions replayed`);
    },
  );
  if (process.stderr.isTTY) rewriteLine('');
  const lines = savings.lines();
  if (change.target !== undefined && lines.length === 0)
    throw new UsageError(`--change ${options.change}: no execution did or waited for one such thing`);
  const { factor } = change;
  const found = { executions: group.length, replayed: savings.length, median: savings.median, factor };
  const changes = lines.map((line) => ({ ...line, label: changeLabel(line) }));
  if (options.json) printJson({ ...found, changes });
  else printGroup(found, lines);
  return layers;
}

/** @throws UsageError where no execution has the id, or several have */
function numberOf({ metrics, length, definition }: ExecutionsAnswer, id: string): number {
  const [key] = definition.key;
  const metric = metrics.find(({ name }) => name === `begin.${key}`);
  const idOf = (i: number): string =>
    key === undefined ? String(i) : (metric?.texts?.get(i) ?? String(metric?.values[i]));
  const found = Array.from({ length }, (_, i) => i).filter((i) => idOf(i) === id);
  if (found.length === 1) return found[0];
  throw new UsageError(
    found.length === 0
      ? `--execution: there is no execution ${id} among ${length}`
      : `--execution: ${found.length} executions are called ${id}`,
  );
}

interface GroupFound {
  readonly executions: number;
  readonly replayed: number;
  /** Median duration, ns. */
  readonly median: number;
  readonly factor: number;
}

function printGroup(
  { executions, replayed, median: before, factor }: GroupFound,
  lines: readonly WhatIfGroupLine[],
): void {
  print(
    `${executions} executions, of which ${replayed} were replayed, median ${before} ns: what a change saves, ns`,
  );
  print();
  printTable(
    ['kind', 'what', `mean at ${factor}`, '', 'median', '', 'gain 5 %'],
    lines.map(({ kind, label, mean, median, gain }) => [
      ...[kind, changeLabel({ label }), mean.careful, mean.hopeful, median.careful, median.hopeful],
      `${gain} of ${replayed}`,
    ]),
  );
  print();
  print('A model, from careful to hopeful: the order in which locks were got and queues served is kept.');
}

/** "one of lock a:0x1f, lock b:0x1f is meant", "there is no lock x, but lock 0x1f" */
function choiceWords({ choices = [] }: WhatIfAnswer, { kind, name }: WhatIfTarget): string {
  const list = choices.map((each) => (each.name === '' ? each.label : `${kind} ${each.name}`)).join(', ');
  if (choices.length === 0) return `there is no ${kind}`;
  const isMeant = choices.some((each) => [each.name, each.label].some((text) => text.endsWith(name)));
  return name !== '' && isMeant
    ? `one of ${list} is meant`
    : `there is no ${kind}${name === '' ? '' : ` ${name}`}, but ${list}`;
}

/** @throws UsageError */
function targetOf(text: string): WhatIfTarget {
  const at = text.indexOf('=');
  const [written, name] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  const kind = WHAT_IF_KINDS.find((known) => known === written);
  if (kind === undefined)
    throw new UsageError(`--change: KIND or KIND=NAME is expected, KIND one of ${WHAT_IF_KINDS.join(', ')}`);
  return { kind, name };
}

function jsonOf(
  { from, to, lines, limits, factor, threads, leftOut }: WhatIfAnswer,
  worker: string,
  firstNs: number,
) {
  const changes = lines.map(({ kind, name, label, ns, saved, gone }) => {
    return { kind, name, label: changeLabel({ label }), time: ns, saved, gone };
  });
  const then = limits.map(({ text, ns }) => ({ name: text, time: ns }));
  return { worker, from: from - firstNs, to: to - firstNs, factor, changes, then, threads, leftOut };
}

function printAnswer(
  { from, to, lines, limits, factor, threads, leftOut }: WhatIfAnswer,
  worker: string,
  options: Options,
): void {
  const length = to - from;
  const share = (ns: number): string => shareText(ns, length);
  print(`thread ${worker}, ${length} ns: what a change of its length would save, from careful to hopeful`);
  print();
  printTable(
    ['kind', 'what', 'ns, all threads', `saved at ${factor}`, '', '', 'saved when gone', '', ''],
    lines.map(({ kind, label, ns, saved, gone }) => [
      ...[kind, changeLabel({ label }), ns],
      ...[saved.careful, saved.hopeful, share(saved.careful)],
      ...[gone.careful, gone.hopeful, share(gone.careful)],
    ]),
  );
  if (options.change !== undefined) {
    print();
    print(`then ${length - lines[0].saved.careful} ns, of which`);
    printTable(
      ['ns', 'what'],
      limits.map(({ ns, text }) => [ns, text]),
    );
  }
  print();
  print(
    `A model of ${threads} ${threads === 1 ? 'thread' : 'threads'}: the order in which locks were got and queues served is kept.`,
  );
  if (leftOut > 0)
    print(`${leftOut} signals and stretches of time are kept as they were: there are too many.`);
}
