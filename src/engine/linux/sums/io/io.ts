/**
 * Bytes, operations and time per thread, file and disk: an aggregate whose chunk results keep calls and facts in
 * columns (`io-chunk.ts`). Answers for time ranges are computed from the same chunk result, without decoding.
 */
import { rowReaders } from '../../../analysis/compiled/chunk-reader.ts';
import type { Analysis } from '../../../analysis/contract.ts';
import { readBy } from '../../../analysis/read-packets.ts';
import { compare } from '../../../base/compare.ts';
import { byHost } from '../../../base/group-by.ts';
import { stableOrder } from '../../../base/stable-order.ts';
import { addErrors, type ErrorCount } from '../error-counts.ts';
import { joinLists, mergeStreamParts } from '../../../analysis/stream-merge.ts';
import { THREAD_LOST } from '../../events/values.ts';
import { type IoCalls, joinCalls, type ThreadAt } from './io-calls-joined.ts';
import { type BlockBytes, diskLog, diskUsage, type DiskIo, type DiskLog } from './io-disks.ts';
import { FileTables, type IoFact } from './io-files.ts';
import { FACT_NAME, type IoChunk, type IoPart, type IoStreamPart } from './io-chunk.ts';
import { IO_KINDS, IoChunkReader, ioStreamPart, layoutOf } from './io-chunk-reader.ts';
import {
  noTransfers,
  TransferLog,
  type FileTransfers,
  type NameOf,
  type OwnedTransfers,
  type OwnerOf,
  type Transfers,
} from './io-transfers.ts';

/** Negative tid: events were lost, and the caller is not known. */
interface ThreadIo extends OwnedTransfers {
  readonly host: number;
  /** Owner, as `OwnerOf` has it. */
  readonly owner: number;
  readonly pid: number;
  readonly name: string;
  /** Bytes of disk requests that it issued. */
  readonly disk: BlockBytes;
}

interface FileIo extends FileTransfers {
  readonly host: number;
}

export interface IoUsage {
  /** Most bytes first. */
  readonly threads: readonly ThreadIo[];
  readonly files: readonly FileIo[];
  readonly disks: readonly DiskIo[];
  /** Failed reads, writes and syncs, most frequent first. */
  readonly errors: readonly ErrorCount[];
}

export const ioUsage: Analysis<IoChunk, IoUsage> = {
  id: 'io',
  version: 9,
  reads: { kinds: IO_KINDS },
  ...readBy((plan) => rowReaders(new IoChunkReader(layoutOf(plan)), ioStreamPart)),
  merge: (chunkResults) => mergeStreamParts(chunkResults, joinLists),
  empty: [],
  finish: (chunkResult) => ioUsageIn(resolveIo(chunkResult), -Infinity, Infinity),
};

/** Threads by the state history. */
interface ThreadsOfHistory {
  readonly ownerOf: OwnerOf;
  /** Undefined: the chunk result may know it, by tid. */
  readonly nameOf: NameOf;
  readonly threadAt: ThreadAt;
  /** Times (HostNs) at which events of disks may be missing, ascending. */
  readonly losses: readonly number[];
}

const NO_HISTORY: ThreadsOfHistory = {
  ownerOf: (tid) => tid,
  nameOf: () => undefined,
  threadAt: () => THREAD_LOST,
  losses: [],
};

/** A chunk result prepared for any time range: calls are complete and their files known. */
export type ResolvedIo = readonly HostIo[];

interface HostIo {
  readonly host: number;
  readonly transfers: TransferLog;
  readonly disks: DiskLog;
  readonly nameOf: NameOf;
  readonly processOf: (tid: number) => number;
}

/** @param history threads of all hosts of the chunk result, mostly one */
export function resolveIo(chunkResult: IoChunk, history = NO_HISTORY): ResolvedIo {
  return byHost(chunkResult).map(([host, streamParts]) => resolveHost(streamParts, host, history));
}

/**
 * Sums of calls and requests that ended in [from, to) (HostNs).
 * @param only owner whose reads and writes count; all disk requests do. Default: all
 */
export function ioUsageIn(resolved: ResolvedIo, from: number, to: number, only?: number): IoUsage {
  const answers = resolved.map((host) => hostUsage(host, from, to, only));
  const bytes = (one: Transfers) => one.read.bytes + one.write.bytes;
  return {
    threads: answers.flatMap((one) => one.threads).sort((a, b) => bytes(b) - bytes(a) || a.tid - b.tid),
    files: answers.flatMap((one) => one.files).sort((a, b) => bytes(b) - bytes(a) || compare(a.path, b.path)),
    disks: answers.flatMap((one) => one.disks).sort((a, b) => a.host - b.host || compare(a.dev, b.dev)),
    errors: addErrors(answers.flatMap((one) => one.errors)),
  };
}

