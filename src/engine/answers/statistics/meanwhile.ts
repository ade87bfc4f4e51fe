/**
 * The activity of a CPU while a thread waited for it, while an interrupt was handled, or from the raise of a softirq on, as
 * pieces that tile the time. A piece names only what the history shows on this CPU then.
 */
import type { HostNs } from '../../base/units.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import { interruptName } from '../../linux/events/interrupt-names.ts';
import * as values from '../../linux/events/values.ts';
import { priorities, type Priorities } from '../../linux/sums/priorities.ts';
import { wakeFacts, type WakeFacts } from '../../linux/sums/wake-facts.ts';
import type { Meanwhile, MeanwhilePiece, MeanwhileThread } from '../../protocol/statistics.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import type { QueryOf } from '../context/query.ts';
import { hostsOfRow, threadOf, threadOfRow } from '../context/thread-rows.ts';

export const meanwhile: QueryOf<'meanwhile'> = {
  nothing: () => [],
  async answer({ trace: { hosts, onDemand }, signal }, { stretches }) {
    const known = await onDemand?.resultOf<readonly Priorities[]>(priorities.id);
    const facts = await onDemand?.resultOf<readonly WakeFacts[]>(wakeFacts.id);
    const readers = new Map<KernelHost, ReturnType<typeof meanwhileReader>>();
    const found: Meanwhile[] = [];
    for (const { row, fromNs, ns } of stretches) {
      signal?.throwIfAborted();
      const host = hostsOfRow(hosts, row).find(isKernelHost);
      if (host === undefined) {
        found.push({ pieces: [{ fromNs, ns, cpu: undefined, kind: 'unknown' }] });
        continue;
      }
      const isOfHost = (one: { readonly host: number }) => one.host === host.index;
      const reader = readers.get(host) ?? meanwhileReader(host, known?.find(isOfHost), facts?.find(isOfHost));
      readers.set(host, reader);
      const from = Math.round(host.clock.toHost(fromNs));
      found.push(await reader(row, from, from + ns));
    }
    return found;
  },
};

/** A piece with host times. */
type Piece = Omit<MeanwhilePiece, 'fromNs' | 'ns'> & { readonly from: HostNs; to: HostNs };

interface Span {
  readonly from: HostNs;
  readonly to: HostNs;
  /** Value of the attribute; NO_VALUE: none. */
  readonly value: number;
}

const NO_VALUE = -1;

