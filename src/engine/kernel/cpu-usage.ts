/**
 * Time on the CPU per thread and per CPU, from switches alone (spec 03 section 4, analysis 2; the `cpu` analysis of
 * seed 001 §5.3): an aggregate, mergeable in any order of streams. What ran before a CPU's first switch is told by that
 * switch. A thread that migrates has its executions on each CPU apart.
 *
 * The split by state and the answer for a time range come from the state history (`cpu-totals.ts`), whose summaries
 * need no decoding; this aggregate is of whole chunks.
 */
import type { Analysis, EventBatch } from '../analysis/contract.ts';
import { THREAD_UNKNOWN } from './cpu-context.ts';
import { createIntIndex, findInt, putInt } from './int-index.ts';
import { kernelMeaning } from './meanings.ts';
import { intAt, textAt } from './row-fields.ts';
import { mergePieces } from './stream-pieces.ts';
import type { StreamPiece } from './stream-pieces.ts';
import { createTextTable } from './text-table.ts';

/** Executions of threads on one CPU; columns by tid, ascending. tid 0 is the idle thread. */
export interface Executions {
  readonly tid: Int32Array;
  /** Of complete executions: switched in and out. */
  readonly ns: Float64Array;
  readonly longest: Float64Array;
  /** Switch-ins. */
  readonly runs: Float64Array;
  /** Last name told, '' none; and when. */
  readonly name: readonly string[];
  readonly namedAt: Float64Array;
}

/** Chunks of one stream. */
export interface UsagePiece extends StreamPiece {
  readonly host: number;
  readonly cpu: number;
  /** First and last event, TimeNs; NaN none. */
  readonly from: number;
  readonly to: number;
  /** First event that tells who runs (a switch, a loss), NaN none; and who ran until then, THREAD_UNKNOWN. */
  readonly firstChange: number;
  readonly beginTid: number;
  /** Last such event, NaN none; and who runs since. */
  readonly lastChange: number;
  readonly endTid: number;
  readonly executions: Executions;
}

export type CpuUsageLeaf = readonly UsagePiece[];

export interface CpuUse {
  readonly host: number;
  readonly cpu: number;
  /** First and last event of its streams. */
  readonly first: number;
  readonly last: number;
  readonly busyNs: number;
  readonly idleNs: number;
  readonly unknownNs: number;
}

export interface ThreadUse {
  readonly host: number;
  readonly cpu: number;
  readonly tid: number;
  readonly name: string;
  readonly ns: number;
  readonly longestNs: number;
  readonly runs: number;
}

export interface CpuUsage {
  /** In order of host and CPU. */
  readonly cpus: readonly CpuUse[];
  /** One entry per thread and CPU it ran on, in order of host, tid, CPU; idle left out. */
  readonly executions: readonly ThreadUse[];
}

export const cpuUsage: Analysis<CpuUsageLeaf, CpuUsage> = {
  id: 'cpu-usage',
  version: 1,
  reads: { meanings: [kernelMeaning('switch', 'prev_tid', 'prev_comm', 'next_tid', 'next_comm')] },
  map: mapUsage,
  merge: (a, b) => mergePieces(a, b, joinUsage),
  empty: [],
  finish: finishUsage,
};

function mapUsage(batch: EventBatch): CpuUsageLeaf {
  if (batch.domain !== 'kernel' || batch.packets.length === 0) return [];
  const { rows, packets, plan, chunk } = batch;
  const meaning = plan.meaning('switch');
  const place = (name: string) => plan.field('switch', name);
  const [prevTid, prevComm, nextTid, nextComm] = ['prev_tid', 'prev_comm', 'next_tid', 'next_comm'].map(
    place,
  );
  const texts = createTextTable();
  const sums = createSums();
  let firstChange = NaN;
  let beginTid = THREAD_UNKNOWN;
  let lastChange = NaN;
  let endTid = THREAD_UNKNOWN;

  const change = (time: number, leaves: number, enters: number): void => {
    if (Number.isNaN(firstChange)) {
      firstChange = time;
      beginTid = leaves;
    } else if (endTid !== THREAD_UNKNOWN) {
      sums.addRun(endTid, time - lastChange);
    }
    lastChange = time;
    endTid = enters;
  };
  for (let packet = 0; packet < packets.length; packet++) {
    const lost = packets.discardedEvents[packet] > 0;
    if (lost || packets.lostPackets[packet] > 0) forget(packets.previousEnd[packet]);
    for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
      if (rows.meaning[row] !== meaning) continue;
      const at = rows.at[row];
      const time = rows.time[row];
      const leaves = intAt(rows, at, prevTid, THREAD_UNKNOWN);
      const enters = intAt(rows, at, nextTid, THREAD_UNKNOWN);
      change(time, leaves, enters);
      sums.setName(leaves, textAt(rows, at, prevComm, texts), time);
      sums.setName(enters, textAt(rows, at, nextComm, texts), time);
      sums.countRun(enters);
    }
    if (lost) forget(packets.lastEvent[packet]);
  }
  /** A loss begins: who runs is told by the next switch only. */
  function forget(time: number): void {
    if (!Number.isNaN(time)) change(time, THREAD_UNKNOWN, THREAD_UNKNOWN);
  }

  const piece: UsagePiece = {
    rank: batch.streamRank,
    first: chunk.sequence,
    last: chunk.sequence,
    host: chunk.host,
    cpu: packets.cpu[0],
    from: leastOf(packets.firstEvent),
    to: greatestOf(packets.lastEvent),
    firstChange,
    beginTid,
    lastChange,
    endTid,
    executions: sums.columns(texts.texts),
  };
  return [piece];
}

