/** Recordings, executions and findings as tables of a dataset (docs/dataset.md). */
import { columnsOf, type ExportTable, rowTable } from '../../export/tables/table.ts';
import { DURATION_METRICS } from '../../layers/executions/metrics.ts';
import type { ExecutionsAnswer } from '../../protocol/executions.ts';
import type { Finding, SentencePart } from '../../protocol/summary.ts';
import type { Experiment } from '../../trace/types.ts';
import { type ExportSource, timeCells, timeColumns } from './export-source.ts';

/** A row for each host of a trace, with the user's labels, by name. */
export function recordingTable(
  source: ExportSource,
  { name, hosts, traces }: Experiment,
  labels: Readonly<Record<string, string>>,
): ExportTable {
  const { events, discardedEvents, discardedPackets } = source.trace.recorded();
  const rows = hosts
    .filter(({ index }) => source.hosts.includes(index))
    .map((host) => {
      // The properties of the kernel trace come first.
      const own = host.traces.map((trace) => traces[trace]);
      own.sort((a, b) => Number(b.domain === 'kernel') - Number(a.domain === 'kernel'));
      const environment = new Map<string, string>();
      for (const { model } of own)
        for (const { name: key, value } of model.environment)
          if (!environment.has(key)) environment.set(key, String(value));
      const text = (key: string) => environment.get(key) ?? null;
      return [
        ...timeCells(source, source.firstNs),
        source.trace.lengthNs() - source.firstNs,
        ...[name, host.name, host.hostname === '' ? null : host.hostname],
        ...[text('tracer_name'), text('kernel_release')],
        ...[events, discardedEvents, discardedPackets],
        ...[JSON.stringify(Object.fromEntries(environment)), JSON.stringify(labels)],
      ];
    });
  return rowTable(
    [
      ...timeColumns(source),
      ...columnsOf('integer', 'duration_ns'),
      ...columnsOf('text', 'name', 'host_name', 'hostname', 'tracer', 'kernel'),
      ...columnsOf('integer', 'events', 'lost_events', 'lost_packets'),
      ...columnsOf('json', 'environment', 'labels'),
    ],
    [rows],
  );
}

/** Metrics with columns of their own, ns or counts. */
const TIMES = ['running', 'preempted', 'network', 'unknown'] as const;
const COUNTS = ['threads', 'hosts'] as const;

/** @param answer undefined: no definition of executions is known */
export function executionTable(source: ExportSource, answer: ExecutionsAnswer | undefined): ExportTable {
  const columns = [
    ...timeColumns(source),
    ...columnsOf('integer', 'duration_ns'),
    ...columnsOf('text', 'worker'),
    ...columnsOf('integer', 'tid'),
    ...columnsOf('text', 'thread', 'begin_event', 'end_event'),
    ...columnsOf('integer', ...[...TIMES, 'blocked'].map((name) => `${name}_ns`), ...COUNTS),
    ...columnsOf('json', 'metrics'),
  ] as const;
  return rowTable(columns, answer === undefined ? [] : executionPieces(source, answer));
}

/** Executions per group of rows. */
const AT_ONCE = 4096;

function* executionPieces({ hosts, ...source }: ExportSource, answer: ExecutionsAnswer) {
  const { definition, threads, thread, from, to, metrics, length, isElapsed } = answer;
  const column = (name: string) => metrics.find((metric) => metric.name === name)?.values;
  const numbers = [...TIMES, ...COUNTS].map(column);
  const blocked = metrics.filter(({ name }) => name.startsWith('blocked '));
  const others = metrics.filter(({ name }) => !DURATION_METRICS.includes(name));
  for (let begin = 0; begin < length; begin += AT_ONCE) {
    const executions = Array.from({ length: Math.min(AT_ONCE, length - begin) }, (_, i) => begin + i);
    yield executions
      .filter((i) => hosts.includes(threads[thread[i]].host))
      .map((i) => {
        const { row, tid, name } = threads[thread[i]];
        const [running, preempted, network, unknown, ...counts] = numbers.map(
          (values) => values?.[i] ?? null,
        );
        const blockedNs = isElapsed ? null : blocked.reduce((sum, { values }) => sum + values[i], 0);
        const all = others.map(({ name: metric, values, texts }) => [metric, texts?.get(i) ?? values[i]]);
        return [
          ...timeCells({ ...source, hosts }, from[i]),
          to[i] - from[i],
          ...[isElapsed ? String(tid) : row.split(':').slice(2).join(':'), tid, name],
          ...[definition.begin, definition.end],
          ...[running, preempted, network, unknown, blockedNs, ...counts],
          JSON.stringify(Object.fromEntries(all)),
        ];
      });
  }
}

/** @param wordsOf makes the text of a sentence */
export function findingTable(
  findings: readonly Finding[],
  wordsOf: (sentence: readonly SentencePart[]) => string,
): ExportTable {
  const rows = findings.map(({ rule, title, severity, sentence, share, ns, place }) => {
    const numbers = sentence.filter((part) => typeof part !== 'string');
    const json = [numbers, place].map((value) => JSON.stringify(value));
    return [rule, title, severity, wordsOf(sentence), share, ns, ...json];
  });
  return rowTable(
    [
      ...columnsOf('text', 'rule', 'title', 'severity', 'sentence'),
      ...columnsOf('number', 'share'),
      ...columnsOf('integer', 'ns'),
      ...columnsOf('json', 'numbers', 'place'),
    ],
    [rows],
  );
}
