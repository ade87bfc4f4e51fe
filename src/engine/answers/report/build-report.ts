/** A report on an open trace as data: what was recorded, findings with pictures, what would help, unknowns. */
import { append } from '../../base/append.ts';
import { addTo, addNumber } from '../../base/group-by.ts';
import { escapedCharacters } from '../../base/visible-text.ts';
import { faultText } from '../../base/fault-text.ts';
import { isKernelHost } from '../context/host.ts';
import { LABELS } from '../../graph/path-codes.ts';
import { comparedOf } from '../../layers/executions/ranking/compared.ts';
import { slowGroups } from '../../layers/executions/ranking/groups.ts';
import { isTimeMetric } from '../../layers/executions/metrics.ts';
import type { ExecutionsAnswer } from '../../protocol/executions.ts';
import type { PathAnswer, PathRequest, PathWorker } from '../../protocol/paths.ts';
import {
  REPORT_VERSION,
  type ReportRequest,
  type Report,
  type ReportFinding,
  type PathPicture,
  type ReportPicture,
  type MatrixPicture,
  type HistogramPicture,
  type ReportExecutions,
  type ReportWhatIf,
  type ReportGroupWhatIf,
  type ReportFormat,
} from '../../protocol/report.ts';
import type {
  FindingPlace,
  MissedFindings,
  Name,
  NamedPart,
  NameKind,
  RestOfFindings,
} from '../../protocol/summary.ts';
import { countedSentences, STATE_KINDS } from '../../words/machine-text.ts';
import { formatCount, sentenceText } from '../../words/numbers.ts';
import { linkOfPlace } from '../../words/place-link.ts';
import { changeWords } from '../../words/change-words.ts';
import { binOf, logScale } from '../../words/scale.ts';
import { count, name, plain, said, word } from '../../words/sentence.ts';
import type { QueryContext } from '../context/query.ts';
import { executionsAnswer } from '../executions/executions-answer.ts';
import { lockAnswer } from '../locks/lock-answers.ts';
import { locksOf } from '../locks/lock-hosts.ts';
import { matrixView, NOBODY_KNOWN, OTHERS, type Side } from '../locks/matrix-view.ts';
import { requestsOf } from '../summary/execution-measures.ts';
import { Facts } from '../summary/facts.ts';
import { inOrder, missedWords } from '../summary/order.ts';
import { findingsOf, type NamedFinding, RULE_IDS } from '../summary/summary.ts';
import { groupRequests, replayGroup } from '../what-if/group-savings.ts';
import { whatIfAnswer } from '../what-if/what-if.ts';
import { reportHtml } from './report-html.ts';
import { reportMarkdown } from './report-markdown.ts';
import { checked, type Condition, type Measurable, sumsOf } from './conditions.ts';

/** Maximum number of workers shown separately, and of columns of a path's picture. */
const MOST_WORKERS = 8;
const COLUMNS = 600;
const BINS = 40;
const MOST_CHANGES = 8;
const HALF = 0.5;
/** Maximum number of slow executions that are replayed. */
const MOST_REPLAYED = 50;
/** Maximum number of faults listed one by one. */
const MOST_FAULTS = 20;

/** @throws the reason of the context's signal when it is aborted */
export async function buildReport(
  context: QueryContext,
  request: ReportRequest,
  conditions: readonly Condition[] = [],
): Promise<Report> {
  // Progress of single answers says nothing about the whole report.
  const facts = new Facts({ ...context, onProgress: undefined });
  const names = new Names(request.withoutNames === true);
  const { requests, ...summary } = await summaryOf(facts, request, context.onProgress);
  const { events, discardedEvents, discardedPackets } = context.trace.recorded();
  const lost = { events: discardedEvents, packets: discardedPackets, recorded: events };
  // First, so that threads are numbered in the order in which they appear.
  const recorded = recordedOf(context, request, names);
  const findings: ReportFinding[] = [];
  const drawn = new Set<string>();
  for (const finding of summary.findings) {
    const sentence = names.in(finding.sentence);
    const { rule, title, severity, share, ns, place } = finding;
    findings.push({
      ...{ rule, title, severity, sentence, text: sentenceText(plain(sentence)), share, ns },
      ...linkOf(request, place),
      pictures: await picturesOf(facts, place, requests, names, drawn),
    });
    context.signal?.throwIfAborted();
  }
  return {
    ...{ wakepath: 'report', version: REPORT_VERSION, withoutNames: request.withoutNames === true, recorded },
    ...{ findings, rest: summary.rest },
    executions: requests && executionsOf(requests, findings),
    whatIf: await whatIfOf(context, summary.findings, requests, names),
    whatIfSlow: await whatIfSlowOf(context, requests, names),
    unknown: [...summary.leftOut.map(word), ...unknownOf(facts, request, names)],
    conditions: conditions.map((condition) =>
      checked(condition, { lost, findings: summary.counts, requests }),
    ),
  };
}

