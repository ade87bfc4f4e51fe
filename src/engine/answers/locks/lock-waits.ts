/** Single waits for locks, as answers list them. */
import { CONTENDED, LATE, LOSSY, OPEN, OUTCOMES, WAYS, WOKEN } from '../../layers/locks/model/lock-model.ts';
import { waitParts } from '../../layers/locks/results/wait-parts.ts';
import type { QueryContext } from '../context/query.ts';
import type { LockWaitLine, LockWaitsAnswer, LockWaitsRequest } from '../../protocol/locks.ts';
import { type LockHost, lockById, lockHosts } from './lock-hosts.ts';

/** Words of the model's modes, by number. */
const MODES = ['exclusive', 'shared', undefined] as const;

/** A wait that was asked for. */
interface Wanted {
  readonly host: LockHost;
  /** Row of the model's waits. */
  readonly row: number;
  readonly ns: number;
}

export const NO_WAITS: LockWaitsAnswer = { threads: [], count: 0, totalNs: 0, waits: [] };

/** None as long as locks are being read. */
export async function lockWaits(context: QueryContext, request: LockWaitsRequest): Promise<LockWaitsAnswer> {
  const hosts = await lockHosts(context);
  if (hosts === undefined) return NO_WAITS;
  const found = hosts.flatMap((host) => wantedOf(host, request));
  const begin = ({ host, row }: Wanted) => host.shown(host.results.model.waits.request[row]);
  found.sort((a, b) =>
    request.order === 'longest' ? b.ns - a.ns || begin(a) - begin(b) : begin(a) - begin(b),
  );
  return {
    threads: hosts.flatMap((host) => host.threads()),
    count: found.length,
    totalNs: found.reduce((sum, { ns }) => sum + ns, 0),
    waits: found.slice(0, request.limit).map(({ host, row, ns }) => waitLine(host, row, ns)),
  };
}

function wantedOf(host: LockHost, request: LockWaitsRequest): Wanted[] {
  const { results } = host;
  const { waits } = results.model;
  const lock = request.lock === undefined ? undefined : lockById([host], request.lock)?.lock;
  if (request.lock !== undefined && lock === undefined) return [];
  const rows =
    lock === undefined ? Array.from({ length: waits.length }, (_, row) => row) : results.rowsOf(lock);
  const isHolder = holderTest(host, request.holder);
  const isWaiter = threadTest(host, request.waiter);
  const { from = -Infinity, to = Infinity } = request;
  const parts = waitParts(results.model);
  const found: Wanted[] = [];
  for (const row of rows) {
    const isContended = (waits.flags[row] & CONTENDED) !== 0;
    if (!(isContended || (request.all === true && request.holder === undefined))) continue;
    if (!isWaiter(waits.thread[row])) continue;
    const [begin, end] = [host.shown(waits.request[row]), host.shown(waits.end[row])];
    if (begin >= to || end < from) continue;
    const ns = request.holder === undefined ? end - begin : parts.nsFor(row, isHolder);
    if (ns > 0 || request.holder === undefined) found.push({ host, row, ns });
  }
  return found;
}

/** Whether a thread of the model has the row that was asked for. */
function threadTest(host: LockHost, row: string | undefined): (thread: number) => boolean {
  if (row === undefined) return () => true;
  const is = host.results.model.threads.map((_, thread) => host.rowOf(thread) === row);
  return (thread) => thread >= 0 && is[thread];
}

/** null: nobody is known. */
function holderTest(host: LockHost, row: string | null | undefined): (thread: number) => boolean {
  return row === null ? (thread) => thread < 0 : threadTest(host, row);
}

/** @param ns of the wait, as far as it is asked for */
export function waitLine(host: LockHost, row: number, ns: number): LockWaitLine {
  const { thread, lock, request, end, to, outcome, mode, way, flags, by, link, spinning } =
    host.results.model.waits;
  const has = (flag: number) => (flags[row] & flag) !== 0;
  const handOverNs = host.shownIfKnown(link[row]);
  return {
    lock: host.lockId(lock[row]),
    waiter: host.thread(thread[row]),
    from: host.shown(request[row]),
    to: host.shown(end[row]),
    ns,
    outcome: OUTCOMES[outcome[row]],
    way: WAYS[way[row]],
    mode: MODES[mode[row]],
    isContended: has(CONTENDED),
    by: host.thread(by[row]),
    handOverNs,
    via: handOverNs === undefined ? undefined : has(WOKEN) ? 'wake-up' : 'release',
    spinningNs: spinning[row],
    heldToNs: host.shownIfKnown(to[row]),
    isLate: has(LATE),
    isOpen: has(OPEN),
    isLossy: has(LOSSY),
  };
}