/** The earlier piece's last thread ran until the later one's first change. */
function joinUsage(a: UsagePiece, b: UsagePiece): UsagePiece {
  const joined = { ...a, last: b.last, from: leastOf([a.from, b.from]), to: greatestOf([a.to, b.to]) };
  const sums = createSums();
  const texts: string[] = [];
  sums.addAll(a.executions, texts);
  sums.addAll(b.executions, texts);
  const bothChange = !Number.isNaN(a.lastChange) && !Number.isNaN(b.firstChange);
  if (bothChange && a.endTid !== THREAD_UNKNOWN) sums.addRun(a.endTid, b.firstChange - a.lastChange);
  const head = Number.isNaN(a.firstChange) ? b : a;
  const tail = Number.isNaN(b.lastChange) ? a : b;
  return {
    ...joined,
    firstChange: head.firstChange,
    beginTid: head.beginTid,
    lastChange: tail.lastChange,
    endTid: tail.endTid,
    executions: sums.columns(texts),
  };
}

function finishUsage(leaf: CpuUsageLeaf): CpuUsage {
  const groups = new Map<string, UsagePiece[]>();
  for (const piece of leaf) {
    const key = `${piece.host} ${piece.cpu}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [piece]);
    else known.push(piece);
  }
  const cpus: CpuUse[] = [];
  const executions: ThreadUse[] = [];
  for (const pieces of groups.values()) {
    const { host, cpu } = pieces[0];
    const first = leastOf(pieces.map((piece) => piece.from));
    const last = greatestOf(pieces.map((piece) => piece.to));
    const sums = createSums();
    const texts: string[] = [];
    for (const piece of pieces) {
      sums.addAll(piece.executions, texts);
      if (Number.isNaN(piece.firstChange)) continue;
      if (piece.beginTid !== THREAD_UNKNOWN) sums.addRun(piece.beginTid, piece.firstChange - first);
      if (piece.endTid !== THREAD_UNKNOWN) sums.addRun(piece.endTid, last - piece.lastChange);
    }
    const all = sums.columns(texts);
    const idleNs = all.tid[0] === 0 ? all.ns[0] : 0;
    const busyNs = all.ns.reduce((sum, ns) => sum + ns, 0) - idleNs;
    cpus.push({ host, cpu, first, last, busyNs, idleNs, unknownNs: last - first - busyNs - idleNs });
    all.tid.forEach((tid, i) => {
      if (tid === 0) return;
      const { name, ns, longest, runs } = all;
      executions.push({ host, cpu, tid, name: name[i], ns: ns[i], longestNs: longest[i], runs: runs[i] });
    });
  }
  return {
    cpus: cpus.sort((a, b) => a.host - b.host || a.cpu - b.cpu),
    executions: executions.sort((a, b) => a.host - b.host || a.tid - b.tid || a.cpu - b.cpu),
  };
}

/** Sums by tid while they grow. */
function createSums() {
  const index = createIntIndex(64);
  const tids: number[] = [];
  const ns: number[] = [];
  const longest: number[] = [];
  const runs: number[] = [];
  const name: number[] = [];
  const namedAt: number[] = [];
  function entryOf(tid: number): number {
    const known = findInt(index, tid);
    if (known >= 0) return known;
    const entry = tids.push(tid) - 1;
    putInt(index, tid, entry);
    ns.push(0);
    longest.push(0);
    runs.push(0);
    name.push(-1);
    namedAt.push(-Infinity);
    return entry;
  }
  return {
    /** An execution; one that ends before it begins (a stream whose time goes back) has no length. */
    addRun(tid: number, length: number): void {
      const entry = entryOf(tid);
      ns[entry] += Math.max(0, length);
      longest[entry] = Math.max(longest[entry], length);
    },
    countRun(tid: number): void {
      runs[entryOf(tid)]++;
    },
    setName(tid: number, text: number, time: number): void {
      const entry = entryOf(tid);
      if (text < 0 || time < namedAt[entry]) return;
      name[entry] = text;
      namedAt[entry] = time;
    },
    addAll(executions: Executions, texts: string[]): void {
      executions.tid.forEach((tid, i) => {
        const entry = entryOf(tid);
        ns[entry] += executions.ns[i];
        runs[entry] += executions.runs[i];
        longest[entry] = Math.max(longest[entry], executions.longest[i]);
        if (executions.namedAt[i] < namedAt[entry]) return;
        namedAt[entry] = executions.namedAt[i];
        name[entry] = texts.push(executions.name[i]) - 1;
      });
    },
    columns(texts: readonly string[]): Executions {
      const order = tids.map((_, entry) => entry).sort((a, b) => tids[a] - tids[b]);
      const pick = (column: readonly number[]) => Float64Array.from(order, (entry) => column[entry]);
      return {
        tid: Int32Array.from(order, (entry) => tids[entry]),
        ns: pick(ns),
        longest: pick(longest),
        runs: pick(runs),
        name: order.map((entry) => texts[name[entry]] ?? ''),
        namedAt: pick(namedAt),
      };
    },
  };
}

/** Without those that are NaN; NaN when none is left. */
function leastOf(values: Iterable<number>): number {
  let least = NaN;
  for (const value of values) if (!(value >= least) && !Number.isNaN(value)) least = value;
  return least;
}

function greatestOf(values: Iterable<number>): number {
  let greatest = NaN;
  for (const value of values) if (!(value <= greatest) && !Number.isNaN(value)) greatest = value;
  return greatest;
}
