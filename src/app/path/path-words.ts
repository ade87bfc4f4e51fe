/** Words and looks of what lies on a path. Pure. */
import { BLOCKED, NETWORK, PREEMPTED, RUNNING } from '../../engine/graph/path-codes.ts';
import type { PathAnswer, PathCriterion } from '../../workers/session-api.ts';
import * as codes from '../timeline/draw-codes.ts';

/** Draw code of a part of a path (`PathPart.value`). */
export function codeOfPart(value: number): number {
  return value < 0 ? codes.DRAW_NETWORK : codes.drawCodeOf('thread', value);
}

/** A part in words: "Running, kernel", "On the network". */
export function wordOfPart(value: number): string {
  return value < 0 ? 'On the network' : codes.DRAW_STYLES[codeOfPart(value)].label;
}

/** A segment in words: "Running", "Blocked: disk", "Unknown: trace begin". */
export function wordOfSegment({ segments, causes }: PathAnswer, segment: number): string {
  const cause = causes[segments.cause[segment]] ?? '';
  switch (segments.label[segment]) {
    case RUNNING:
      return cause === 'interrupt' ? 'Handles a packet' : 'Running';
    case PREEMPTED:
      return 'Runnable, not running';
    case BLOCKED:
      return cause === '' ? 'Blocked' : `Blocked: ${cause}`;
    case NETWORK:
      return 'Packet on its way';
    default:
      return cause === '' ? 'Unknown' : `Unknown: ${cause}`;
  }
}

/** Draw code of a segment, as far as its label tells. */
export function codeOfSegment({ segments, causes, workers }: PathAnswer, segment: number): number {
  switch (segments.label[segment]) {
    case RUNNING:
      return workers[segments.worker[segment]].row === undefined ? codes.DRAW_INTERRUPTED : codes.DRAW_USER;
    case PREEMPTED:
      return codes.DRAW_RUNNABLE;
    case BLOCKED:
      return codeOfCause(causes[segments.cause[segment]] ?? '');
    case NETWORK:
      return codes.DRAW_NETWORK;
    default:
      return codes.DRAW_UNKNOWN;
  }
}

function codeOfCause(cause: string): number {
  if (cause.startsWith('direct')) return codes.DRAW_THREAD;
  switch (cause) {
    case 'timer':
      return codes.DRAW_TIMER;
    case 'disk':
      return codes.DRAW_DISK;
    case 'network':
      return codes.DRAW_NETWORK;
    case 'user input':
      return codes.DRAW_INPUT;
    default:
      return codes.DRAW_OTHER;
  }
}

export const CRITERIA: readonly {
  readonly id: PathCriterion;
  readonly title: string;
  readonly about: string;
}[] = [
  {
    id: 'main-task',
    title: 'Main task',
    about: 'After each wait the path comes back to the thread studied.',
  },
  {
    id: 'reconvergence',
    title: 'Reconvergence',
    about: 'Goes on from waker to waker, and comes back only where that never returns to the thread studied.',
  },
  {
    id: 'marked-unrelated',
    title: 'Marked unrelated',
    about: 'As reconvergence, but does not enter the threads that you mark as unrelated.',
  },
  {
    id: 'exact',
    title: 'Exact',
    about: 'From the end back from waker to waker, without a bound: the longest chain of causes.',
  },
];