/** Names of the report, or numbers in place of them: equal names have equal numbers. */
class Names {
  readonly #known = new Map<NameKind, Map<string, number>>();

  constructor(private readonly isMasked: boolean) {}

  of(text: string, kind: NameKind): string {
    if (!this.isMasked) return text;
    const ofKind = this.#known.get(kind) ?? new Map<string, number>();
    this.#known.set(kind, ofKind);
    const number = ofKind.get(text) ?? ofKind.size + 1;
    ofKind.set(text, number);
    return `${kind} ${number}`;
  }

  in(sentence: readonly NamedPart[]): readonly NamedPart[] {
    return sentence.map((part, i) => {
      if (!isName(part)) return part;
      const before = sentence[i - 1];
      // "program 1", not "program program 1".
      const repeatsKind =
        this.isMasked && typeof before === 'string' && before.toLowerCase().endsWith(`${part.kind} `);
      const text = this.of(part.text, part.kind);
      return { ...part, text: repeatsKind ? text.slice(part.kind.length + 1) : text };
    });
  }
}

function isName(part: NamedPart): part is Name {
  return typeof part !== 'string' && 'text' in part;
}

interface Summary {
  readonly findings: readonly NamedFinding[];
  readonly rest: readonly RestOfFindings[];
  readonly leftOut: readonly string[];
  readonly counts: Measurable['findings'];
  /** undefined: none, or not examined. */
  readonly requests: ExecutionsAnswer | undefined;
}

async function summaryOf(
  facts: Facts,
  { executions }: ReportRequest,
  onProgress: QueryContext['onProgress'],
): Promise<Summary> {
  const { context } = facts;
  const findings: NamedFinding[] = [];
  const rest: RestOfFindings[] = [];
  const leftOut = new Set<string>();
  const counts = new Map<string, { count: number; isPart: boolean }>();
  const missed: MissedFindings[] = [];
  for (const [i, rule] of RULE_IDS.entries()) {
    const found = await findingsOf(facts, rule);
    context.signal?.throwIfAborted();
    onProgress?.((i + 1) / (RULE_IDS.length + 1));
    const number = (found?.findings.length ?? 0) + (found?.rest?.count ?? 0);
    if (found?.missing !== undefined) missed.push(found.missing);
    const isPart = found?.leftOut !== undefined || found?.missing !== undefined || found === undefined;
    counts.set(rule, { count: number, isPart });
    append(findings, found?.findings ?? []);
    if (found?.rest !== undefined) rest.push(found.rest);
    if (found?.leftOut !== undefined) leftOut.add(found.leftOut);
  }
  const requests =
    executions === undefined
      ? (await requestsOf(context)).answer
      : await executionsAnswer(context, { definition: executions });
  return {
    ...{ findings: inOrder(findings), rest, counts, requests },
    leftOut: [...leftOut, ...missedWords(missed, facts.trace.hosts)],
  };
}

const NS_PER_MS = 1_000_000n;

function recordedOf({ trace }: QueryContext, request: ReportRequest, names: Names): Report['recorded'] {
  const { hosts, originNs, lengthNs, events, discardedEvents, discardedPackets } = trace.recorded();
  return {
    ...{ name: names.of(request.name, 'recording'), trace: request.trace },
    ...linkOf(request, { tab: 'info' }),
    ...(originNs !== '' && { began: new Date(Number(BigInt(originNs) / NS_PER_MS)).toISOString() }),
    ...{ lengthNs, events, lostEvents: discardedEvents, lostPackets: discardedPackets },
    hosts: hosts.map(({ name: host, recorder, cpus, events: ofHost, firstNs, lastNs }) => {
      return { name: names.of(host, 'host'), recorder, cpus, events: ofHost, from: firstNs, to: lastNs };
    }),
  };
}

/** A link to a place in the page; none without the page's address. Without names if the report leaves them out. */
function linkOf(request: ReportRequest, place: FindingPlace): { readonly link?: string } {
  const { page, trace, name: shown, url, withoutNames } = request;
  if (page === undefined) return {};
  if (withoutNames !== true) return { link: page + linkOfPlace({ trace, name: shown, url }, place) };
  return { link: page + linkOfPlace({ trace, name: '' }, placeWithoutNames(place)) };
}

