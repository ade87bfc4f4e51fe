/** A path for the command line: causes of its segments, totals by group of workers, what was waited for. */
import { type GraphWorker, NOBODY } from '../../graph/execution-graph.ts';
import { foldedStacks } from '../../graph/folded-stacks.ts';
import type { GuestChoice } from '../../graph/guests.ts';
import { isOnHost, LABELS } from '../../graph/path-codes.ts';
import { type NamedGraphHost, type PathNames, pathNames } from '../../graph/path-names.ts';
import { pathTotals } from '../../graph/path-totals.ts';
import { type SegmentParts, segmentPartsWhile } from '../../graph/segment-parts.ts';
import { waitsForTree } from '../../graph/waits-for.ts';
import { TextList } from '../../base/text-list.ts';
import { visibleText } from '../../base/visible-text.ts';
import type { PathReport, PathReportRequest, PathGrouping } from '../../protocol/paths.ts';
import { machineText } from '../../words/machine-text.ts';
import { blockersOf, blockerTexts, partsIn, servedDuring, type FoundPath, stateWords } from './path-parts.ts';
import { type PathGraph, type PathLocks, guestsOnPath, virtualCpusOf } from './path-finder.ts';
import { holderIn, isLockWait, lockWaitWords, vainWaitsOn } from './path-locks.ts';
import type { HistoryGraph } from '../../graph/history-graph.ts';
import { processOf } from '../rows/process-threads.ts';

interface Found extends FoundPath {
  readonly guests: readonly GuestChoice[] | undefined;
}

/** A path with what its report needs. */
interface Words extends Found {
  readonly names: PathNames;
  readonly groups: PathGroups;
  readonly parts: SegmentParts;
  /** Name of a worker with the one that the program gave it: `web-1 1234`. */
  readonly fullName: (worker: GraphWorker) => string;
}

/** Hosts of a graph in its order, with their names in output. */
function namedHosts({ hosts, graph, names }: PathGraph, locks?: PathLocks) {
  return hosts.map(({ tables, index }, host): NamedGraphHost & { readonly name: string } => {
    const name = names[index];
    const lockName = (lock: number) => locks?.keyOf(graph.workerOfThread(host, 0), lock) ?? '';
    return { tables, name, prefix: names.length === 1 ? '' : `${name}:`, lockName };
  });
}

/** @returns undefined when the question was given up */
export async function pathReport(
  found: Found,
  { by, isFolded = false }: PathReportRequest,
  isWanted: () => boolean,
): Promise<PathReport | undefined> {
  const { known, path, locks, guests } = found;
  const { graph } = known;
  const sources = { virtualCpus: virtualCpusOf(known, guests), holderOf: locks && holderIn(locks) };
  const parts = await segmentPartsWhile(graph, path, sources, isWanted);
  if (parts === undefined) return undefined;
  const hosts = namedHosts(known, locks);
  const names = pathNames(graph, hosts);
  const fullName = (worker: GraphWorker): string => {
    const { host, thread } = graph.place(worker);
    const name = thread < 0 ? '' : hosts[host].tables.threads.name[thread];
    return `${name} ${names.worker(worker)}`.trim();
  };
  const words = { ...found, names, groups: pathGroups(by, graph, hosts, names), parts, fullName };
  const { worker, label, cause } = path.segments;
  return {
    worker: names.worker(path.worker),
    workers: Array.from(worker, (each) => names.worker(each)),
    causes: Array.from(worker, (each, i) => names.cause(each, label[i], cause[i])),
    totals: totalsOf(words),
    parts: partsOf(words),
    stacks: isFolded ? stacksOf(words) : [],
    vainWaits: vainWaits(words),
    machines: machinesOn(words),
  };
}

/** Time by group of workers, label and kind of cause; most time first. */
function totalsOf({ names, groups, path, parts: { parts } }: Words): PathReport['totals'] {
  const { segments: s } = path;
  return pathTotals(path, groups.of, (i, take) => {
    let left = s.to[i] - s.from[i];
    for (let part = parts.start[i]; part < parts.start[i + 1]; part++) {
      if (!isOnHost(parts.value[part])) continue;
      take(parts.value[part], parts.ns[part], '');
      left -= parts.ns[part];
    }
    take(s.label[i], left, names.kind(s.worker[i], s.label[i], s.cause[i]));
  }).map(({ group, value, detail, ns, segments }) => {
    return {
      group: groups.nameOf(group),
      label: isOnHost(value) ? stateWords(value).toLowerCase() : LABELS[value],
      cause: detail,
      ns,
      segments: segments.length,
    };
  });
}

