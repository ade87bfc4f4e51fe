/** `stats KIND --each`: single system calls, waits for a CPU, or reads, writes and syncs. */
import type { Occurrences, OccurrencesRequest } from '../../engine/session/statistics/statistics-api.ts';
import type { TraceSession } from '../trace-session.ts';
import type { StatFilter } from './stat-filter.ts';
import { hostName, type Statistic, workerOf } from './statistic.ts';
import { printTable } from './table.ts';
import { print } from '../output.ts';

/** Statistics that have them. */
export const EACH = ['syscalls', 'sched', 'io'] as const satisfies readonly OccurrencesRequest['of'][];

/** The longest first. */
export async function statEach(
  of: OccurrencesRequest['of'],
  session: TraceSession,
  filter: StatFilter,
): Promise<Statistic> {
  const { minNs, maxNs, limit } = filter;
  const request = { of, minNs, maxNs, limit, range: session.range };
  const hosts = session.hosts.map(({ index }) => index);
  const answers: Occurrences[] = [];
  for (const thread of filter.threadsOf(session) ?? [undefined])
    answers.push(await session.ask('occurrences', { ...request, hosts, thread }));
  const all = answers.flatMap((answer) => linesOf(answer, session));
  const each = filter.limited(all.sort((a, b) => b.ns - a.ns || a.from - b.from));
  const count = answers.reduce((sum, answer) => sum + answer.count, 0);
  return {
    json: { count, each },
    print() {
      print(`${count} in all, ${each.length} listed`);
      print();
      printTable(
        ['from ns', 'ns', 'thread', 'name', 'what', 'file'],
        each.map((one) => [one.from, one.ns, one.worker, one.name, one.what, one.file ?? '']),
      );
    },
  };
}

function linesOf(answer: Occurrences, session: TraceSession) {
  const { fromNs, ns, thread, subject, file, threads, names } = answer;
  return Array.from({ length: answer.length }, (_, i) => {
    const { row, name, host } = threads[thread[i]];
    return {
      ...hostName(session, host),
      worker: workerOf(session, row),
      name,
      from: fromNs[i] - session.firstNs,
      ns: ns[i],
      what: names[subject[i]],
      file: names[file[i]] || undefined,
    };
  });
}