export interface DescriptorAt {
  readonly tid: number;
  readonly fd: number;
  /** HostNs. A call that begins then has changed nothing yet. */
  readonly time: number;
}

/** Path of a thread's descriptor; undefined: not known. Visits all earlier calls and facts of the host. */
export function pathOfDescriptor(
  chunkResult: IoChunk,
  host: number,
  { tid, fd, time }: DescriptorAt,
  threadAt: ThreadAt,
): string | undefined {
  const { facts, calls, tables } = openFiles(
    chunkResult.filter((part) => part.host === host),
    threadAt,
  );
  inOrder(facts, calls, tables, (row) => tables.endCall(row), time);
  return tables.pathAt(tid, fd);
}

/** Facts and calls of a host in order, and its files before the first of them. */
function openFiles(streamParts: readonly IoStreamPart[], threadAt: ThreadAt) {
  const facts = streamParts.flatMap(({ parts }) => parts.flatMap(factsOf)).sort((a, b) => a.time - b.time);
  const calls = joinCalls(streamParts, threadAt);
  return { facts, calls, tables: new FileTables(facts, calls) };
}

function resolveHost(streamParts: readonly IoStreamPart[], host: number, history: ThreadsOfHistory): HostIo {
  const { facts, calls, tables } = openFiles(streamParts, history.threadAt);
  const names = namesOf(facts);
  const nameOf: NameOf = (owner, tid) => history.nameOf(owner, tid) ?? names.get(tid);
  const transfers = new TransferLog(nameOf, history.ownerOf);
  inOrder(facts, calls, tables, (row) => {
    transfers.add(calls, row, tables);
    tables.endCall(row);
  });
  const disks = diskLog(facts, history.ownerOf, history.losses);
  return { host, transfers, disks, nameOf, processOf: tables.processOf };
}

function hostUsage(
  { host, transfers, disks: log, nameOf, processOf }: HostIo,
  from: number,
  to: number,
  only: number | undefined,
) {
  const { threads, files, errors } = transfers.sums(from, to, only);
  const { disks, bytesOfThread } = diskUsage(host, log, from, to);
  for (const [owner, { tid }] of bytesOfThread)
    if (!threads.has(owner) && (only === undefined || owner === only))
      threads.set(owner, { tid, ...noTransfers() });
  return {
    threads: [...threads].map(([owner, moved]): ThreadIo => {
      const { tid } = moved;
      const { read, write } = bytesOfThread.get(owner) ?? { read: 0, write: 0 };
      const name = tid < 0 ? 'unknown thread' : (nameOf(owner, tid) ?? '');
      return { host, owner, pid: processOf(tid), name, disk: { read, write }, ...moved };
    }),
    files: files.map((file): FileIo => ({ host, ...file })),
    disks,
    errors: Array.from(errors, ([errno, count]) => ({ errno, count })),
  };
}

/**
 * Facts precede calls that begin or end at the same time, as a state dump describes earlier state. Ends precede
 * begins, except for a call that ends at once.
 * @param end HostNs after which nothing happens, and at which no call begins
 */
function inOrder(
  facts: readonly IoFact[],
  { entry, exit, ended }: IoCalls,
  tables: FileTables,
  onEnd: (call: number) => void,
  end = Infinity,
): void {
  let fact = 0;
  const applyFacts = (until: number) => {
    while (fact < facts.length && facts[fact].time <= until) tables.applyFact(facts[fact++]);
  };
  // A call that began before the trace, or in a stream whose time goes back, begins at its end.
  const beginOf = entry.map((time, call) => (time < exit[call] ? time : exit[call]));
  // Stable: of calls that begin at one time those that end at once come first, as in the order of ends.
  const begins = stableOrder(beginOf, ended);
  let begin = 0;
  const beginsBefore = (call: number) =>
    begin < begins.length && (begins[begin] === call || beginOf[begins[begin]] < exit[call]);
  for (const call of ended) {
    if (exit[call] > end) break;
    while (beginsBefore(call)) {
      applyFacts(beginOf[begins[begin]]);
      tables.beginCall(begins[begin++]);
    }
    applyFacts(exit[call]);
    onEnd(call);
  }
  for (; begin < begins.length && beginOf[begins[begin]] < end; begin++) {
    applyFacts(beginOf[begins[begin]]);
    tables.beginCall(begins[begin]);
  }
  applyFacts(end);
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

/** The last name of each thread. */
function namesOf(facts: readonly IoFact[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const { kind, a: tid, text } of facts)
    if (kind === FACT_NAME && text !== undefined) names.set(tid, text);
  return names;
}
