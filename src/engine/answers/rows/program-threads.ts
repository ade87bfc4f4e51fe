/** Threads of hosts without a kernel trace, as events of programs name them. */
import type { HostNs } from '../../base/units.ts';
import { KEY } from '../../density/lanes.ts';
import { nameOfProcess } from '../../density/process-names.ts';
import { type HostEvents, MOST_THREADS } from '../../density/thread-events.ts';
import type { ThreadNumber } from '../../layers/contract/event-threads.ts';
import { frameWords } from '../../layers/stacks/frame-names.ts';
import type { ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';
import { threadRowId } from './event-rows.ts';
import type { HostHistory } from '../context/host.ts';
import type { OpenTrace } from '../context/open-trace.ts';

/** A row per thread; a tid is never used again. */
interface ProgramThreads extends Pick<
  ThreadRows,
  'length' | 'tid' | 'incarnation' | 'pid' | 'mode' | 'idleCpu'
> {
  /** Nested pid namespace that `tid` and `pid` are of; 0 none. */
  readonly ns: Int32Array;
  /** Name of the thread in frames: last context `procname`, else the name of the process, else the tid. */
  readonly name: readonly string[];
  /** HostNs of its first and its last event. */
  readonly from: ArrayLike<HostNs>;
  readonly to: ArrayLike<HostNs>;
}

export interface ProgramHost extends Pick<HostHistory, 'index' | 'clock'> {
  readonly threads: ProgramThreads;
  /** Row of a thread; -1: not known. */
  rowOf(thread: ThreadNumber): number;
  rowId(thread: number): string;
}

/** All hosts of a trace, by index; a host whose events name no thread has no threads. */
export function programHosts(trace: Pick<OpenTrace, 'hosts' | 'threadEvents'>): Promise<ProgramHost[]> {
  return Promise.all(
    trace.hosts.map(async ({ index, clock }): Promise<ProgramHost> => {
      const threads = threadsOf(await trace.threadEvents(index));
      const { length, tid, pid, ns } = threads;
      const rows = new Map(Array.from({ length }, (_, row) => [`${tid[row]} ${ns[row]}`, row]));
      return {
        ...{ index, clock, threads },
        rowOf: (thread) => rows.get(`${thread.tid} ${thread.ns}`) ?? -1,
        rowId: (row) => threadRowId(index, { tid: tid[row], pid: pid[row], ns: ns[row] }),
      };
    }),
  );
}

function threadsOf(events: HostEvents | undefined): ProgramThreads {
  const { keys = new Int32Array(0), from = [], to = [] } = events?.threads ?? {};
  const length = Math.min(keys.length / KEY, from.length, MOST_THREADS);
  const part = (place: number) => Int32Array.from({ length }, (_, row) => keys[KEY * row + place]);
  const [tid, pid, ns] = [part(0), part(1), part(2)];
  const nameOf = (row: number): string =>
    events === undefined ? '' : events.names[row] || nameOfProcess(events.processes, pid[row], ns[row]);
  return {
    ...{ length, tid, pid, ns, from, to },
    incarnation: new Int32Array(length).fill(1),
    mode: new Uint8Array(length),
    idleCpu: new Int32Array(length).fill(-1),
    name: Array.from(tid, (number, row) => frameWords(nameOf(row)) || String(number)),
  };
}
