/** Reads, writes and syncs by thread and by file: all of a host as columns, and their sums in a range. */
import { GrowingTable } from '../../../base/columns.ts';
import { addNumber } from '../../../base/group-by.ts';
import { firstWhere, lowerBound } from '../../../base/lower-bound.ts';
import { stableOrder } from '../../../base/stable-order.ts';
import { f64, i32, noRows, type Table, tableOf, u8 } from '../../../base/tables.ts';
import { addLengths, type HostNs } from '../../../base/units.ts';
import type { DurationLog } from '../duration-log.ts';
import { isRestart } from '../error-counts.ts';
import type { IoCalls } from './io-calls-joined.ts';
import { type IoRole, nameOfCall, roleOf } from './io-calls.ts';
import type { FileTables } from './io-files.ts';

interface Transfer {
  bytes: number;
  /** Ended calls, including failed ones, without those that a signal interrupted (`isRestart`). */
  ops: number;
  errors: number;
}

/** Time from entry to return. */
export interface TimeInCalls {
  /** Number of calls with a known entry; others have no length. */
  timed: number;
  /** ns. */
  total: number;
  /** Longest call, of equal ones the first. */
  longest: IoCall | undefined;
}

export interface IoCall {
  readonly begin: HostNs;
  readonly ns: number;
  /** Bytes transferred; NaN: it failed, or transfers none. */
  readonly bytes: number;
  /** `fsync`. */
  readonly call: string;
  readonly path: string;
  /** Owner, as `OwnerOf` has it. */
  readonly owner: number;
  readonly tid: number;
}

export interface Transfers {
  readonly read: Transfer;
  readonly write: Transfer;
  /** Calls that wait until data are on the disk. */
  readonly sync: Transfer;
  /** Time in all these calls. */
  readonly time: TimeInCalls;
}

/** Least and greatest number of bytes, inclusive. */
export interface ByteBounds {
  readonly least: number;
  readonly greatest: number;
}

/** Number of a caller at a time (HostNs): the tid, or a life of it. */
export type OwnerOf = (tid: number, time: number) => number;

/** Name of an owner, given with its tid; undefined: not known. */
export type NameOf = (owner: number, tid: number) => string | undefined;

export interface OwnedTransfers extends Transfers {
  readonly tid: number;
}

/** Paths that many files share; the process distinguishes these. */
const GENERIC = /^(unknown|socket|pipe|memfd|anon_inode.*)$/;

const READS = 0;
const WRITES = 1;
const SYNCS = 2;
/** Reads by a call that also writes: it fails once, and its time counts once. */
const READS_ALSO = 3;
const DIRECTIONS = ['read', 'write', 'sync', 'read'] as const;

const KIND_OF_ROLE: Readonly<Partial<Record<IoRole, number>>> = {
  read: READS,
  write: WRITES,
  transfer: WRITES,
  sync: SYNCS,
};

/** Columns of the transfers, in order of the calls' ends. */
const TRANSFERS = {
  /** HostNs; NaN: not known. */
  entry: f64(),
  /** HostNs. */
  exit: f64(),
  ret: f64(),
  /** Number of the call (`io-calls.ts`). */
  call: u8(),
  kind: u8(),
  /** Indices in lists. */
  owner: i32(),
  file: i32(),
};

/**
 * Kind of a file by its path: state dumps have `pipe:[1234]`, and calls what they made. `device`: in /dev; `kernel`:
 * in /proc and /sys; `memory`: without a disk or a peer, such as event counters and memfd.
 */
export type FileKind = 'file' | 'library' | 'pipe' | 'socket' | 'device' | 'kernel' | 'memory' | 'unknown';

