/** `latencies PATH… [--kind KIND] [--real-time] [--thread TID] [--above 100us]`: the longest delays, and what ran meanwhile. */
import { missingEvents } from '../../engine/answers/context/recorded.ts';
import type { Meanwhile, Occurrences, OccurrencesRequest } from '../../engine/protocol/statistics.ts';
import type { EventKind } from '../../engine/trace/event-kinds.ts';
import { pieceWords, wakerWords } from '../../engine/words/meanwhile-words.ts';
import { reportLosses } from '../messages.ts';
import { threadNamed } from '../named-threads.ts';
import { type Command, oneOf, UsageError } from '../options.ts';
import { print, printJson } from '../output.ts';
import { onTrace, type TraceSession } from '../trace-session.ts';
import { binsOf, hostName, workerOf } from './statistic.ts';
import { printTable } from './table.ts';

/** Delays listed where `--limit` says no number. */
const FEW = 20;

interface Kind extends Pick<OccurrencesRequest, 'of' | 'only'> {
  /** It is not known unless some event of each group was recorded. */
  readonly needs: readonly (readonly EventKind[])[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  wakeup: { of: 'sched', only: 'woken', needs: [['switch'], ['waking', 'wakeup', 'wakeup-new']] },
  preempted: { of: 'sched', only: 'preempted', needs: [['switch']] },
  irq: { of: 'irq', only: 'interrupts', needs: [['irq-entry', 'hrtimer-entry', 'vector']] },
  softirq: { of: 'irq', only: 'softirqs', needs: [['softirq-entry']] },
};

export const latencies: Command = (paths, options) => {
  const { kind = 'wakeup', above, isRealTime, thread, limit = FEW } = options;
  const { of, only, needs } = KINDS[oneOf('--kind', Object.keys(KINDS), kind)];
  if (of === 'irq' && (isRealTime || thread !== undefined))
    throw new UsageError(`--real-time and --thread: "${kind}" is of no thread`);
  return onTrace(paths, options, async (session) => {
    await reportLosses(session);
    const missing = missingEvents(session.hosts, needs);
    if (missing.length > 0) throw new UsageError(`latencies: not recorded: ${missing.join(', ')}`);
    const request: OccurrencesRequest = {
      ...{ of, only },
      range: session.range,
      hosts: session.hosts.map(({ index }) => index),
      thread: thread === undefined ? undefined : threadNamed(session, thread).row,
      isRealTime,
      limit,
    };
    const all = await session.ask('occurrences', request);
    const over =
      above === undefined
        ? undefined
        : await session.ask('occurrences', { ...request, minNs: above + 1, limit: 0 });
    const listed = Array.from({ length: all.length }, (_, i) => i);
    const stretches = listed.map((i) => {
      return { row: all.owners[all.owner[i]].row, fromNs: all.fromNs[i], ns: all.ns[i] };
    });
    const causes = await session.ask('meanwhile', { stretches });
    const found = listed.map((i) => latency(session, all, i, causes[i], above));
    const count = over?.durations.count;
    if (options.json)
      printJson({
        kind,
        isRealTime,
        count: all.durations.count,
        bins: binsOf(all.durations.bins),
        above,
        over: count,
        latencies: found,
      });
    else {
      const limitText = above === undefined ? '' : `, ${count} above ${above} ns`;
      print(`${all.durations.count} in all${limitText}, ${found.length} listed`);
      found.forEach(printLatency);
    }
  });
};

function latency(session: TraceSession, all: Occurrences, i: number, meanwhile: Meanwhile, above = Infinity) {
  const { row, name, host } = all.owners[all.owner[i]];
  return {
    ...hostName(session, host),
    worker: workerOf(session, row),
    name,
    what: all.names[all.subject[i]],
    from: all.fromNs[i] - session.firstNs,
    ns: all.ns[i],
    isAbove: all.ns[i] > above,
    wakeUp: wakerWords(meanwhile),
    meanwhile: meanwhile.pieces.map((piece) => {
      const { fromNs, ns, cpu, kind, interrupt, thread, idleState } = piece;
      const ran = thread && {
        worker: workerOf(session, thread.row),
        name: thread.name,
        priority: thread.priority,
      };
      const text = pieceWords(piece);
      return { from: fromNs - session.firstNs, ns, cpu, kind, interrupt, thread: ran, idleState, text };
    }),
  };
}

function printLatency({
  worker,
  name,
  what,
  from,
  ns,
  isAbove,
  wakeUp,
  meanwhile,
}: ReturnType<typeof latency>): void {
  print();
  print(`${isAbove ? '! ' : ''}${ns} ns from ${from}: ${worker} ${name}, ${wakeUp ?? what}`);
  printTable(
    ['from ns', 'ns', 'cpu', 'what ran'],
    meanwhile.map((piece) => [piece.from, piece.ns, piece.cpu ?? '', piece.text]),
  );
}
