/** `stats KIND --each`: single system calls, waits for a CPU, reads, writes and syncs, requests of disks, or interrupts. */
import type { DurationSummary, Occurrences, OccurrencesRequest } from '../../engine/protocol/statistics.ts';
import { print } from '../output.ts';
import type { TraceSession } from '../trace-session.ts';
import type { StatFilter } from './stat-filter.ts';
import { binsOf, hostName, type Statistic, workerOf } from './statistic.ts';
import { printTable } from './table.ts';

type Of = OccurrencesRequest['of'];

/** Statistics that have them. */
export const EACH = ['syscalls', 'sched', 'io', 'irq'] as const satisfies readonly Of[];

/** The longest first; of `io` calls and then requests. */
export async function statEach(
  of: (typeof EACH)[number],
  session: TraceSession,
  filter: StatFilter,
): Promise<Statistic> {
  const all = await listOf(of, session, filter);
  const requests = of === 'io' ? await listOf('requests', session, filter) : undefined;
  return {
    json: { ...all, requests },
    print() {
      printList(of, all);
      if (requests === undefined) return;
      print();
      printList('requests', requests);
    },
  };
}

interface List {
  /** Number of all occurrences. */
  readonly count: number;
  /** Distribution of their durations, as in the statistics. */
  readonly bins: readonly (readonly number[])[];
  readonly each: readonly Line[];
}

async function listOf(of: Of, session: TraceSession, filter: StatFilter): Promise<List> {
  const { min: minNs, max: maxNs, minSize: minBytes, maxSize: maxBytes, names, cpus, limit } = filter.options;
  const hosts = session.hosts.map(({ index }) => index);
  const request = { of, minNs, maxNs, minBytes, maxBytes, limit, range: session.range, hosts };
  const answers: Occurrences[] = [];
  if (of === 'irq') {
    const chosen = { names: names.length > 0 ? names : undefined, cpus: cpus.length > 0 ? cpus : undefined };
    answers.push(await session.ask('occurrences', { ...request, ...chosen }));
  } else
    for (const thread of filter.threadsOf(session) ?? [undefined])
      answers.push(await session.ask('occurrences', { ...request, thread }));
  const all = answers.flatMap((answer) => linesOf(answer, session));
  const summaries = answers.map(({ durations }) => durations);
  return {
    count: summaries.reduce((sum, { count }) => sum + count, 0),
    bins: addedBins(summaries),
    each: filter.limited(all.sort((a, b) => b.ns - a.ns || a.from - b.from)),
  };
}

/** Sum of bins, in order of durations. */
function addedBins(summaries: readonly DurationSummary[]): List['bins'] {
  const counts = new Map<number, [from: number, to: number, count: number]>();
  for (const [from, to, count] of summaries.flatMap(({ bins }) => binsOf(bins)))
    counts.set(from, [from, to, count + (counts.get(from)?.[2] ?? 0)]);
  return [...counts.values()].sort(([a], [b]) => a - b);
}

type Line = ReturnType<typeof linesOf>[number];

function linesOf(answer: Occurrences, session: TraceSession) {
  const { fromNs, ns, owner, subject, file, bytes, requests, owners, names } = answer;
  return Array.from({ length: answer.length }, (_, i) => {
    const { row, name, host } = owners[owner[i]];
    return {
      ...hostName(session, host),
      worker: workerOf(session, row),
      name,
      from: fromNs[i] - session.firstNs,
      ns: ns[i],
      what: names[subject[i]],
      file: names[file[i]] || undefined,
      bytes: known(bytes[i]),
      request: requests && {
        queuedNs: known(requests.queuedNs[i]),
        sector: requests.sector[i],
        disk: names[requests.disk[i]],
        call: names[requests.call[i]],
      },
    };
  });
}

function known(number: number): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}

function printList(of: Of, { count, each }: List): void {
  print(`${count} ${of === 'requests' ? 'requests' : 'in all'}, ${each.length} listed`);
  print();
  if (of === 'irq') {
    printTable(
      ['from ns', 'ns', 'cpu', 'what'],
      each.map((one) => [one.from, one.ns, one.worker, one.what]),
    );
  } else if (of === 'requests') {
    printTable(
      ['from ns', 'ns', 'queued ns', 'sector', 'bytes', 'flags', 'disk', 'thread', 'name', 'in', 'file'],
      each.map(({ from, ns, bytes = '', what, worker, name, file = '', request }) => [
        ...[from, ns, request?.queuedNs ?? '', request?.sector ?? '', bytes, what || 'unknown'],
        ...[request?.disk ?? '', worker, name, request?.call ?? '', file],
      ]),
    );
  } else {
    printTable(
      ['from ns', 'ns', 'thread', 'name', 'what', 'bytes', 'file'],
      each.map((one) => [
        ...[one.from, one.ns, one.worker, one.name, one.what],
        ...[one.bytes ?? '', one.file ?? ''],
      ]),
    );
  }
}
