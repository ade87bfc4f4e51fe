/** A report as one HTML file. Its policy allows only its own style: nothing is fetched and no script runs. Pure. */
import { cutText, visibleText } from '../../base/visible-text.ts';
import type { Report, ReportFinding, ReportPicture } from '../../protocol/report.ts';
import type { NamedPart } from '../../protocol/summary.ts';
import { savingText } from '../../words/change-words.ts';
import { formatDuration, quantityText, unbroken } from '../../words/numbers.ts';
import { restSentence } from '../summary/order.ts';
import { type Markup, safe } from './markup.ts';
import { histogramSvg, matrixSvg, pathSvg, savingSvg } from './report-pictures.ts';
import { STYLE, styleDigest } from './report-style.ts';
import * as wording from './report-words.ts';

/** Number of findings above which there is a table of contents. */
const LONG = 5;

export function reportHtml(report: Report): string {
  const { recorded, findings, rest, conditions } = report;
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
<h1>${parts(wording.titleWords(report))}</h1>
<p class="lead">${parts(wording.factWords(recorded))}</p>
${conditions.length > 0 && list('gate', conditions, (condition) => safe`<li class="${condition.outcome === 'not met' ? 'good' : 'bad'}">${wording.conditionWords(condition)}</li>`)}
</header>
<main>
${findings.length > LONG && contents(findings)}
${findings.length > 0 && hasEvidence(first) && safe`<section id="finding-1" aria-label="${first.title}">${evidence(first, 1)}</section>`}
${others.length > 0 && section('What else stands out', ...others.map((each, i) => article(each, i + 2)))}
${rest.length > 0 && safe`<p class="muted rest">${parts(restSentence(rest))}</p>`}
${wording.sectionsOf(report).map(sectionMarkup)}
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
    if ('text' in part) return safe`<span class="name">${visibleText(part.text)}</span>`;
    return safe`<b>${unbroken(quantityText(part))}</b>`;
  });
}

function section(title: string, ...content: readonly (Markup | false)[]): Markup {
  return safe`<section><h2>${title}</h2>${content}</section>`;
}

function sectionMarkup({ title, lead, picture, table: own, list: lines, note }: wording.Section): Markup {
  return section(
    title,
    lead !== undefined && safe`<p>${parts(lead)}</p>`,
    picture !== undefined && figure(picture),
    own !== undefined && table(own),
    lines !== undefined && list('', lines, (line) => safe`<li>${parts(line)}</li>`),
    note !== undefined && safe`<p class="muted">${parts(note)}</p>`,
  );
}

function list<T>(style: string, items: readonly T[], item: (each: T) => Markup): Markup {
  return safe`<ul class="${style}">${items.map(item)}</ul>`;
}

/** A table whose rows begin with a head. */
function table({ heads, numbersFrom, rows }: wording.Table, caption?: string): Markup {
  const styleOf = (i: number): string => (i >= numbersFrom ? 'number' : '');
  const head = heads.map((title, i) => safe`<th scope="col" class="${styleOf(i)}">${parts([title])}</th>`);
  const content = (cell: wording.Cell): Markup | Markup[] =>
    'saving' in cell
      ? safe`<div class="saving">${savingSvg(cell.saving, cell.of)}${savingText(cell.saving)}</div>`
      : parts(cell);
  const cells = (cell: wording.Cell, i: number): Markup =>
    i === 0
      ? safe`<th scope="row">${content(cell)}</th>`
      : safe`<td class="${styleOf(i)}">${content(cell)}</td>`;
  return safe`<table>${caption !== undefined && safe`<caption>${caption}</caption>`}
<thead><tr>${head}</tr></thead>
<tbody>${rows.map((row) => safe`<tr>${row.map(cells)}</tr>`)}</tbody></table>`;
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
  const caption = (keys: Parameters<typeof legend>[0]): Markup =>
    safe`<figcaption><span>${parts(wording.pictureWords(picture))}</span>${keys.length > 0 && legend(keys)}</figcaption>`;
  switch (picture.kind) {
    case 'path': {
      const states = [...new Set(picture.pieces.map(({ state }) => state))];
      return safe`<figure>
${caption(states.map((state) => [`s-${state}`, wording.STATE_WORDS[state]]))}
${pathSvg(picture)}
${table(wording.pathTable(picture), `Where the ${formatDuration(picture.to - picture.from)} went`)}
</figure>`;
    }
    case 'matrix':
      return safe`<figure>
${caption([])}
${matrixSvg(picture)}
</figure>`;
    case 'histogram':
      return safe`<figure>
${caption([
  ['usual', 'Usual'],
  ['slow', 'Slow'],
])}
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

function reading(link: string | undefined): Markup {
  return section(
    'How to read this',
    safe`<p>The operating system was recorded while programs ran: when each thread got a CPU, lost it, went to sleep and was woken, and by whom. The <em>critical path</em> of a thread follows that: where the thread waited, the path goes on in the thread that let it go on, so that it shows where the time really went. A thread is <em>ready</em> when it could run but others have the CPU, and <em>blocked</em> when it waits for a device, a timer or someone who is not known.</p>`,
    link !== undefined &&
      safe`<p>Links lead to Wakepath, a page that shows recordings in the browser and sends them nowhere. It asks for the recording, which is not in this file: ${anchor(link, 'open the recording in Wakepath')}.</p>`,
  );
}
