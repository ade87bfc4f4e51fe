/** A report as Markdown, with tables in place of pictures. Names are code, so that they are not interpreted. Pure. */
import { visibleCharacters, visibleText } from '../../base/visible-text.ts';
import type { Report, ReportFinding, ReportPicture } from '../../protocol/report.ts';
import type { NamedPart } from '../../protocol/summary.ts';
import { savingText } from '../../words/change-words.ts';
import { quantityText } from '../../words/numbers.ts';
import { restSentence } from '../summary/order.ts';
import * as wording from './report-words.ts';

export function reportMarkdown(report: Report): string {
  const { recorded, findings, rest, conditions } = report;
  const [first, ...others] = findings;
  const lines = [
    `# ${sentence(wording.titleWords(report))}`,
    `Wakepath report on ${code(recorded.name)}. ${sentence(wording.factWords(recorded))}`,
    ...conditions.map((condition) => `- ${text(wording.conditionWords(condition))}`),
    ...(findings.length > 0 ? evidence(first) : []),
    ...(others.length > 0 ? ['## What else stands out'] : []),
    ...others.flatMap((finding) => [
      `### ${text(finding.title)}`,
      sentence(finding.sentence),
      ...evidence(finding),
    ]),
    ...(rest.length > 0 ? [sentence(restSentence(rest))] : []),
    ...wording.sectionsOf(report).flatMap(sectionLines),
  ];
  return `${lines.join('\n\n')}\n`;
}

function sectionLines({ title, lead, table: own, list, note }: wording.Section): string[] {
  return [
    `## ${title}`,
    ...(lead === undefined ? [] : [sentence(lead)]),
    ...(own === undefined ? [] : [table(own)]),
    ...(list === undefined ? [] : [list.map((words) => `- ${sentence(words)}`).join('\n')]),
    ...(note === undefined ? [] : [sentence(note)]),
  ];
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
  if (picture.kind === 'histogram') return [];
  const own = picture.kind === 'path' ? wording.pathTable(picture) : wording.matrixTable(picture);
  return [`${sentence(wording.pictureWords(picture))}:`, table(own)];
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

/** Words with Markdown's special characters escaped. */
function text(words: string): string {
  return visibleCharacters(words).replaceAll(/[\\`*_{}[\]<>()#+!~&@]|:(?=\/\/)|(?<=www)\./gi, '\\$&');
}

/** A name as code: it is delimited by more backquotes than it contains; in tables, bars are escaped (`table`). */
function code(name: string): string {
  const shown = visibleText(name) || ' ';
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const quotes = '`'.repeat(longest + 1);
  return longest > 0 ? `${quotes} ${shown} ${quotes}` : quotes + shown + quotes;
}

function table({ heads, numbersFrom, rows }: wording.Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const shown = (cell: wording.Cell): string => ('saving' in cell ? savingText(cell.saving) : sentence(cell));
  return [
    line(heads.map((head) => sentence([head]))),
    line(heads.map((_, i) => (i < numbersFrom ? '---' : '---:'))),
    ...rows.map((row) => line(row.map(shown))),
  ].join('\n');
}
