/** Bytes and operations of reads and writes, added up by thread and by file. */
import { isRestart } from '../error-counts.ts';
import type { IoCall } from './io-calls-joined.ts';
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

/** A number for who made a call that ended at a time (TimeNs): the tid, or the life of it. */
export type OwnerOf = (tid: number, time: number) => number;

/** Name of an owner whose tid is told as well, undefined when not known. */
export type NameOf = (owner: number, tid: number) => string | undefined;

export interface OwnedTransfers extends Transfers {
  readonly tid: number;
}

/** Descriptors that many files could have: the process tells them apart. */
const GENERIC = /^(unknown|socket|pipe|memfd|anon_inode.*)$/;

export class TransferSums {
  /** By owner. */
  readonly threads = new Map<number, OwnedTransfers>();
  /** By path. */
  readonly files = new Map<string, Transfers>();
  /** Failed reads and writes, by error number. */
  readonly errors = new Map<number, number>();
  readonly #tables: FileTables;
  readonly #nameOf: NameOf;
  readonly #ownerOf: OwnerOf;

  /** @param tables as they are when a call is added */
  constructor(tables: FileTables, nameOf: NameOf, ownerOf: OwnerOf) {
    this.#tables = tables;
    this.#nameOf = nameOf;
    this.#ownerOf = ownerOf;
  }

  ofThread(owner: number, tid: number): OwnedTransfers {
    const known = this.threads.get(owner) ?? { tid, ...noTransfers() };
    this.threads.set(owner, known);
    return known;
  }

  /** A call that ended; of one that moves no bytes nothing counts, nor of one that began anew. */
  add(call: IoCall): void {
    const role = roleOf(call.call);
    if (role !== 'read' && role !== 'write' && role !== 'transfer') return;
    if (isRestart(-call.ret)) return;
    this.#count(call, 'fd', role === 'read' ? 'read' : 'write');
    if (role === 'transfer') this.#count(call, 'fd2', 'read');
    if (call.ret < 0) this.errors.set(-call.ret, (this.errors.get(-call.ret) ?? 0) + 1);
  }

  #count(call: IoCall, which: 'fd' | 'fd2', direction: keyof Transfers): void {
    const { tid, exit, ret } = call;
    const path = this.#tables.pathOf(call, which) ?? 'unknown';
    const owner = this.#ownerOf(tid, exit);
    const file = tid >= 0 && GENERIC.test(path) ? `${path} (${this.#nameOf(owner, tid) ?? tid})` : path;
    addTransfer(this.ofThread(owner, tid)[direction], ret);
    const moved = this.files.get(file) ?? noTransfers();
    this.files.set(file, moved);
    addTransfer(moved[direction], ret);
  }
}

function noTransfers(): Transfers {
  return { read: { bytes: 0, ops: 0, errors: 0 }, write: { bytes: 0, ops: 0, errors: 0 } };
}

function addTransfer(transfer: Transfer, ret: number): void {
  transfer.ops++;
  if (ret < 0) transfer.errors++;
  else transfer.bytes += ret;
}
