/** Calls of a host, whole again: who made them, and both halves of those that a switch cut. */
import { CALL_UNNAMED } from './io-calls.ts';
import { THREAD_LOST, THREAD_OPEN } from './io-leaf.ts';
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

/** The calls that ended, in order of their end. `pieces` are those of one host. */
export function joinCalls(pieces: readonly IoPiece[]): IoCall[] {
  const halves = pieces.flatMap(callsOfPiece);
  const startOf = (call: IoCall) => (Number.isNaN(call.entry) ? call.exit : call.entry);
  // Stable: halves of one stream keep their order.
  halves.sort((a, b) => a.tid - b.tid || startOf(a) - startOf(b));
  const calls: IoCall[] = [];
  let begun: IoCall | undefined;
  for (const half of halves) {
    if (Number.isNaN(half.exit)) {
      begun = half;
    } else if (half.exit !== Infinity) {
      const ends = begun !== undefined && Number.isNaN(half.entry) && isEndOf(half, begun);
      calls.push(ends && begun !== undefined ? { ...begun, exit: half.exit, ret: half.ret } : half);
      begun = undefined;
    }
  }
  return calls.filter(({ call }) => call !== CALL_UNNAMED).sort((a, b) => a.exit - b.exit || a.tid - b.tid);
}

function isEndOf(half: IoCall, begun: IoCall): boolean {
  return (
    half.tid === begun.tid &&
    half.tid !== THREAD_LOST &&
    (half.call === CALL_UNNAMED || half.call === begun.call)
  );
}

/** Who ran at a part's begin is told by the part before, or else by the first switch. */
function callsOfPiece({ parts }: IoPiece): IoCall[] {
  let current = parts.find((part) => part.changed)?.beginThread ?? THREAD_LOST;
  return parts.flatMap((part) => {
    const calls = callsOfPart(part, current);
    if (part.changed) current = part.endThread;
    return calls;
  });
}

function callsOfPart({ calls, texts }: IoPart, current: number): IoCall[] {
  return Array.from({ length: calls.length }, (_, i) => ({
    tid: calls.thread[i] === THREAD_OPEN ? current : calls.thread[i],
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