function placeWithoutNames(place: FindingPlace): FindingPlace {
  // Ids of locks can be paths of files.
  if (place.tab === 'locks') return { tab: 'locks', wait: place.wait };
  if (place.tab === 'compare') return { ...place, definition: { ...place.definition, where: [] } };
  return place;
}

/** Part of a thread's time that a finding is about. */
interface Studied extends PathRequest {
  readonly during: PathPicture['during'];
}

/** The thread of a finding; undefined: the finding is about no thread. */
function studiedBy(place: FindingPlace, requests: ExecutionsAnswer | undefined): Studied | undefined {
  if (place.tab === 'path') {
    const { row, range, criterion } = place;
    return { row, range, criterion, during: 'life' };
  }
  if (place.tab === 'locks' && place.wait !== undefined) {
    const { row, range } = place.wait;
    return { row, range, criterion: 'main-task', during: 'longest wait' };
  }
  if (place.tab !== 'compare' || !isOf(requests, place) || requests.isElapsed) return undefined;
  const { from, to, thread, threads } = requests;
  const [longest] = [...from.keys()].sort((a, b) => to[b] - from[b] - (to[a] - from[a]));
  if (longest === undefined) return undefined;
  const range = { from: from[longest], to: to[longest] };
  return { row: threads[thread[longest]].row, range, criterion: 'main-task', during: 'longest execution' };
}

function isOf(
  requests: ExecutionsAnswer | undefined,
  { definition }: Extract<FindingPlace, { readonly tab: 'compare' }>,
): requests is ExecutionsAnswer {
  return JSON.stringify(requests?.definition) === JSON.stringify(definition);
}

/** @param drawn paths of earlier findings: none is drawn twice */
async function picturesOf(
  facts: Facts,
  place: FindingPlace,
  requests: ExecutionsAnswer | undefined,
  names: Names,
  drawn: Set<string>,
): Promise<ReportPicture[]> {
  const lock = place.tab === 'locks' ? place.lock : undefined;
  const matrix = lock === undefined ? undefined : await matrixPicture(facts, lock, names);
  if (matrix !== undefined) return [matrix];
  const histogram = place.tab === 'compare' && isOf(requests, place) ? histogramOf(requests) : undefined;
  const studied = studiedBy(place, requests);
  const key = JSON.stringify(studied);
  const path = studied === undefined || drawn.has(key) ? undefined : await pathOf(facts.context, studied);
  drawn.add(key);
  const { hosts } = facts.trace.recorded();
  const nameOf = ({ label, host }: PathWorker): string => {
    const of = hosts.length > 1 ? hosts.find(({ index }) => index === host) : undefined;
    return names.of(label, 'thread') + (of === undefined ? '' : ` on ${names.of(of.name, 'host')}`);
  };
  const picture = studied && path && pictureOfPath(path, studied.during, nameOf);
  return [histogram, picture].filter((each) => each !== undefined);
}

function pathOf({ trace, layers, signal }: QueryContext, { row, range, criterion }: Studied) {
  return trace.pathAnswers.answer({ row, range, criterion }, signal, locksOf(layers));
}

function pictureOfPath(
  { row, from, to, workers, segments }: PathAnswer,
  during: PathPicture['during'],
  nameOf: (worker: PathWorker) => string,
): PathPicture {
  const { length, worker, label } = segments;
  const timeOf = (i: number): number => segments.to[i] - segments.from[i];
  const ofWorker = new Float64Array(workers.length);
  for (let i = 0; i < length; i++) ofWorker[worker[i]] += timeOf(i);
  const isStudied = (number: number): number => Number(workers[number].row === row);
  const order = [...workers.keys()].sort((a, b) => isStudied(b) - isStudied(a) || ofWorker[b] - ofWorker[a]);
  const shown = order.length > MOST_WORKERS ? order.slice(0, MOST_WORKERS - 1) : order;
  const line = new Int32Array(workers.length).fill(shown.length);
  shown.forEach((number, at) => (line[number] = at));
  const lines = shown.map((number) => ({ name: nameOf(workers[number]), ns: ofWorker[number] }));
  if (order.length > shown.length) {
    const others = order.slice(shown.length);
    const ns = others.reduce((sum, number) => sum + ofWorker[number], 0);
    lines.push({ name: `${formatCount(others.length)} others`, ns });
  }
  const sums = new Float64Array(lines.length * LABELS.length);
  for (let i = 0; i < length; i++) sums[line[worker[i]] * LABELS.length + label[i]] += timeOf(i);
  const stateAt = (at: number) => ({
    worker: Math.floor(at / LABELS.length),
    state: LABELS[at % LABELS.length],
  });
  return {
    ...{ kind: 'path', during, from, to, workers: lines },
    pieces: columnsOf(segments, from, to, (i) => line[worker[i]] * LABELS.length + label[i]).map(
      ({ at, ...range }) => ({ ...range, ...stateAt(at) }),
    ),
    sums: Array.from(sums.entries())
      .filter(([, ns]) => ns > 0)
      .sort((a, b) => b[1] - a[1])
      .map(([at, ns]) => ({ ...stateAt(at), ns })),
  };
}

