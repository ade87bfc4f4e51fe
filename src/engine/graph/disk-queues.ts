/**
 * Queues of disks within a closure: when would each request have been completed, had its maker come to it at another time,
 * or had the device been faster? The order in which a device completed its requests stays as it was recorded.
 */
import { type Closure, pieceBefore } from './closure.ts';
import { type DiskRequest, madeAt } from './disk-log.ts';
import { BLOCKED } from './path-codes.ts';

/** Requests of all disks of which one ended a wait, completed within the range, in order of completion. */
export interface DiskQueues {
  readonly length: number;
  readonly requests: readonly DiskRequest[];
  /** Number of its host in the graph. */
  readonly host: Int32Array;
  /** Time when it was made, ns. */
  readonly made: Float64Array;
  readonly completed: Float64Array;
  /** Request that its device completed before it, -1: none. */
  readonly before: Int32Array;
  /** Request whose completion let it be made, as the parts of a journal's commit are; -1: none. */
  readonly after: Int32Array;
  /** Piece in which it was made, or of who waited for it where its maker is not in the closure; -1: it is made when it was. */
  readonly piece: Int32Array;
  /** Request that ended a piece, by row of the piece; -1: none. */
  readonly ofPiece: Int32Array;
}

/** @param waits requests that ended pieces, by row of the piece; objects of `hosts` */
export function diskQueues(
  closure: Closure,
  hosts: readonly { readonly host: number; readonly requests: readonly DiskRequest[] }[],
  waits: ReadonlyMap<number, DiskRequest>,
): DiskQueues {
  const { pieces, workers, from } = closure;
  const list = hosts.flatMap(({ requests, host }) =>
    requests
      .filter(({ completed }) => completed > from)
      .map((request) => ({ request, host, queue: `${host} ${request.device}` })),
  );
  list.sort((a, b) => a.request.completed - b.request.completed);
  const { length } = list;
  const requests = list.map(({ request }) => request);
  const rows = new Map(requests.map((request, row) => [request, row]));
  const made = Float64Array.from(requests, madeAt);
  const completed = Float64Array.from(requests, (request) => request.completed);
  const piece = new Int32Array(length).fill(-1);
  const ofPiece = new Int32Array(pieces.length).fill(-1);
  for (const [at, request] of waits) {
    const row = rows.get(request) ?? -1;
    ofPiece[at] = row;
    // What a worker outside has made since the waiter waited before, it made for the waiter.
    let first = at;
    while (first > workers.first[pieces.owner[at]] && pieces.label[first - 1] !== BLOCKED) first--;
    const since = pieces.begin[first];
    for (let i = row; i >= 0 && completed[i] > since; i--)
      if (requests[i].worker === request.worker && requests[i].device === request.device && made[i] >= since)
        piece[i] = pieceBefore(closure, pieces.owner[at], made[i] + 1);
  }
  const numbers = new Map(Array.from(workers.worker, (worker, number) => [worker, number]));
  const before = new Int32Array(length).fill(-1);
  const after = new Int32Array(length).fill(-1);
  const newest = new Map<string, number>();
  const newestOf = new Map<string, number>();
  list.forEach(({ request, queue }, row) => {
    const maker = numbers.get(request.worker);
    const own = maker === undefined ? -1 : pieceBefore(closure, maker, made[row]);
    if (own >= 0) piece[row] = own;
    before[row] = newest.get(queue) ?? -1;
    newest.set(queue, row);
    const last = newestOf.get(`${queue} ${request.worker}`) ?? -1;
    newestOf.set(`${queue} ${request.worker}`, row);
    const at = piece[row];
    const isWithin = last >= 0 && completed[last] <= made[row] && at >= 0 && pieces.label[at] === BLOCKED;
    if (isWithin && completed[last] > pieces.begin[at]) after[row] = last;
  });
  const host = Int32Array.from(list, (each) => each.host);
  return { length, requests, host, made, completed, before, after, piece, ofPiece };
}
