/** `summary PATH…`: what stands out in a trace, most severe first. */
import { append } from '../../engine/base/append.ts';
import { executionLayer } from '../../engine/layers/executions/layer.ts';
import { lockLayer } from '../../engine/layers/locks/layer.ts';
import { answerOf } from '../../engine/answers/queries.ts';
import { inOrder, restSentence } from '../../engine/answers/summary/order.ts';
import type { Finding, RestOfFindings } from '../../engine/protocol/summary.ts';
import { stackLayer } from '../../engine/layers/stacks/layer.ts';
import { reportFaults } from '../messages.ts';
import type { Options } from '../options.ts';
import { print, printJson, sentenceText } from '../output.ts';
import { layersOf } from '../read-layers.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';
import type { Command } from './command.ts';

export const summary: Command = async (paths, options) => {
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return reportFaults(faults, options.strict);
  const { findings, rest, leftOut } = await findAll(session, options);
  if (options.json) {
    printJson({
      findings: findings.map((finding) => ({ ...finding, text: sentenceText(finding.sentence) })),
      rest,
      leftOut,
    });
  } else {
    for (const { sentence } of findings) print(sentenceText(sentence));
    if (findings.length === 0) print('Nothing stands out.');
    if (rest.length > 0) print(sentenceText(restSentence(rest)));
    for (const words of leftOut) print(words);
  }
  return reportFaults(faults, options.strict);
};

async function findAll(
  session: TraceSession,
  options: Options,
): Promise<{
  readonly findings: readonly Finding[];
  readonly rest: readonly RestOfFindings[];
  readonly leftOut: readonly string[];
}> {
  const { trace } = session;
  const wanted = { lock: lockLayer, execution: executionLayer, stack: stackLayer };
  const layers = await layersOf(wanted, session, options);
  await layers.begin(true, () => undefined);
  const findings: Finding[] = [];
  const rest: RestOfFindings[] = [];
  const leftOut = new Set<string>();
  for (let rule = 0, rules = 1; rule < rules; rule++) {
    const answer = await answerOf({ trace, layers }, 'summary', { rule });
    if (answer === undefined) throw new Error('the trace is read');
    rules = answer.rules;
    append(findings, answer.findings);
    if (answer.rest !== undefined) rest.push(answer.rest);
    if (answer.leftOut !== undefined) leftOut.add(answer.leftOut);
  }
  return { findings: inOrder(findings), rest, leftOut: [...leftOut] };
}