/** Segments as pieces of a picture; if too many, each column shows what most of it is. Equal neighbours are joined. */
function columnsOf(
  segments: PathAnswer['segments'],
  from: number,
  to: number,
  of: (segment: number) => number,
) {
  const pieces: { from: number; to: number; at: number }[] = [];
  const add = (begin: number, end: number, at: number): void => {
    const last = pieces.at(-1);
    if (last?.at === at) last.to = end;
    else pieces.push({ from: begin, to: end, at });
  };
  if (segments.length <= COLUMNS) {
    for (let i = 0; i < segments.length; i++) add(segments.from[i], segments.to[i], of(i));
    return pieces;
  }
  const width = (to - from) / COLUMNS;
  for (let column = 0, i = 0; column < COLUMNS; column++) {
    const [begin, end] = [from + column * width, from + (column + 1) * width];
    const inside = new Map<number, number>();
    while (i < segments.length && segments.to[i] <= begin) i++;
    for (let j = i; j < segments.length && segments.from[j] < end; j++) {
      const ns = Math.min(end, segments.to[j]) - Math.max(begin, segments.from[j]);
      addNumber(inside, of(j), ns);
    }
    const [most] = [...inside].sort((a, b) => b[1] - a[1]);
    if (most !== undefined) add(begin, end, most[0]);
  }
  return pieces;
}

async function matrixPicture(facts: Facts, id: string, names: Names): Promise<MatrixPicture | undefined> {
  const [locks, answer] = [await facts.locks(), await lockAnswer(facts.context, { lock: id })];
  if (locks === undefined || answer === undefined || answer.matrix.length === 0) return undefined;
  const view = matrixView(answer.matrix, locks.threads.length);
  const { waiters, holders, ns } = view;
  const nameOf = (side: Side, others: number): string => {
    if (side === NOBODY_KNOWN) return 'not known';
    return side === OTHERS ? `${formatCount(others)} others` : names.of(locks.threads[side].label, 'thread');
  };
  return {
    ...{ kind: 'matrix', lock: names.of(answer.lock.name, 'lock') },
    waiters: waiters.map((side) => nameOf(side, view.otherWaiters)),
    holders: holders.map((side) => nameOf(side, view.otherHolders)),
    ns: waiters.map((_, i) => [...ns.subarray(i * holders.length, (i + 1) * holders.length)]),
  };
}

function histogramOf(answer: ExecutionsAnswer): HistogramPicture | undefined {
  const { durations } = comparedOf(answer);
  if (durations.length === 0) return undefined;
  const sorted = durations.toSorted();
  const scale = logScale(sorted[0], sorted[sorted.length - 1]);
  const edge = (bin: number): number => Math.round(scale.at(bin / BINS));
  const bins = Array.from({ length: BINS }, (_, i) => ({
    from: edge(i),
    to: edge(i + 1),
    count: 0,
    slow: 0,
  }));
  const slow = new Set(slowGroups(durations, 'auto').b);
  durations.forEach((duration, number) => {
    const bin = bins[binOf(scale, duration, BINS)];
    bin.count++;
    if (slow.has(number)) bin.slow++;
  });
  return { kind: 'histogram', bins };
}

