/** Owners of the time on a path: programs, processes and hosts with their sums. Pure. */
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { PathWorker } from '../../engine/protocol/paths.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { rowById } from '../timeline/rows/row-by-id.ts';
import { longerOf, pathRows } from './path-rows.ts';
import type { ExplainedPath } from './path-state.ts';

/** A program is all processes of one name on a host. */
export type OwnerKind = 'program' | 'process' | 'host';

export interface PathOwner {
  readonly key: string;
  /** Name as the trace has it. */
  readonly name: string;
  /** Id of the process; -1: it is a group, or it is not known. */
  readonly pid: number;
  /** Name of the host, safe to show. */
  readonly host: string;
  /** Processes on the path; interrupts are none. */
  readonly processes: number;
  readonly ns: number;
  /** ns by draw code, most first. */
  readonly states: ReadonlyMap<number, number>;
  /** Number of the longest segment of these; -1: none. */
  readonly longest: number;
}

/** The process of a worker on a path. */
export interface PathProcess {
  readonly id: string;
  readonly name: string;
  readonly pid: number;
}

/** Most time first. The sums add up to those of the path's parts. @param rows of the experiment */
export function pathOwners(
  answer: ExplainedPath,
  kind: OwnerKind,
  info: ExperimentInfo,
  rows: readonly RowInfo[],
): PathOwner[] {
  const owners = new Map<string, Sum>();
  const processes = answer.workers.map((worker) => processOf(worker, rows));
  for (const { worker, host, code, ns, longest } of pathRows(answer, 'thread', info)) {
    const process = processes[worker];
    const name = kind === 'host' ? host : process.name;
    const own = kind === 'process' ? process.id : name;
    const key = `${answer.workers[worker].host} ${own}`;
    let owner = owners.get(key);
    if (owner === undefined) {
      owner = new Sum(name, kind === 'process' ? process.pid : -1, host);
      owners.set(key, owner);
    }
    if (answer.workers[worker].row !== undefined) owner.processes.add(process.id);
    owner.ns += ns;
    owner.states.set(code, (owner.states.get(code) ?? 0) + ns);
    owner.longest = longerOf(answer, owner.longest, longest);
  }
  return Array.from(owners, ([key, { name, pid, host, processes, ns, states, longest }]) => ({
    key,
    name,
    pid,
    host,
    processes: processes.size,
    ns,
    states: new Map([...states].sort(([, a], [, b]) => b - a)),
    longest,
  })).sort((a, b) => b.ns - a.ns);
}

class Sum {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly processes = new Set<string>();
  readonly states = new Map<number, number>();
  ns = 0;
  longest = -1;

  constructor(name: string, pid: number, host: string) {
    this.name = name;
    this.pid = pid;
    this.host = host;
  }
}

/** A thread whose process has no row stands for itself, interrupts stand together. */
export function processOf({ row: id, name, tid = -1 }: PathWorker, rows: readonly RowInfo[]): PathProcess {
  if (id === undefined) return { id: 'interrupts', name: 'Interrupts', pid: -1 };
  const above = rows[rowById(rows, id)?.parent ?? -1] as RowInfo | undefined;
  return above?.kind === 'process'
    ? { id: above.id, name: above.name, pid: above.pid ?? -1 }
    : { id, name, pid: tid };
}
