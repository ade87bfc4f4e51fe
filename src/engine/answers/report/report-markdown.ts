/** A report as Markdown, with tables in place of pictures. Names are code, so that nothing in them is obeyed. Pure. */
import { visibleCharacters, visibleText } from '../../base/visible-text.ts';
import type { Report, ReportFinding, ReportPicture } from '../../protocol/report.ts';
import type { NamedPart } from '../../protocol/summary.ts';
import { savingText } from '../../words/change-words.ts';
import { formatCount, formatDuration, formatShare, quantityText } from '../../words/numbers.ts';
import { restSentence } from '../summary/order.ts';
import {
  conditionWords,
  DURING_WORDS,
  EXECUTION_HEADS,
  executionRows,
  factWords,
  longSums,
  STATE_WORDS,
} from './report-words.ts';

export function reportMarkdown(report: Report): string {
  const { recorded, findings, rest, executions, whatIf, unknown, conditions } = report;
  const [first, ...others] = findings;
  const lines: string[] = [
    `# ${findings.length === 0 ? 'Nothing stands out.' : sentence(first.sentence)}`,
    `Wakepath report on ${code(recorded.name)}. ${sentence(factWords(recorded))}`,
    ...conditions.map((condition) => `- ${text(conditionWords(condition))}`),
    ...(findings.length > 0 ? evidence(first) : []),
    ...(others.length > 0 ? ['## What else stands out'] : []),
    ...others.flatMap((finding) => [
      `### ${text(finding.title)}`,
      sentence(finding.sentence),
      ...evidence(finding),
    ]),
    ...(rest.length > 0 ? [sentence(restSentence(rest))] : []),
  ];
  if (whatIf !== undefined && whatIf.changes.length > 0) {
    lines.push(
      '## What would help',
      `Thread ${code(whatIf.thread)} took ${formatDuration(whatIf.ns)}${DURING_WORDS[whatIf.during].replace('during', 'for')}. Savings from careful to hopeful, by a replay of the recording with one thing changed:`,
      table(
        ['Change', 'Takes now, all threads', 'Saves if half as long', 'Saves if gone'],
        whatIf.changes.map(({ what, ns, half, gone }) => [
          sentence(what),
          formatDuration(ns),
          savingText(half),
          savingText(gone),
        ]),
      ),
    );
  }
  if (executions !== undefined) {
    const [first, ...rows] = executionRows(executions);
    lines.push(
      '## Requests',
      `${formatCount(executions.count)} executions from ${code(executions.begin)} to ${code(executions.end)}.`,
      table(EXECUTION_HEADS, [first, ...rows.map(([name, ...values]) => [text(name), ...values])]),
    );
  }
  lines.push(
    '## What was recorded',
    table(
      ['Host', 'Recorder', 'CPUs', 'Events', 'Length'],
      recorded.hosts.map(({ name, recorder, cpus, events, from, to }) => [
        ...[code(name), recorder, String(cpus), formatCount(events), formatDuration(to - from)],
      ]),
    ),
  );
  if (unknown.length > 0)
    lines.push('## What is not known', unknown.map((words) => `- ${sentence(words)}`).join('\n'));
  return `${lines.join('\n\n')}\n`;
}

function evidence({ pictures, link, title }: ReportFinding): string[] {
  // Brackets and spaces are escaped in addresses.
  const place =
    link === undefined
      ? []
      : [`[Open in Wakepath: ${text(title)}](<${link.replaceAll(/[<>\\]/g, encodeURIComponent)}>)`];
  return [...pictures.flatMap(tableOf), ...place];
}

function tableOf(picture: ReportPicture): string[] {
  switch (picture.kind) {
    case 'path': {
      const { workers, from, to } = picture;
      const rows = longSums(picture).map(({ worker, state, ns }) => [
        ...[code(workers[worker].name), STATE_WORDS[state], formatDuration(ns)],
        formatShare(ns / Math.max(1, to - from)),
      ]);
      const head = `Thread on the critical path${DURING_WORDS[picture.during]}`;
      return [table([head, 'State', 'Time', 'Share'], rows)];
    }
    case 'matrix':
      return [
        table(
          ['Waits for', ...picture.holders.map(code)],
          picture.waiters.map((waiter, i) => [
            code(waiter),
            ...picture.ns[i].map((ns) => (ns === 0 ? '' : formatDuration(ns))),
          ]),
        ),
      ];
    case 'histogram':
      return [];
  }
}

function sentence(parts: readonly NamedPart[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return text(part);
      if (!('text' in part)) return `**${quantityText(part)}**`;
      return part.kind === 'cause' ? text(part.text) : code(part.text);
    })
    .join('');
}

/** Words with nothing that Markdown obeys. */
function text(words: string): string {
  return visibleCharacters(words).replaceAll(/[\\`*_{}[\]<>()#+!~&@]|:(?=\/\/)|(?<=www)\./gi, '\\$&');
}

/** A name as code: in it nothing is obeyed but more backquotes than around it, and in tables bars (`table`). */
function code(name: string): string {
  const shown = visibleText(name) || ' ';
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const quotes = '`'.repeat(longest + 1);
  return longest > 0 ? `${quotes} ${shown} ${quotes}` : quotes + shown + quotes;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}
