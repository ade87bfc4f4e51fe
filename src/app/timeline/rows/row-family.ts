/** Rows of processes below the process that forked them, as `pstree` shows them. Pure; linear in the rows. */
import { addTo } from '../../../engine/base/group-by.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';

/** Most levels of processes; deeper ones keep their normal parents. */
const MOST_LEVELS = 100;

/** Parent of each row; -1: none. Processes that never ran, but forked others, leave their group. */
export function parentsByFork(rows: readonly RowInfo[]): Int32Array {
  const parents = Int32Array.from(rows, ({ parent }) => parent);
  const lives = livesByPid(rows);
  const groupOf = (i: number) => (rows[i].parent < 0 ? undefined : rows[rows[i].parent].kind);
  const forkerOf = (i: number) => {
    const { host, ppid, firstNs } = rows[i];
    const of = lives.get(host)?.get(ppid ?? -1) ?? [];
    return of.findLast((life) => rows[life].firstNs <= firstNs) ?? of.at(0) ?? -1;
  };
  const place = (i: number): void => {
    const forker = forkerOf(i);
    if (forker < 0 || !MAY_FORK.has(groupOf(forker)) || !mayStandBelow(parents, forker, i)) return;
    parents[i] = forker;
    if (groupOf(forker) !== 'never-ran' || parents[forker] !== rows[forker].parent) return;
    parents[forker] = rows[rows[forker].parent].parent;
    place(forker);
  };
  rows.forEach((row, i) => {
    const group = groupOf(i);
    if (row.ppid !== undefined && (group === 'host' || group === 'namespace')) place(i);
  });
  return parents;
}

/** Kinds of groups whose processes may move below others. */
const MAY_FORK: ReadonlySet<RowInfo['kind'] | undefined> = new Set(['host', 'namespace', 'never-ran']);

/** Rows of processes, by host and pid, in order of their begins. */
function livesByPid(rows: readonly RowInfo[]): Map<number, Map<number, number[]>> {
  const hosts = new Map<number, Map<number, number[]>>();
  const livesOf = (host: number): Map<number, number[]> => {
    const known = hosts.get(host) ?? new Map<number, number[]>();
    hosts.set(host, known);
    return known;
  };
  const processes = Array.from(rows.keys()).filter(
    (i) => isOfProcess(rows[i]) && rows[rows[i].parent]?.kind !== 'process',
  );
  const pidOf = (i: number) => rows[i].pid ?? -1;
  const hasRun = (i: number) => rows[rows[i].parent]?.kind !== 'never-ran';
  for (const i of processes) if (hasRun(i)) addTo(livesOf(rows[i].host), pidOf(i), i);
  // If the leader never ran but other threads did, the row of the process stands for it.
  for (const i of processes) {
    const lives = livesOf(rows[i].host);
    if (!hasRun(i) && !lives.has(pidOf(i))) lives.set(pidOf(i), [i]);
  }
  for (const lives of hosts.values())
    for (const of of lives.values()) of.sort((a, b) => rows[a].firstNs - rows[b].firstNs);
  return hosts;
}

/** A process, or the only thread of one. */
function isOfProcess({ kind, tid, pid }: RowInfo): boolean {
  return pid !== undefined && (kind === 'process' || (kind === 'thread' && tid === pid));
}

/** Whether a row can move below another: no cycle, which a faulty trace may cause, and not too deep. */
function mayStandBelow(parents: Int32Array, above: number, row: number): boolean {
  let levels = 0;
  for (let i = above; i >= 0; i = parents[i]) if (i === row || ++levels > MOST_LEVELS) return false;
  return true;
}
