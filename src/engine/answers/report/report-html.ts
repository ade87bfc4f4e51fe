/**
 * A report as one HTML file: nothing is fetched, nothing runs. Its content security policy allows its own style and
 * nothing else. Pure.
 */
import { cutText, visibleText } from '../../base/visible-text.ts';
import type { Report, ReportExecutions, ReportFinding, ReportPicture } from '../../protocol/report.ts';
import type { NamedPart } from '../../protocol/summary.ts';
import type { Saving } from '../../protocol/what-if.ts';
import { savingText } from '../../words/change-words.ts';
import { formatCount, formatDuration, formatShare, quantityText, unbroken } from '../../words/numbers.ts';
import { restSentence } from '../summary/order.ts';
import { type Markup, safe } from './markup.ts';
import { histogramSvg, matrixSvg, pathSvg, savingSvg } from './report-pictures.ts';
import { STYLE, styleDigest } from './report-style.ts';
import {
  conditionWords,
  DURING_WORDS,
  EXECUTION_HEADS,
  executionRows,
  factWords,
  longSums,
  STATE_WORDS,
} from './report-words.ts';

/** More findings than these have a table of contents. */
const LONG = 5;

export function reportHtml(report: Report): string {
  const { recorded, findings, rest, executions, whatIf, unknown, conditions } = report;
  const [first, ...others] = findings;
  const policy = `default-src 'none'; style-src 'sha256-${styleDigest()}'; base-uri 'none'; form-action 'none'`;
  return safe`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${visibleText(recorded.name)}: Wakepath report</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="eyebrow">Wakepath report on <strong>${visibleText(recorded.name)}</strong></p>
<h1>${findings.length === 0 ? 'Nothing stands out.' : parts(first.sentence)}</h1>
<p class="lead">${parts(factWords(recorded))}</p>
${conditions.length > 0 && list('gate', conditions, (condition) => safe`<li class="${condition.outcome === 'not met' ? 'good' : 'bad'}">${conditionWords(condition)}</li>`)}
</header>
<main>
${findings.length > LONG && contents(findings)}
${findings.length > 0 && hasEvidence(first) && safe`<section id="finding-1" aria-label="${first.title}">${evidence(first, 1)}</section>`}
${others.length > 0 && section('What else stands out', ...others.map((each, i) => article(each, i + 2)))}
${rest.length > 0 && safe`<p class="muted rest">${parts(restSentence(rest))}</p>`}
${whatIf !== undefined && changes(whatIf)}
${executions !== undefined && requests(executions)}
${hosts(recorded)}
${
  unknown.length > 0 &&
  section(
    'What is not known',
    list('', unknown, (sentence) => safe`<li>${parts(sentence)}</li>`),
  )
}
${reading(recorded.link)}
</main>
<footer>Form of reports, version ${report.version}.${report.withoutNames && ' Numbers stand for the names of threads, programs, hosts and locks.'}</footer>
</body>
</html>
`.text;
}

function parts(sentence: readonly NamedPart[]): Markup[] {
  return sentence.map((part) => {
    if (typeof part === 'string') return safe`${part}`;
    return 'text' in part ? named(part.text) : safe`<b>${unbroken(quantityText(part))}</b>`;
  });
}

function named(name: string): Markup {
  return safe`<span class="name">${visibleText(name)}</span>`;
}

function section(title: string, ...content: readonly (Markup | false)[]): Markup {
  return safe`<section><h2>${title}</h2>${content}</section>`;
}

function list<T>(style: string, items: readonly T[], item: (each: T) => Markup): Markup {
  return safe`<ul class="${style}">${items.map(item)}</ul>`;
}

/** Columns whose title ends with `#` have numbers. The first cell of a row is its head. */
function table(
  heads: readonly string[],
  rows: readonly (readonly (Markup | string)[])[],
  caption?: string,
): Markup {
  const styleOf = (i: number): string => (heads[i].endsWith('#') ? 'number' : '');
  const head = heads.map(
    (title, i) => safe`<th scope="col" class="${styleOf(i)}">${title.replace('#', '')}</th>`,
  );
  const cell = (content: Markup | string, i: number): Markup =>
    i === 0 ? safe`<th scope="row">${content}</th>` : safe`<td class="${styleOf(i)}">${content}</td>`;
  return safe`<table>${caption !== undefined && safe`<caption>${caption}</caption>`}
<thead><tr>${head}</tr></thead>
<tbody>${rows.map((row) => safe`<tr>${row.map(cell)}</tr>`)}</tbody></table>`;
}

function contents(findings: readonly ReportFinding[]): Markup {
  const lines = findings.map(
    ({ title, text }, i) =>
      safe`<li><a href="#finding-${i + 1}">${title}</a> <span class="muted">${cutText(text, 90)}</span></li>`,
  );
  return safe`<nav aria-label="Findings"><ol>${lines}</ol></nav>`;
}

function article(finding: ReportFinding, number: number): Markup {
  const { title, severity, sentence } = finding;
  return safe`<article id="finding-${number}" class="of-${severity}">
<h3>${title}</h3>
<p class="sentence">${parts(sentence)}</p>
${evidence(finding, number)}
</article>`;
}