/** Patterns of the kinds, in order; the first match counts. */
const FILE_KINDS: readonly (readonly [FileKind, RegExp])[] = [
  ['unknown', /^unknown$/],
  ['pipe', /^pipe(:\[\d+\])?$/],
  ['socket', /^socket(:\[\d+\])?$/],
  ['memory', /^(anon_inode:.*|\/?memfd.*|\/dev\/shm\/.*|\/SYSV.*)$/],
  ['device', /^\/dev\//],
  ['kernel', /^\/(proc|sys)\//],
  ['library', /\.so(\.\d+)*$/],
];

/** @param path of a descriptor; '': it could not be read @internal */
export function fileKind(path: string): FileKind {
  if (path === '') return 'unknown';
  return FILE_KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? 'file';
}

export interface TransferSums {
  /** Transfers of the threads, by owner. */
  readonly threads: Map<number, OwnedTransfers>;
  readonly files: readonly FileTransfers[];
  /** Failed calls, by error number. */
  readonly errors: Map<number, number>;
}

export interface FileTransfers extends Transfers {
  readonly path: string;
  readonly kind: FileKind;
}

/** Reads, writes and syncs of a host. */
export class TransferLog {
  readonly #log = new GrowingTable(noRows(TRANSFERS));
  readonly #owners: { readonly owner: number; readonly tid: number }[] = [];
  readonly #placeOfOwner = new Map<number, number>();
  readonly #files: Pick<FileTransfers, 'path' | 'kind'>[] = [];
  readonly #placeOfFile = new Map<string, number>();
  /** Indices of files by owner, for paths that many files have. */
  readonly #placesOfGeneric = new Map<string, Map<number, number>>();
  /** Rows by owner, in the order of the log, and the owners. */
  #byOwner: Uint32Array | undefined;
  #ownersInOrder = new Int32Array(0);

  constructor(
    private readonly nameOf: NameOf,
    private readonly ownerOf: OwnerOf,
  ) {}

  /**
   * Adds an ended call after those before; other calls and restarted ones do not count.
   * @param tables state at that time
   */
  add(calls: IoCalls, row: number, tables: FileTables): void {
    const role = roleOf(calls.call[row]);
    const kind = role && KIND_OF_ROLE[role];
    if (kind === undefined || Number.isNaN(calls.ret[row]) || isRestart(-calls.ret[row])) return;
    this.#add(calls, row, kind, tables.pathOf(row, 'fd'));
    if (role === 'transfer') this.#add(calls, row, READS_ALSO, tables.pathOf(row, 'fd2'));
  }

  #add({ call, entry, exit, ret, thread }: IoCalls, of: number, kind: number, path = 'unknown'): void {
    const tid = thread[of];
    const owner = this.ownerOf(tid, exit[of]);
    const row = this.#log.addRow();
    const { rows: columns } = this.#log;
    columns.entry[row] = entry[of];
    columns.exit[row] = exit[of];
    columns.ret[row] = ret[of];
    columns.call[row] = call[of];
    columns.kind[row] = kind;
    columns.owner[row] = placeIn(this.#placeOfOwner, owner, this.#owners, { owner, tid });
    columns.file[row] = this.#fileOf(path, owner, tid);
  }

  /** Index of a file; a path that many files have has one per owner. */
  #fileOf(path: string, owner: number, tid: number): number {
    let ofOwners = this.#placesOfGeneric.get(path);
    if (ofOwners === undefined) {
      const known = this.#placeOfFile.get(path);
      if (known !== undefined) return known;
      if (!GENERIC.test(path)) return this.#addFile(path, path);
      this.#placesOfGeneric.set(path, (ofOwners = new Map()));
    }
    let place = ofOwners.get(owner);
    if (place === undefined) {
      const file = tid < 0 ? path : `${path} (${this.nameOf(owner, tid) ?? tid})`;
      place = this.#placeOfFile.get(file) ?? this.#addFile(file, path);
      ofOwners.set(owner, place);
    }
    return place;
  }

  #addFile(path: string, named: string): number {
    const place = this.#files.push({ path, kind: fileKind(named) }) - 1;
    this.#placeOfFile.set(path, place);
    return place;
  }

  /**
   * Sums of calls that ended in [from, to) (HostNs).
   * @param only owner whose calls count; default: all
   */
  sums(from: number, to: number, only?: number): TransferSums {
    const { entry, exit, ret, kind, owner, file } = this.#log.rows;
    const ofOwner = this.#owners.map(() => noTransfers());
    const ofFile = this.#files.map(() => noTransfers());
    const timesOfOwner = tableOf(TIMES, this.#owners.length);
    const timesOfFile = tableOf(TIMES, this.#files.length);
    const errors = new Map<number, number>();
    const end = lowerBound(exit, to, this.#log.length);
    const place = only === undefined ? -1 : (this.#placeOfOwner.get(only) ?? NaN);
    for (let row = lowerBound(exit, from, this.#log.length); row < end; row++) {
      if (place !== -1 && owner[row] !== place) continue;
      const direction = DIRECTIONS[kind[row]];
      addTransfer(ofOwner[owner[row]][direction], ret[row]);
      addTransfer(ofFile[file[row]][direction], ret[row]);
      if (ret[row] < 0 && kind[row] !== READS_ALSO) addNumber(errors, -ret[row], 1);
      // A stream's time may go back: no call is shorter than 0.
      const ns = Math.max(0, exit[row] - entry[row]);
      if (Number.isNaN(ns)) continue;
      addTime(timesOfFile, file[row], row, ns);
      if (kind[row] !== READS_ALSO) addTime(timesOfOwner, owner[row], row, ns);
    }
    const timeAt = ({ timed, total, longest }: Table<typeof TIMES>, place: number): TimeInCalls => ({
      timed: timed[place],
      total: total[place],
      longest: timed[place] === 0 ? undefined : this.call(longest[place]),
    });
    const threads = this.#owners.map(({ owner: number, tid }, place): [number, OwnedTransfers] => {
      return [number, { tid, ...ofOwner[place], time: timeAt(timesOfOwner, place) }];
    });
    const files = this.#files.map((file, place): FileTransfers => {
      return { ...file, ...ofFile[place], time: timeAt(timesOfFile, place) };
    });
    return {
      threads: new Map(threads.filter(([, sums]) => hasCalls(sums))),
      files: files.filter(hasCalls),
      errors,
    };
  }

  /**
   * Adds each call that ended in [from, to) (HostNs) and has a known entry: owners as in `OwnerOf`, subjects for
   * `call`.
   * @param bounds of the transferred bytes; undefined: calls without bytes count, too
   * @param only owner whose calls count; default: all
   */
  addTo(log: DurationLog, from: number, to: number, bounds?: ByteBounds, only?: number): void {
    const { entry, exit, kind, owner } = this.#log.rows;
    const end = lowerBound(exit, to, this.#log.length);
    for (let row = lowerBound(exit, from, this.#log.length); row < end; row++) {
      const by = this.#owners[owner[row]].owner;
      if (kind[row] === READS_ALSO || (only !== undefined && by !== only)) continue;
      const bytes = this.#bytesOf(row);
      if (bounds !== undefined && !(bytes >= bounds.least && bytes <= bounds.greatest)) continue;
      log.add(entry[row], Math.max(0, exit[row] - entry[row]), by, row);
    }
  }

  /** The call of a thread at a time (HostNs); undefined: none of these, or not known. */
  callAt(owner: number, time: number): IoCall | undefined {
    const { entry, exit } = this.#log.rows;
    const rows = this.#rowsOf(this.#placeOfOwner.get(owner) ?? -1);
    // A thread's calls are consecutive, so only the first one that ends later may have begun.
    const first = firstWhere(0, rows.length, (i) => exit[rows[i]] >= time);
    return first < rows.length && entry[rows[first]] <= time ? this.call(rows[first]) : undefined;
  }

  /** Rows of an owner's calls, computed for all owners on first use. */
  #rowsOf(place: number): Uint32Array {
    const { owner } = this.#log.rows;
    if (this.#byOwner?.length !== this.#log.length) {
      this.#byOwner = stableOrder(Float64Array.from(owner.subarray(0, this.#log.length)));
      this.#ownersInOrder = Int32Array.from(this.#byOwner, (row) => owner[row]);
    }
    const places = this.#ownersInOrder;
    return this.#byOwner.subarray(lowerBound(places, place), lowerBound(places, place + 1));
  }

  #bytesOf(row: number): number {
    const { kind, ret } = this.#log.rows;
    return kind[row] === SYNCS || ret[row] < 0 ? NaN : ret[row];
  }

  /** Call by its row, as given by `addTo`. */
  call(row: number): IoCall {
    const { entry, exit, call, owner, file } = this.#log.rows;
    return {
      begin: entry[row],
      ns: Math.max(0, exit[row] - entry[row]),
      bytes: this.#bytesOf(row),
      call: nameOfCall(call[row]),
      path: this.#files[file[row]].path,
      ...this.#owners[owner[row]],
    };
  }
}

/** Time in calls by thread or file, while it is summed. */
const TIMES = {
  timed: f64(),
  total: f64(),
  longestNs: f64(-1),
  /** Row of the log. */
  longest: i32(),
};

function addTime(times: Table<typeof TIMES>, place: number, row: number, ns: number): void {
  times.timed[place]++;
  times.total[place] = addLengths(times.total[place], ns);
  if (ns <= times.longestNs[place]) return;
  times.longestNs[place] = ns;
  times.longest[place] = row;
}

function hasCalls({ read, write, sync }: Transfers): boolean {
  return read.ops + write.ops + sync.ops > 0;
}

/** Index of a key's item in a list, to which a new one is added. */
function placeIn<Item>(places: Map<number, number>, key: number, items: Item[], item: Item): number {
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = items.push(item) - 1;
  places.set(key, place);
  return place;
}

/** Transfers of a thread or file without calls. */
export function noTransfers(): Transfers {
  const none = (): Transfer => ({ bytes: 0, ops: 0, errors: 0 });
  const time: TimeInCalls = { timed: 0, total: 0, longest: undefined };
  return { read: none(), write: none(), sync: none(), time };
}

function addTransfer(transfer: Transfer, ret: number): void {
  transfer.ops++;
  if (ret < 0) transfer.errors++;
  else transfer.bytes += ret;
}
