/** `summary PATH…`: what stands out in a trace, most severe first. */
import { append } from '../../engine/base/append.ts';
import { inOrder, missedWords, restSentence } from '../../engine/answers/summary/order.ts';
import type { SessionLayers } from '../../engine/open/layers/session-layers.ts';
import type {
  RecordingsAnswer,
  Finding,
  MissedFindings,
  RestOfFindings,
} from '../../engine/protocol/summary.ts';
import { countedSentences, STATE_KINDS } from '../../engine/words/machine-text.ts';
import { print, printJson, sentenceText } from '../output.ts';
import { readAll } from '../read-layers.ts';
import { countedHosts, onTrace, type TraceSession } from '../trace-session.ts';
import { printTable } from './table.ts';
import type { Command } from '../options.ts';

export const summary: Command = (paths, options) =>
  onTrace(paths, options, async (session) => {
    const { findings, rest, leftOut, missed, recordings } = await findAll(session, await readAll(session));
    if (options.json) {
      printJson({
        findings: findings.map((finding) => ({ ...finding, text: sentenceText(finding.sentence) })),
        rest,
        leftOut,
        missed,
        ...(recordings.recordings.length > 0 && recordings),
      });
    } else {
      for (const { sentence } of findings) print(sentenceText(sentence));
      if (findings.length === 0) print('Nothing stands out.');
      if (rest.length > 0) print(sentenceText(restSentence(rest)));
      for (const words of [
        ...leftOut,
        ...countedSentences(countedHosts(session), STATE_KINDS),
        ...missedWords(missed, session.trace.hosts),
      ])
        print(words);
      printRecordings(recordings);
    }
  });

export async function findAll(session: TraceSession, layers: SessionLayers) {
  const findings: Finding[] = [];
  const rest: RestOfFindings[] = [];
  const leftOut = new Set<string>();
  const missed: MissedFindings[] = [];
  for (let rule = 0, rules = 1; rule < rules; rule++) {
    const answer = await session.ask('summary', { rule }, layers);
    if (answer === undefined) throw new Error('the trace is read');
    rules = answer.rules;
    append(findings, answer.findings);
    if (answer.rest !== undefined) rest.push(answer.rest);
    if (answer.leftOut !== undefined) leftOut.add(answer.leftOut);
    if (answer.missing !== undefined) missed.push(answer.missing);
  }
  const recordings = (await session.ask('recordings', {}, layers)) ?? { recordings: [] };
  return { findings: inOrder(findings), rest, leftOut: [...leftOut], missed, recordings };
}

/** Recordings side by side, and their difference, last minus first; ns. */
function printRecordings({ recordings, definition }: RecordingsAnswer): void {
  if (recordings.length === 0) return;
  print();
  const numbers = recordings.map(({ from, to, cpuNs, readyNs, blockedNs, executions }) => [
    ...[to - from, cpuNs, readyNs, blockedNs],
    ...(executions ? [executions.count, Math.round(executions.totalNs / executions.count)] : []),
  ]);
  const last = numbers[numbers.length - 1];
  const rows = numbers.map((line, i) => [recordings[i].name, ...line]);
  const executions = definition === undefined ? [] : ['executions', 'mean'];
  printTable(
    ['recording', 'length', 'CPU time', 'ready', 'blocked D', ...executions],
    [...rows, ['difference', ...last.map((value, i) => value - numbers[0][i])]],
  );
}
