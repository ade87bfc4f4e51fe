/** Groups processes of one name below a row for their program. Pure; linear in the rows. */
import { addTo } from '../../engine/base/group-by.ts';
import { plainRow } from '../../engine/answers/rows/row-columns.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';

/**
 * The rows, with one more for each program whose name several processes of a host, or of a namespace, have. The tracer,
 * kernel threads and processes that never ran stay in their groups.
 */
export function groupedByProgram(rows: readonly RowInfo[]): readonly RowInfo[] {
  const programs = programsOf(rows);
  if (programs.size === 0) return rows;
  const below = new Map<number, number[]>();
  rows.forEach(({ parent }, i) => addTo(below, parent, i));
  const grouped: RowInfo[] = [];
  const add = (i: number, parent: number): void => {
    const at = grouped.push({ ...plainRow(rows[i]), parent }) - 1;
    for (const child of below.get(i) ?? []) {
      const members = programs.get(child);
      if (members === undefined) add(child, at);
      // All processes of a program are added at the first one.
      else if (members[0] === child) addProgram(members, at);
    }
  };
  const addProgram = (members: readonly number[], parent: number) => {
    const of = members.map((member) => rows[member]);
    const at = grouped.push({ ...programRow(rows[of[0].parent], of), parent }) - 1;
    for (const member of members) add(member, at);
  };
  for (const root of below.get(-1) ?? []) add(root, -1);
  return grouped;
}

/** Whether several processes have one program. Called with each list of rows, so it stops at the first two. */
export function hasPrograms(rows: readonly RowInfo[]): boolean {
  const named = new Set<string>();
  return rows.some((row) => {
    const program = programOf(rows, row);
    if (program === undefined) return false;
    const isKnown = named.has(program);
    named.add(program);
    return isKnown;
  });
}

/** Parent and name of a process as a key; undefined: the row is no process, or is not grouped. */
function programOf(rows: readonly RowInfo[], row: RowInfo): string | undefined {
  const { kind, parent } = row;
  const above = rows[parent]?.kind;
  const isProcess = kind === 'process' || kind === 'thread';
  return isProcess && (above === 'host' || above === 'namespace') ? `${parent} ${row.name}` : undefined;
}

/** Indices of all processes of a program of several, in order, by index of each of them. */
function programsOf(rows: readonly RowInfo[]): ReadonlyMap<number, readonly number[]> {
  const named = new Map<string, number[]>();
  rows.forEach((row, i) => {
    const program = programOf(rows, row);
    if (program !== undefined) addTo(named, program, i);
  });
  const programs = new Map<number, readonly number[]>();
  for (const members of named.values())
    if (members.length > 1) for (const member of members) programs.set(member, members);
  return programs;
}

/** The row of a program, with the sums of its processes. */
function programRow(above: RowInfo, processes: readonly RowInfo[]): RowInfo {
  const [{ name, host }] = processes;
  return {
    ...{ id: `program:${above.id}:${name}`, parent: -1, kind: 'program', name, host, attribute: -1 },
    cpuTimeNs: processes.reduce((sum, { cpuTimeNs }) => sum + cpuTimeNs, 0),
    events: 0,
    ran: processes.some(({ ran }) => ran),
    kernelThread: false,
    firstNs: processes.reduce((first, { firstNs }) => Math.min(first, firstNs), Infinity),
    lastNs: processes.reduce((last, { lastNs }) => Math.max(last, lastNs), -Infinity),
  };
}