function executionsOf(
  requests: ExecutionsAnswer,
  findings: readonly ReportFinding[],
): ReportExecutions | undefined {
  const { definition, metrics, length } = requests;
  const hasPicture = findings.some(({ pictures }) => pictures.some(({ kind }) => kind === 'histogram'));
  const durations = metrics.find((metric) => metric.name === 'duration')?.values;
  if (durations === undefined) return undefined;
  // Fields of events are left out of reports: they may identify somebody.
  const shown = metrics.filter(
    (metric) => !/^(begin|end)($|\.)/.test(metric.name) && metric.name !== 'duration',
  );
  return {
    ...{ begin: definition.begin, end: definition.end, count: length, ...sumsOf(durations) },
    histogram: hasPicture ? undefined : histogramOf(requests),
    metrics: shown
      .filter(({ values }) => values.some((value) => value > 0))
      .map(({ name: metric, values }) => ({
        ...{ name: metric, unit: isTimeMetric(metric) ? 'ns' : '' },
        ...sumsOf(values),
      })),
  };
}

/** Changes that would help the thread of the first finding about a thread; undefined: no such finding. */
async function whatIfOf(
  context: QueryContext,
  findings: readonly NamedFinding[],
  requests: ExecutionsAnswer | undefined,
  names: Names,
): Promise<ReportWhatIf | undefined> {
  // Paths need a kernel trace.
  if (!context.trace.hosts.some(isKernelHost)) return undefined;
  const [studied] = findings.flatMap(({ place }) => studiedBy(place, requests) ?? []);
  if (studied === undefined) return undefined;
  const { row, range, during } = studied;
  // The longest wait alone says less about what a thread waits for than its life does.
  const asked = during === 'longest wait' ? { ...studied, range: undefined } : studied;
  const answer = await whatIfAnswer(context, { row, range: asked.range, factor: HALF });
  const thread = (await pathOf(context, asked))?.workers.find((worker) => worker.row === row)?.label;
  if (answer === undefined || thread === undefined) return undefined;
  return {
    ...{ thread: names.of(thread, 'thread'), during: range === asked.range ? during : 'life' },
    ns: answer.to - answer.from,
    changes: answer.lines.slice(0, MOST_CHANGES).map((line) => {
      const { kind, ns, saved, gone } = line;
      return { kind, what: names.in(changeWords(line)), ns, half: saved, gone };
    }),
  };
}

/** Changes that would help slow executions; undefined: none are slow, or they have no paths. */
async function whatIfSlowOf(
  context: QueryContext,
  requests: ExecutionsAnswer | undefined,
  names: Names,
): Promise<ReportGroupWhatIf | undefined> {
  if (requests === undefined || requests.isElapsed || !context.trace.hosts.some(isKernelHost))
    return undefined;
  const { b } = slowGroups(comparedOf(requests).durations, 'auto');
  const savings = await replayGroup(groupRequests(requests, b, { factor: HALF }, MOST_REPLAYED), (request) =>
    whatIfAnswer(context, request),
  );
  context.signal?.throwIfAborted();
  if (savings.length === 0) return undefined;
  return {
    ...{ executions: b.length, replayed: savings.length, median: savings.median },
    changes: savings
      .lines()
      .slice(0, MOST_CHANGES)
      .map(({ kind, label, gain, mean, median }) => ({
        ...{ kind, what: names.in(changeWords({ kind, label })), gain, mean, median },
      })),
  };
}

function unknownOf(facts: Facts, { withoutNames }: ReportRequest, names: Names): (readonly NamedPart[])[] {
  const { hosts, faults } = facts.trace.recorded();
  const named = hosts.map((host) => ({ ...host, name: names.of(host.name, 'host') }));
  const sentences: (readonly NamedPart[])[] = countedSentences(named, STATE_KINDS).map(word);
  if (!facts.isSound)
    sentences.push(said`Too much is lost or damaged to say where the time of threads went.`);
  for (const { lacks } of hosts)
    for (const { what, without } of lacks)
      sentences.push(withoutNames ? said`Not recorded: ${word(what)}.` : said`${name(without, 'cause')}`);
  const byText = new Map<string, unknown[]>();
  for (const fault of faults)
    addTo(byText, faultText(withoutNames ? { code: fault.code, place: {} } : fault).split('\n')[0], fault);
  for (const text of [...byText.keys()].slice(0, MOST_FAULTS)) sentences.push(said`${name(text, 'cause')}`);
  if (byText.size > MOST_FAULTS) sentences.push(said`${count(byText.size - MOST_FAULTS)} more faults.`);
  return sentences;
}

export function reportText(report: Report, format: ReportFormat): string {
  if (format === 'html') return reportHtml(report);
  // Escapes in JSON strings do not change their values.
  return format === 'markdown' ? reportMarkdown(report) : `${escapedCharacters(JSON.stringify(report))}\n`;
}
