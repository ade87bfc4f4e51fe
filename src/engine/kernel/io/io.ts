/**
 * Bytes and operations per thread, file and disk: an aggregate whose leaves keep calls and facts in columns
 * (`io-leaf.ts`). The answer for a time range is made from the same leaf, without decoding.
 */
import type { Analysis } from '../../analysis/contract.ts';
import { readAlone } from '../../analysis/read-packets.ts';
import { compareText } from '../../base/compare-text.ts';
import { addErrors, type ErrorCount } from '../error-counts.ts';
import { mergePieces } from '../stream-pieces.ts';
import { THREAD_LOST } from '../unknown-thread.ts';
import { joinCalls } from './io-calls-joined.ts';
import type { IoCall, ThreadAt } from './io-calls-joined.ts';
import { diskUsage } from './io-disks.ts';
import type { BlockBytes, DiskIo } from './io-disks.ts';
import { FileTables, type IoFact } from './io-files.ts';
import { FACT_NAME, joinIo } from './io-leaf.ts';
import type { IoLeaf, IoPart, IoPiece } from './io-leaf.ts';
import { ioReader } from './io-map.ts';
import { IO_MEANINGS } from './io-rules.ts';
import {
  type NameOf,
  type OwnedTransfers,
  type OwnerOf,
  type Transfers,
  TransferSums,
} from './io-transfers.ts';

/** A negative tid: events were lost, nobody knows whose calls these are. */
export interface ThreadIo extends OwnedTransfers {
  readonly host: number;
  /** As `OwnerOf` has it. */
  readonly owner: number;
  readonly pid: number;
  readonly name: string;
  /** Bytes of disk requests that it issued. */
  readonly disk: BlockBytes;
}

export interface FileIo extends Transfers {
  readonly host: number;
  readonly path: string;
}

export interface IoUsage {
  /** Most bytes first. */
  readonly threads: readonly ThreadIo[];
  readonly files: readonly FileIo[];
  readonly disks: readonly DiskIo[];
  /** Failed reads and writes, most frequent first. */
  readonly errors: readonly ErrorCount[];
}

export const ioUsage: Analysis<IoLeaf, IoUsage> = {
  id: 'io',
  version: 6,
  reads: { meanings: IO_MEANINGS },
  map: (batch) => readAlone(ioReader(batch.plan), batch),
  reader: (plan) => ioReader(plan),
  merge: (leaves) => mergePieces(leaves, joinIo),
  empty: [],
  finish: (leaf) => ioUsageIn(leaf, -Infinity, Infinity),
};

/** What a state history tells of threads. */
export interface ThreadsOfHistory {
  readonly ownerOf: OwnerOf;
  /** undefined: the leaf may know it, of the tid. */
  readonly nameOf: NameOf;
  readonly threadAt: ThreadAt;
}

const NO_HISTORY: ThreadsOfHistory = {
  ownerOf: (tid) => tid,
  nameOf: () => undefined,
  threadAt: () => THREAD_LOST,
};

/** What ended in [from, to) (TimeNs). `history` tells threads of all hosts of the leaf: mostly it is of one. */
export function ioUsageIn(leaf: IoLeaf, from: number, to: number, history = NO_HISTORY): IoUsage {
  const hosts = [...new Set(leaf.map((piece) => piece.host))].sort((a, b) => a - b);
  const answers = hosts.map((host) =>
    hostUsage(
      leaf.filter((piece) => piece.host === host),
      host,
      from,
      to,
      history,
    ),
  );
  const bytes = (one: Transfers) => one.read.bytes + one.write.bytes;
  return {
    threads: answers.flatMap((one) => one.threads).sort((a, b) => bytes(b) - bytes(a) || a.tid - b.tid),
    files: answers
      .flatMap((one) => one.files)
      .sort((a, b) => bytes(b) - bytes(a) || compareText(a.path, b.path)),
    disks: answers.flatMap((one) => one.disks).sort((a, b) => a.host - b.host || compareText(a.dev, b.dev)),
    errors: addErrors(answers.flatMap((one) => one.errors)),
  };
}

function hostUsage(
  pieces: readonly IoPiece[],
  host: number,
  from: number,
  to: number,
  history: ThreadsOfHistory,
) {
  const facts = pieces.flatMap(({ parts }) => parts.flatMap(factsOf)).sort((a, b) => a.time - b.time);
  const { ownerOf, threadAt } = history;
  const names = namesOf(facts);
  const nameOf: NameOf = (owner, tid) => history.nameOf(owner, tid) ?? names.get(tid);
  const tables = new FileTables(facts);
  const sums = new TransferSums(tables, nameOf, ownerOf);
  inOrder(facts, joinCalls(pieces, threadAt), tables, (call) => {
    if (call.exit >= from && call.exit < to && !Number.isNaN(call.ret)) sums.add(call);
    tables.endCall(call);
  });
  const { disks, bytesOfThread } = diskUsage(host, facts, from, to, ownerOf);
  for (const [owner, { tid }] of bytesOfThread) sums.ofThread(owner, tid);
  return {
    threads: [...sums.threads].map(([owner, transfers]): ThreadIo => {
      const { tid } = transfers;
      const { read, write } = bytesOfThread.get(owner) ?? { read: 0, write: 0 };
      const name = tid < 0 ? 'unknown thread' : (nameOf(owner, tid) ?? '');
      const told = { pid: tables.processOf(tid), name, disk: { read, write } };
      return { host, owner, ...told, ...transfers };
    }),
    files: [...sums.files].map(([path, transfers]): FileIo => ({ host, path, ...transfers })),
    disks,
    errors: Array.from(sums.errors, ([errno, count]) => ({ errno, count })),
  };
}

/**
 * Facts come before calls that begin or end in the same instant: a state dump tells what was there already. Ends come
 * before begins, but that of a call which ends at once.
 */
function inOrder(
  facts: readonly IoFact[],
  calls: readonly IoCall[],
  tables: FileTables,
  onEnd: (call: IoCall) => void,
): void {
  let fact = 0;
  const applyFacts = (until: number) => {
    while (fact < facts.length && facts[fact].time <= until) tables.applyFact(facts[fact++]);
  };
  // Stable: of those that begin in one instant the ones that end at once come first, as they end.
  const begins = [...calls].sort((a, b) => beginOf(a) - beginOf(b));
  let begin = 0;
  const beginsBefore = (call: IoCall) =>
    begin < begins.length && (begins[begin] === call || beginOf(begins[begin]) < call.exit);
  for (const call of calls) {
    while (beginsBefore(call)) {
      applyFacts(beginOf(begins[begin]));
      tables.beginCall(begins[begin++]);
    }
    applyFacts(call.exit);
    onEnd(call);
  }
  applyFacts(Infinity);
}

/** Of a call that began before the trace, or whose stream's time goes back: its end. */
function beginOf({ entry, exit }: IoCall): number {
  return entry < exit ? entry : exit;
}

function factsOf({ facts, texts }: IoPart): IoFact[] {
  return Array.from({ length: facts.length }, (_, i) => ({
    time: facts.time[i],
    kind: facts.kind[i],
    a: facts.a[i],
    b: facts.b[i],
    c: facts.c[i],
    d: facts.d[i],
    wide: facts.wide[i],
    text: texts[facts.text[i]],
  }));
}

/** The last name told of each thread. */
function namesOf(facts: readonly IoFact[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const { kind, a: tid, text } of facts)
    if (kind === FACT_NAME && text !== undefined) names.set(tid, text);
  return names;
}
