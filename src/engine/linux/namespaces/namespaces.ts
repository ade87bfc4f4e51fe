/** Analysis of the threads of a host in nested pid namespaces: an aggregate of few facts (`facts.ts`). */
import type {
  Analysis,
  EventBatch,
  PacketReader,
  ProjectionPlan,
  TakesStream,
} from '../../analysis/contract.ts';
import { readBy } from '../../analysis/read-packets.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { GrowingTable } from '../../base/columns.ts';
import { byHost } from '../../base/group-by.ts';
import { noRows } from '../../base/tables.ts';
import { findMembers } from '../../ctf/decode/program/members.ts';
import type { FieldWant } from '../../ctf/decode/rows/rows.ts';
import type { EventClass } from '../../ctf/model.ts';
import { kernelKind } from '../events/kernel-events.ts';
import { type FieldPlace, placesOf, RowReader } from '../events/row-reader.ts';
import { BORN, DUMPED, FACTS, FORKED, INNERMOST, SEEN } from './facts.ts';
import { mergeFacts, type NamespaceFacts, nestedNamespace, sortedFacts } from './facts.ts';

/** Facts in order of host. */
export type NamespaceChunk = readonly (NamespaceFacts & { readonly host: number })[];

/** @internal */
export const NAMESPACE_KINDS = [
  // Contexts of a switch belong to the thread that leaves.
  kernelKind('switch', 'prev_tid'),
  kernelKind('fork', 'child_tid', 'vtids', 'child_vtid', 'child_ns'),
  kernelKind('process-dump', 'tid', 'vtid', 'ns_level', 'ns_inum'),
  kernelKind('pid-namespace-dump', 'tid', 'vtid', 'ns_level', 'ns_inum'),
];

/** @internal */
export const CONTEXT_FIELDS = {
  tid: { names: ['tid'], kind: 'int', only: 'context' },
  vtid: { names: ['vtid'], kind: 'int', only: 'context' },
  pid_ns: { names: ['pid_ns'], kind: 'int', only: 'context' },
} as const satisfies Record<string, FieldWant>;

/** Whether a stream of the kernel has contexts that describe namespaces. */
const tellsContexts: TakesStream = (_, { domain, model }, streamClass) => {
  const stream = model.streams[streamClass];
  const has = (want: FieldWant, event: EventClass) => findMembers(want, stream, event).length > 0;
  return (
    domain === 'kernel' &&
    stream.events.some((event) => has(CONTEXT_FIELDS.vtid, event) && has(CONTEXT_FIELDS.pid_ns, event))
  );
};

export const namespaces: Analysis<NamespaceChunk, NamespaceChunk> = {
  id: 'namespaces',
  version: 1,
  reads: { kinds: NAMESPACE_KINDS, contexts: { fields: CONTEXT_FIELDS, of: tellsContexts } },
  ...readBy((plan) => new FactReader(plan)),
  merge: mergeChunkResults,
  empty: [],
  finish: (chunkResult) => chunkResult,
};

function mergeChunkResults(chunkResults: readonly NamespaceChunk[]): NamespaceChunk {
  return byHost(chunkResults.flat()).map(([host, parts]) =>
    parts.length === 1 ? parts[0] : { host, ...mergeFacts(parts) },
  );
}

type Place = Readonly<Record<string, FieldPlace>>;

/** Threads whose last contexts are kept, so that few become facts twice. A power of two. */
const KEPT_THREADS = 1024;
/** Places of a thread's contexts among those kept for it. */
const TID = 0;
const VTID = 1;
const NS = 2;

/** Reads what the events of one chunk tell about threads in nested namespaces. */
class FactReader implements PacketReader<NamespaceChunk> {
  readonly #switch: number;
  readonly #fork: number;
  readonly #dumps: readonly number[];
  readonly #fields: readonly (Place | undefined)[];
  readonly #contexts: readonly Place[];
  /** Presence bit of a context, by kind; never set in rows of streams without contexts. */
  readonly #contextBit: Uint8Array;
  readonly #rows = new RowReader();
  readonly #lastContexts = new Int32Array(3 * KEPT_THREADS);
  // Of the chunk at hand.
  #facts = new GrowingTable(noRows(FACTS));
  #host = 0;
  #firstRow: Uint32Array = new Uint32Array(0);
  #isRead = false;
  #levelsAreDumped = false;
  #hasContexts = false;