/** Time by group of workers, state and system call, with who took it; most time first. */
function partsOf({ known, groups, path, parts, locks, fullName }: Words): PathReport['parts'] {
  const textOf = blockerTexts(parts, fullName);
  return pathTotals(path, groups.of, partsIn(known.graph, path, parts, locks?.keyOf)).map((total) => ({
    group: groups.nameOf(total.group),
    state: stateWords(total.value),
    call: total.detail,
    ns: total.ns,
    blockers: blockersOf(total, textOf),
    served: servedDuring(total, parts, fullName),
  }));
}

/** Folded stacks of what was waited for. */
function stacksOf({ path, parts, locks, fullName }: Words): string[] {
  const blockerText = blockerTexts(parts, fullName);
  const { parent, ns, kind, subject } = waitsForTree(path, parts);
  const textOf = (i: number): string => {
    if (kind[i] === 'worker') return fullName(subject[i]);
    if (kind[i] === 'blocker') return blockerText(subject[i]);
    return isLockWait(subject[i])
      ? `Waits for lock ${lockWaitWords(locks?.keyOf(subject[parent[i]], subject[i]) ?? '', subject[i])}`
      : stateWords(subject[i]);
  };
  return foldedStacks(parent, ns, (i) => visibleText(textOf(i)));
}

/** Waits for locks that nobody handed over, with the holders. */
function vainWaits({ path, locks, names }: Words): PathReport['vainWaits'] {
  return (locks === undefined ? [] : vainWaitsOn(path, locks)).map(({ worker, chain, ...rest }) => ({
    ...rest,
    worker: names.worker(worker),
    chain: chain.map(({ lock, holder }) => {
      return { lock, holder: holder === NOBODY ? undefined : names.worker(holder) };
    }),
  }));
}

/** Hosts that are taken for virtual machines though the user did not say so. */
function machinesOn({ known, path, guests }: Words): PathReport['machines'] {
  const { names } = known;
  return guestsOnPath(known, path, guests).flatMap(({ guest, machine, isGiven, isSynchronised }) =>
    machine === undefined || isGiven || !isSynchronised
      ? []
      : [{ guest: names[guest], machine: machineText(machine), host: names[machine.host] }],
  );
}

/** Groups of workers by which a path is totalled: threads, programs, processes, hosts. */
interface PathGroups {
  of(worker: GraphWorker): number;
  nameOf(group: number): string;
}

/** @param hosts in the graph's order */
function pathGroups(
  grouping: PathGrouping,
  graph: HistoryGraph,
  hosts: readonly (NamedGraphHost & { readonly name: string })[],
  names: PathNames,
): PathGroups {
  switch (grouping) {
    case 'thread':
      return { of: (worker) => worker, nameOf: (group) => names.worker(group) };
    case 'host':
      return {
        of: (worker) => graph.place(worker).host,
        nameOf: (group) => hosts[group].name,
      };
    case 'process':
    case 'program':
      return processes(grouping, graph, hosts);
  }
}

/** Groups by process or its name. The interrupts of a host, which belong to no process, are one group. */
function processes(
  grouping: 'process' | 'program',
  graph: HistoryGraph,
  hosts: readonly NamedGraphHost[],
): PathGroups {
  const groups = new TextList();
  return {
    of(worker) {
      const { host, thread } = graph.place(worker);
      const { tables, prefix } = hosts[host];
      const { threads } = tables;
      const pid = threads.pid[thread] ?? -1;
      const process =
        grouping === 'program' && thread >= 0
          ? processOf(threads, thread).name
          : String(pid >= 0 ? pid : threads.tid[thread]);
      return groups.indexOf(prefix + (thread < 0 ? 'irq' : process));
    },
    nameOf: (group) => groups.list[group],
  };
}
