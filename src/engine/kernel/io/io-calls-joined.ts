/**
 * Calls of a host, whole again: who made them, and both halves of those that a switch cut. In a stream without switches
 * what seems one call may be halves of two: of the thread that began it, and of another that came meanwhile.
 */
import { THREAD_LOST, THREAD_NEXT, THREAD_OPEN } from '../unknown-thread.ts';
import { CALL_UNNAMED, roleOf } from './io-calls.ts';
import type { IoPart, IoPiece } from './io-leaf.ts';

export interface IoCall {
  /** THREAD_LOST: nobody knows. */
  readonly tid: number;
  readonly call: number;
  /** TimeNs; NaN: began before the trace. */
  readonly entry: number;
  readonly exit: number;
  readonly fd: number;
  readonly fd2: number;
  readonly flags: number;
  readonly path: string | undefined;
  readonly ret: number;
}

/** Who ran on a CPU at a time (TimeNs); THREAD_OPEN before that is first known, THREAD_LOST where nobody knows. */
export type ThreadAt = (cpu: number, time: number) => number;

/** The calls that ended, in order of their end. `pieces` are those of one host. */
export function joinCalls(pieces: readonly IoPiece[], threadAt: ThreadAt): IoCall[] {
  let lastNobody = THREAD_NEXT;
  const nobody = () => --lastNobody;
  const halves = pieces.flatMap((piece) =>
    piece.switchesElsewhere ? callsByTime(piece, pieces, threadAt) : callsOfPiece(piece, nobody),
  );
  const startOf = (call: IoCall) => (Number.isNaN(call.entry) ? call.exit : call.entry);
  // Stable: halves of one stream keep their order.
  halves.sort((a, b) => a.tid - b.tid || startOf(a) - startOf(b));
  const calls: IoCall[] = [];
  let begun: IoCall | undefined;
  for (const half of halves) {
    if (Number.isNaN(half.exit)) {
      begun = half;
    } else if (half.exit === Infinity) {
      begun = undefined;
    } else {
      const ends = begun !== undefined && Number.isNaN(half.entry) && isEndOf(half, begun);
      calls.push(ends && begun !== undefined ? { ...begun, ...endOf(half) } : half);
      begun = undefined;
    }
  }
  return calls
    .filter(({ call }) => call !== CALL_UNNAMED)
    .map((call) => (call.tid < THREAD_NEXT ? { ...call, tid: THREAD_LOST } : call))
    .sort((a, b) => a.exit - b.exit || a.tid - b.tid);
}

/** What the exit tells: of a pair also its descriptors. */
function endOf({ call, exit, ret, fd, fd2 }: IoCall) {
  return roleOf(call) === 'pair' ? { exit, ret, fd, fd2 } : { exit, ret };
}

function isEndOf(half: IoCall, begun: IoCall): boolean {
  return (
    half.tid === begun.tid &&
    half.tid !== THREAD_LOST &&
    (half.call === CALL_UNNAMED || half.call === begun.call)
  );
}

/**
 * Who ran at a part's begin is told by the part before; first of all and after a loss by the next switch, which may be
 * parts away. Where a loss comes before that, who ran in between gets a number of its own, so that the halves of its calls
 * are found.
 * @param nobody a new number below THREAD_NEXT
 */
function callsOfPiece({ parts }: IoPiece, nobody: () => number): IoCall[] {
  const leaves = leavingThreads(parts);
  const toldFrom = (place: number) => (leaves[place] === THREAD_LOST ? nobody() : leaves[place]);
  let current = toldFrom(0);
  return parts.flatMap((part, place) => {
    const next = toldFrom(place + 1);
    const calls = callsOfPart(part, current, next);
    if (part.changed) current = part.endThread === THREAD_NEXT ? next : part.endThread;
    return calls;
  });
}

/** By part, and behind the last one: from whom the next switch takes the CPU; THREAD_LOST: a loss comes before. */
function leavingThreads(parts: readonly IoPart[]): Int32Array {
  const leaves = new Int32Array(parts.length + 1).fill(THREAD_LOST);
  for (let place = parts.length - 1; place >= 0; place--)
    leaves[place] = parts[place].changed ? parts[place].beginThread : leaves[place + 1];
  return leaves;
}

/** Who ran at the begin is told by the first switch in `all` pieces of the host, then the time tells it. */
function callsByTime({ cpu, parts }: IoPiece, all: readonly IoPiece[], threadAt: ThreadAt): IoCall[] {
  const told = all.find((piece) => piece.cpu === cpu && !piece.switchesElsewhere);
  const [beginThread] = leavingThreads(told?.parts ?? []);
  const callerAt = (time: number) => {
    const tid = threadAt(cpu, time);
    return tid === THREAD_OPEN ? beginThread : tid;
  };
  return parts
    .flatMap((part) => callsOfPart(part, THREAD_LOST, THREAD_LOST))
    .flatMap((call) => byCaller(call, callerAt));
}

/** The call, or its halves where one thread began what another ended. */
function byCaller(call: IoCall, callerAt: (time: number) => number): IoCall[] {
  const { entry, exit } = call;
  if (Number.isNaN(entry)) return [{ ...call, tid: callerAt(exit) }];
  const begun = { ...call, tid: callerAt(entry) };
  if (!Number.isFinite(exit)) return [begun];
  const tid = callerAt(exit);
  if (tid === begun.tid) return [begun];
  const ended = { ...NO_ENTRY, ...endOf(call), tid, call: call.call };
  return [{ ...begun, exit: NaN, ret: NaN }, ended];
}

/** What an exit does not tell. */
const NO_ENTRY = { entry: NaN, fd: -1, fd2: -1, flags: 0, path: undefined };

/** @param open who ran at the begin, `next` who ran last where no switch follows a loss */
function callsOfPart({ calls, texts }: IoPart, open: number, next: number): IoCall[] {
  const tidOf = (thread: number) => (thread === THREAD_OPEN ? open : thread === THREAD_NEXT ? next : thread);
  return Array.from({ length: calls.length }, (_, i) => ({
    tid: tidOf(calls.thread[i]),
    call: calls.call[i],
    entry: calls.entry[i],
    exit: calls.exit[i],
    fd: calls.fd[i],
    fd2: calls.fd2[i],
    flags: calls.flags[i],
    path: texts[calls.path[i]],
    ret: calls.ret[i],
  }));
}
