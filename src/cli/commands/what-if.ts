/** `what-if PATH… --thread TID [--change KIND=NAME --factor F]`: what would help a thread, as a replay of its range tells. */
import { WHAT_IF_KINDS, type WhatIfAnswer, type WhatIfTarget } from '../../engine/protocol/what-if.ts';
import { reportFaults } from '../messages.ts';
import { threadNamed } from '../named-threads.ts';
import { type Options, UsageError } from '../options.ts';
import { print, printJson } from '../output.ts';
import { readStacksAndLocks } from '../read-layers.ts';
import { openTraceSession } from '../trace-session.ts';
import type { Command } from './command.ts';
import { printTable } from './table.ts';

const HALF = 0.5;

export const whatIf: Command = async (paths, options) => {
  if (options.thread === undefined) throw new UsageError('what-if: --thread TID is expected');
  const target = options.change === undefined ? undefined : targetOf(options.change);
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return reportFaults(faults, options.strict);
  const layers = await readStacksAndLocks(session);
  const { row, worker } = threadNamed(session, options.thread);
  const request = { row, range: session.range, target, factor: options.factor ?? HALF };
  const answer = await session.ask('whatIf', request, layers);
  if (answer === undefined) throw new Error('the answer was wanted');
  if (target !== undefined && answer.choices !== undefined)
    throw new UsageError(
      `--change ${options.change}: in what thread ${worker} did or waited for ${choiceWords(answer, target)}`,
    );
  if (options.json) printJson(jsonOf(answer, worker, session.firstNs));
  else printAnswer(answer, worker, options);
  return reportFaults(
    [...faults, ...(layers.info('lock')?.faults ?? []), ...(layers.info('stack')?.faults ?? [])],
    options.strict,
  );
};

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
    return { kind, name, label, time: ns, saved, gone };
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
  const share = (ns: number): string => `${((100 * ns) / Math.max(1, length)).toFixed(1)} %`;
  print(`thread ${worker}, ${length} ns: what a change of its length would save, from careful to hopeful`);
  print();
  printTable(
    ['kind', 'what', 'ns', `saved at ${factor}`, '', '', 'saved when gone', '', ''],
    lines.map(({ kind, label, ns, saved, gone }) => [
      ...[kind, label, ns],
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
  print(`A model of ${threads} threads: the order in which locks were got and queues served is kept.`);
  if (leftOut > 0)
    print(`${leftOut} signals and stretches of time are kept as they were: there are too many.`);
}
