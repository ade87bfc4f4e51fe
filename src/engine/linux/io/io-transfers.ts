/** Bytes and operations of reads and writes by thread and by file: all of a host as columns, and their sums in a range. */
import { widen } from '../../base/columns.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { f64, i32, noRows, u8 } from '../../base/tables.ts';
import { isRestart } from '../error-counts.ts';
import type { IoCalls } from './io-calls-joined.ts';
import { roleOf } from './io-calls.ts';
import type { FileTables } from './io-files.ts';

export interface Transfer {
  bytes: number;
  /** Calls that ended, failed ones included: not what a signal interrupted (`isRestart`). */
  ops: number;
  errors: number;
}

export interface Transfers {
  readonly read: Transfer;
  readonly write: Transfer;
}

/** A number for who made a call that ended at a time (HostNs): the tid, or the life of it. */
export type OwnerOf = (tid: number, time: number) => number;

/** Name of an owner whose tid is given as well, undefined when not known. */
export type NameOf = (owner: number, tid: number) => string | undefined;

export interface OwnedTransfers extends Transfers {
  readonly tid: number;
}

/** Descriptors that many files could have: the process distinguishes them. */
const GENERIC = /^(unknown|socket|pipe|memfd|anon_inode.*)$/;

const READS = 0;
const WRITES = 1;
/** What a call that writes has read from another file: it fails once. */
const READS_ALSO = 2;

/** In order of the calls' ends. */
const TRANSFERS = {
  /** HostNs. */
  exit: f64(),
  ret: f64(),
  kind: u8(),
  /** Places in lists. */
  owner: i32(),
  file: i32(),
};

export interface TransferSums {
  /** By owner. */
  readonly threads: Map<number, OwnedTransfers>;
  /** By path. */
  readonly files: Map<string, Transfers>;
  /** Failed reads and writes, by error number. */
  readonly errors: Map<number, number>;
}

/** The reads and writes of a host. */
export class TransferLog {
  readonly #columns = noRows(TRANSFERS);
  #length = 0;
  readonly #owners: { readonly owner: number; readonly tid: number }[] = [];
  readonly #placeOfOwner = new Map<number, number>();
  readonly #files: string[] = [];
  readonly #placeOfFile = new Map<string, number>();
  readonly #nameOf: NameOf;
  readonly #ownerOf: OwnerOf;

  constructor(nameOf: NameOf, ownerOf: OwnerOf) {
    this.#nameOf = nameOf;
    this.#ownerOf = ownerOf;
  }

  /**
   * A call that ended, behind those before; of one that moves no bytes nothing counts, nor of one that began anew.
   * @param tables as they are then
   */
  add({ call, ret, thread, exit }: IoCalls, row: number, tables: FileTables): void {
    const role = roleOf(call[row]);
    if (role !== 'read' && role !== 'write' && role !== 'transfer') return;
    if (Number.isNaN(ret[row]) || isRestart(-ret[row])) return;
    const told = { tid: thread[row], exit: exit[row], ret: ret[row] };
    this.#add(told, role === 'read' ? READS : WRITES, tables.pathOf(row, 'fd'));
    if (role === 'transfer') this.#add(told, READS_ALSO, tables.pathOf(row, 'fd2'));
  }

  #add(call: { tid: number; exit: number; ret: number }, kind: number, path = 'unknown'): void {
    const { tid, exit, ret } = call;
    const owner = this.#ownerOf(tid, exit);
    const file = tid >= 0 && GENERIC.test(path) ? `${path} (${this.#nameOf(owner, tid) ?? tid})` : path;
    const columns = this.#columns;
    if (this.#length === columns.kind.length) widen(columns);
    const row = this.#length++;
    columns.exit[row] = exit;
    columns.ret[row] = ret;
    columns.kind[row] = kind;
    columns.owner[row] = placeIn(this.#placeOfOwner, owner, this.#owners, { owner, tid });
    columns.file[row] = placeIn(this.#placeOfFile, file, this.#files, file);
  }

  /**
   * Of what ended in [from, to) (HostNs).
   * @param only whose calls count; default: everybody's
   */
  sums(from: number, to: number, only?: number): TransferSums {
    const { exit, ret, kind, owner, file } = this.#columns;
    const ofOwner = this.#owners.map(() => noTransfers());
    const ofFile = this.#files.map(() => noTransfers());
    const errors = new Map<number, number>();
    const end = lowerBound(exit, to, this.#length);
    const place = only === undefined ? -1 : (this.#placeOfOwner.get(only) ?? NaN);
    for (let row = lowerBound(exit, from, this.#length); row < end; row++) {
      if (place !== -1 && owner[row] !== place) continue;
      const direction = kind[row] === WRITES ? 'write' : 'read';
      addTransfer(ofOwner[owner[row]][direction], ret[row]);
      addTransfer(ofFile[file[row]][direction], ret[row]);
      if (ret[row] < 0 && kind[row] !== READS_ALSO) errors.set(-ret[row], (errors.get(-ret[row]) ?? 0) + 1);
    }
    const threads = this.#owners.map(({ owner: number, tid }, place): [number, OwnedTransfers] => {
      return [number, { tid, ...ofOwner[place] }];
    });
    const files = this.#files.map((path, place): [string, Transfers] => [path, ofFile[place]]);
    const hasMoved = ([, { read, write }]: [unknown, Transfers]) => read.ops + write.ops > 0;
    return { threads: new Map(threads.filter(hasMoved)), files: new Map(files.filter(hasMoved)), errors };
  }
}

/** Place of a key's item in a list, to which it is added when it is new. */
function placeIn<Key, Item>(places: Map<Key, number>, key: Key, items: Item[], item: Item): number {
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = items.push(item) - 1;
  places.set(key, place);
  return place;
}

/** Of who made no such calls. */
export function noTransfers(): Transfers {
  return { read: { bytes: 0, ops: 0, errors: 0 }, write: { bytes: 0, ops: 0, errors: 0 } };
}

function addTransfer(transfer: Transfer, ret: number): void {
  transfer.ops++;
  if (ret < 0) transfer.errors++;
  else transfer.bytes += ret;
}