function meanwhileReader(host: KernelHost, known: Priorities | undefined, facts: WakeFacts | undefined) {
  const { query, clock } = host;

  const described = (thread: number, time: HostNs): MeanwhileThread => {
    const { row, name, tid } = threadOf(host, thread);
    return { row, name, tid, priority: known?.at(tid, time) };
  };

  const isInterrupted = async (thread: number, time: HostNs): Promise<boolean> => {
    const interval = await query.at(host.tables.threads.stateAttribute[thread], time);
    return interval === undefined || values.stateOf(interval.value) === values.STATE_INTERRUPTED;
  };

  const addPiece = async (
    pieces: Piece[],
    cpu: number,
    { from, to, value }: Span,
    thread: number,
  ): Promise<void> => {
    const state = value === NO_VALUE ? values.CPU_UNKNOWN : values.stateOf(value);
    const isIdleThread = thread >= 0 && host.tables.threads.idleCpu[thread] >= 0;
    if (values.isInterrupt(value)) {
      const interrupt = interruptName(value, (text) => query.text(text));
      const isOwn =
        state === values.CPU_SOFTIRQ && thread >= 0 && !isIdleThread && !(await isInterrupted(thread, from));
      const kind = state === values.CPU_SOFTIRQ ? 'softirq' : 'interrupt';
      add(pieces, { from, to, cpu, kind, interrupt, ...(isOwn && { thread: described(thread, from) }) });
    } else if (state === values.CPU_IDLE || (state !== values.CPU_UNKNOWN && isIdleThread)) {
      const spent = facts?.idleWithin(cpu, from, to) ?? [{ from, to, state: undefined }];
      for (const { state: idleState, ...span } of spent)
        add(pieces, { ...span, cpu, kind: 'idle', ...(idleState !== undefined && { idleState }) });
    } else if (state === values.CPU_UNKNOWN || thread < 0) add(pieces, { from, to, cpu, kind: 'unknown' });
    else add(pieces, { from, to, cpu, kind: 'thread', thread: described(thread, from) });
  };

  /** @param span its value is the number of the CPU */
  const readCpu = async ({ from, to, value: cpu }: Span, pieces: Piece[]): Promise<void> => {
    const row = host.tables.cpus.find((one) => one.cpu === cpu);
    if (row === undefined) {
      // The CPU whose queue the thread is in is not known.
      add(pieces, { from, to, cpu: undefined, kind: 'unknown' });
      return;
    }
    const states = await spans(query, row.stateAttribute, from, to);
    const running = await spans(query, row.threadAttribute, from, to);
    let current = 0;
    for (const state of states) {
      for (let at = state.from; at < state.to;) {
        while (running[current].to <= at) current++;
        const end = Math.min(state.to, running[current].to);
        // Values are thread rows plus 1; 0: unknown.
        await addPiece(pieces, cpu, { from: at, to: end, value: state.value }, running[current].value - 1);
        at = end;
      }
    }
  };

  /**
   * CPUs on whose queue a thread was; before, the CPU that it was put on later, as threads on its former CPU did not
   * delay it.
   */
  const queuedOn = async (thread: number, from: HostNs, to: HostNs): Promise<Span[]> => {
    const { tid, cpuAttribute, stateAttribute } = host.tables.threads;
    const ready = await query.at(stateAttribute[thread], from);
    const isWoken = ready !== undefined && values.stateOf(ready.value) === values.STATE_WOKEN;
    const put = isWoken ? facts?.queuedWithin(tid[thread], from, to) : undefined;
    const begin = put?.time ?? from;
    const spansFrom = await spans(query, cpuAttribute[thread], begin, to);
    return put === undefined || begin === from
      ? spansFrom
      : [{ from, to: begin, value: put.cpu }, ...spansFrom];
  };

  const wakerOf = async (thread: number, woken: HostNs): Promise<Meanwhile['waker']> => {
    const { stateAttribute, cpuAttribute } = host.tables.threads;
    const wait = await query.at(stateAttribute[thread], woken - 1);
    const cause = wait === undefined || wait.to !== woken ? values.CAUSE_NONE : values.causeOf(wait.value);
    if (wait === undefined || cause === values.CAUSE_NONE) return undefined;
    const detail = values.detailOf(wait.value);
    if (cause !== values.CAUSE_THREAD)
      return { name: detail < 0 ? values.CAUSES[cause] : query.text(detail) };
    const { row, name } = threadOf(host, detail);
    const state = await query.at(stateAttribute[detail], woken);
    const cpu = await query.at(cpuAttribute[detail], woken);
    const isKnown = state !== undefined && cpu !== undefined && values.isRunning(values.stateOf(state.value));
    return { name, row, ...(isKnown && { cpu: cpu.value }) };
  };

  /** @param row of a thread, or `cpu:HOST:NUMBER` */
  return async (row: string, from: HostNs, to: HostNs): Promise<Meanwhile> => {
    const thread = threadOfRow(host, row);
    const cpu = row.startsWith('cpu:') ? Number(row.split(':')[2]) : NO_VALUE;
    const queued = thread < 0 ? [{ from, to, value: cpu }] : await queuedOn(thread, from, to);
    const pieces: Piece[] = [];
    for (const span of queued) await readCpu(span, pieces);
    const waker = thread < 0 ? undefined : await wakerOf(thread, from);
    return {
      pieces: pieces.map(({ from: begin, to: end, ...piece }) => {
        return { fromNs: clock.toExperiment(begin), ns: end - begin, ...piece };
      }),
      ...(waker && { waker }),
    };
  };
}

/** Intervals of an attribute cut to [from, to), and the gaps between them. */
async function spans(
  query: Pick<HistoryQuery, 'intervals'>,
  attribute: number,
  from: HostNs,
  to: HostNs,
): Promise<Span[]> {
  const tiles: Span[] = [];
  let at = from;
  const addUpTo = (end: HostNs, value: number): void => {
    if (at < end) tiles.push({ from: at, to: end, value });
    at = Math.max(at, end);
  };
  for (const interval of attribute < 0 ? [] : await query.intervals(attribute, from, to)) {
    addUpTo(Math.min(to, interval.from), NO_VALUE);
    addUpTo(Math.min(to, interval.to), interval.value);
  }
  addUpTo(to, NO_VALUE);
  return tiles;
}

/** Adds a piece, or extends the last one where it continues. */
function add(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  const isSame =
    last?.kind === piece.kind &&
    last.cpu === piece.cpu &&
    last.interrupt === piece.interrupt &&
    last.thread?.row === piece.thread?.row &&
    last.idleState === piece.idleState;
  if (isSame) last.to = piece.to;
  else pieces.push(piece);
}