function hasEvidence({ pictures, link }: ReportFinding): boolean {
  return pictures.length > 0 || link !== undefined;
}

function evidence({ pictures, link, title }: ReportFinding, number: number): Markup {
  const of = safe`<span class="hidden">: ${title}, finding ${number}</span>`;
  return safe`${pictures.map(figure)}${link !== undefined && safe`<p class="open">${anchor(link, safe`Open in Wakepath${of}`)}</p>`}`;
}

function anchor(link: string, words: Markup | string): Markup {
  return safe`<a href="${link}" rel="noreferrer">${words}</a>`;
}

function figure(picture: ReportPicture): Markup {
  switch (picture.kind) {
    case 'path': {
      const { workers, from, to } = picture;
      const states = [...new Set(picture.pieces.map(({ state }) => state))];
      const rows = longSums(picture).map(({ worker, state, ns }) => [
        ...[visibleText(workers[worker].name), STATE_WORDS[state], formatDuration(ns)],
        formatShare(ns / Math.max(1, to - from)),
      ]);
      return safe`<figure>
<figcaption><span>Critical path of ${named(workers[0]?.name ?? '')}${DURING_WORDS[picture.during]}: what it did, and whom it waited for</span>${legend(states.map((state) => [`s-${state}`, STATE_WORDS[state]]))}</figcaption>
${pathSvg(picture)}
${table(['Thread', 'State', 'Time#', 'Share#'], rows, `Where the ${formatDuration(to - from)} went`)}
</figure>`;
    }
    case 'matrix':
      return safe`<figure>
<figcaption><span>Who waited (rows) for whom (columns) for ${named(picture.lock)}</span></figcaption>
${matrixSvg(picture)}
</figure>`;
    case 'histogram':
      return safe`<figure>
<figcaption><span>How long executions took, on a logarithmic axis</span>${legend([
        ['usual', 'Usual'],
        ['slow', 'Slow'],
      ])}</figcaption>
${histogramSvg(picture)}
</figure>`;
  }
}

function legend(colours: readonly (readonly [style: string, words: string])[]): Markup {
  const keys = colours.map(
    ([style, words]) =>
      safe`<span><svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" class="${style}"/></svg>${words}</span>`,
  );
  return safe`<div class="legend">${keys}</div>`;
}

function changes({ thread, during, ns, changes: lines }: NonNullable<Report['whatIf']>): Markup {
  const words =
    lines.length === 0
      ? 'No single change would save 1 % of that.'
      : 'Replayed with one thing changed at a time:';
  const saving = (of: Saving): Markup =>
    safe`<div class="saving">${savingSvg(of, ns)}${savingText(of)}</div>`;
  const rows = lines.map(({ what, ns: takes, half, gone }) => [
    ...[safe`${parts(what)}`, formatDuration(takes), saving(half), saving(gone)],
  ]);
  return section(
    'What would help',
    safe`<p>Thread ${named(thread)} took <b>${formatDuration(ns)}</b>${DURING_WORDS[during].replace('during', 'for')}. ${words}</p>`,
    lines.length > 0 &&
      table(['Change', 'Takes now, all threads#', 'Saves if half as long', 'Saves if gone'], rows),
    lines.length > 0 &&
      safe`<p class="muted">A model, no promise: the order in which locks were got and queues were served is kept. Of two numbers the first is careful, the second hopeful.</p>`,
  );
}

function requests(executions: ReportExecutions): Markup {
  const { begin, end, count } = executions;
  return section(
    'Requests',
    safe`<p><b>${formatCount(count)}</b> executions from ${named(begin)} to ${named(end)}. The column 95 % has what 95 % of them did not exceed.</p>`,
    table(
      EXECUTION_HEADS.map((head, i) => (i === 0 ? head : `${head}#`)),
      executionRows(executions),
    ),
  );
}

function hosts({ hosts: all, trace }: Report['recorded']): Markup {
  const rows = all.map(({ name, recorder, cpus, events, from, to }) => [
    ...[
      visibleText(name),
      recorder,
      cpus === 0 ? '–' : String(cpus),
      formatCount(events),
      formatDuration(to - from),
    ],
  ]);
  return section(
    'What was recorded',
    table(['Host', 'Recorder', 'CPUs#', 'Events#', 'Length#'], rows),
    safe`<p class="muted trace">Fingerprint of the recording: ${trace}</p>`,
  );
}

function reading(link: string | undefined): Markup {
  return section(
    'How to read this',
    safe`<p>The operating system was recorded while programs ran: when each thread got a CPU, lost it, went to sleep and was woken, and by whom. The <em>critical path</em> of a thread follows that: where the thread waited, the path goes on in the thread that let it go on, so that it shows where the time really went. A thread is <em>ready</em> when it could run but others have the CPU, and <em>blocked</em> when it waits for a device, a timer or someone who is not known.</p>`,
    link !== undefined &&
      safe`<p>Links lead to Wakepath, a page that shows recordings in the browser and sends them nowhere. It asks for the recording, which is not in this file: ${anchor(link, 'open the recording in Wakepath')}.</p>`,
  );
}