  constructor(plan: ProjectionPlan) {
    this.#switch = plan.kind('switch');
    this.#fork = plan.kind('fork');
    this.#dumps = ['process-dump', 'pid-namespace-dump'].map((name) => plan.kind(name));
    const fields: (Place | undefined)[] = [];
    for (const { kind: eventKind, fields: wanted } of NAMESPACE_KINDS)
      fields[plan.kind(eventKind)] = placesOf(plan, eventKind, Object.keys(wanted));
    this.#fields = fields;
    this.#contexts = plan.request.kinds.map((_, eventKind) =>
      Object.fromEntries(Object.keys(CONTEXT_FIELDS).map((name) => [name, plan.context(eventKind, name)])),
    );
    this.#contextBit = Uint8Array.from(this.#contexts, ({ vtid }) => vtid.bit);
  }

  start({ chunk, domain, rows, packets, eventClasses, eventContext }: EventBatch): void {
    this.#rows.open(rows);
    this.#host = chunk.host;
    this.#firstRow = packets.firstRow;
    this.#isRead = domain === 'kernel';
    const { tellLevels, tellContexts } = toldBy(eventClasses);
    this.#levelsAreDumped = tellLevels;
    this.#hasContexts = tellContexts || eventContext?.members.some(isThreadNumber) === true;
    this.#facts = new GrowingTable(noRows(FACTS));
    this.#lastContexts.fill(0);
  }

  read(packet: number): void {
    if (!this.#isRead) return;
    const { kind: kinds, words, at } = this.#rows;
    const hasContexts = this.#hasContexts;
    const fork = this.#fork;
    const [process, namespace] = this.#dumps;
    const end = this.#firstRow[packet + 1];
    for (let row = this.#firstRow[packet]; row < end; row++) {
      const eventKind = kinds[row];
      if (hasContexts && ((words[at[row]] >>> this.#contextBit[eventKind]) & 1) === 1)
        this.#readContexts(row);
      if (eventKind === fork) this.#readFork(row);
      else if (eventKind === process || eventKind === namespace) this.#readDump(row);
    }
  }

  finish(): NamespaceChunk {
    this.#rows.close();
    const { length, rows } = this.#facts;
    return length === 0 ? [] : [{ host: this.#host, ...sortedFacts(rows, length) }];
  }

  #readContexts(row: number): void {
    const rows = this.#rows;
    const { tid: tidPlace, vtid: vtidPlace, pid_ns: nsPlace } = this.#contexts[rows.kind[row]];
    if (!rows.has(row, nsPlace)) return;
    const vtid = rows.int(row, vtidPlace);
    const tid = rows.has(row, tidPlace) ? rows.int(row, tidPlace) : this.#leaving(row);
    const ns = nestedNamespace(rows.int(row, nsPlace));
    // A thread that is being taken down no longer has a number in its namespace.
    if (tid <= 0 || vtid <= 0 || vtid === tid || ns === 0) return;
    const at = 3 * (tid & (KEPT_THREADS - 1));
    const known = this.#lastContexts;
    if (known[at + TID] === tid && known[at + VTID] === vtid && known[at + NS] === ns) return;
    known[at + TID] = tid;
    known[at + VTID] = vtid;
    known[at + NS] = ns;
    this.#add(row, tid, vtid, ns, INNERMOST, SEEN);
  }

  /** The thread that leaves the CPU in a switch. */
  #leaving(row: number): number {
    const place = this.#fields[this.#switch]?.prev_tid;
    return this.#rows.kind[row] === this.#switch && place !== undefined ? this.#rows.int(row, place) : -1;
  }

  #readFork(row: number): void {
    const rows = this.#rows;
    const fields = this.#fields[this.#fork];
    if (fields === undefined) return;
    const tid = rows.int(row, fields.child_tid);
    const levels = rows.int(row, fields.vtids);
    if (levels > 1) {
      const ns = rows.has(row, fields.child_ns) ? nestedNamespace(rows.int(row, fields.child_ns)) : 0;
      this.#add(row, tid, rows.int(row, fields.child_vtid), ns, levels - 1, FORKED);
    } else if (levels < 0 && this.#levelsAreDumped) this.#add(row, tid, 0, 0, 0, BORN);
  }

  #readDump(row: number): void {
    const rows = this.#rows;
    const fields = this.#fields[rows.kind[row]];
    if (fields === undefined) return;
    const level = rows.int(row, fields.ns_level);
    if (level <= 0 || !rows.has(row, fields.vtid)) return;
    const ns = rows.has(row, fields.ns_inum) ? nestedNamespace(rows.int(row, fields.ns_inum)) : 0;
    this.#add(row, rows.int(row, fields.tid), rows.int(row, fields.vtid), ns, level, DUMPED);
  }

  #add(row: number, tid: number, vtid: number, ns: number, level: number, kind: number): void {
    const { rows } = this.#facts;
    const at = this.#facts.addRow();
    rows.time[at] = this.#rows.time[row];
    rows.tid[at] = tid;
    rows.vtid[at] = vtid;
    rows.ns[at] = ns;
    rows.level[at] = Math.min(level, INNERMOST);
    rows.kind[at] = kind;
  }
}

/** Facts that event classes have fields for. */
const toldBy = cachedByKey((eventClasses: readonly EventClass[]) => {
  return {
    /** Whether a state dump gives levels of pid namespaces. */
    tellLevels: eventClasses.some(({ payload }) => payload?.members.some(({ name }) => name === 'ns_level')),
    /** Whether a context of its own gives the number of a thread in its namespace. */
    tellContexts: eventClasses.some(({ context }) => context?.members.some(isThreadNumber)),
  };
});

function isThreadNumber({ name }: { readonly name: string }): boolean {
  return name === 'vtid';
}
