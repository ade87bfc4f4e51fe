/** Texts and draw codes of parts and segments of a path. Pure. */
import { addNumber } from '../../engine/base/group-by.ts';
import {
  BLOCKED,
  BLOCKED_ON_HOST,
  PACKET_ON_ITS_WAY,
  PREEMPTED_BY_HOST,
  RUNNING,
  UNKNOWN,
  waitingSoftirq,
  waitingSoftirqName,
} from '../../engine/graph/path-codes.ts';
import { NO_LOCK_EVENTS } from '../../engine/words/recording-commands.ts';
import type {
  LockEvents,
  PathAnswer,
  PathBlocker,
  PathCriterion,
  PathParts,
  PathRequest,
} from '../../engine/protocol/paths.ts';
import * as values from '../../engine/linux/events/values.ts';
import * as codes from '../draw/draw-codes.ts';

/** A path; `states` come with its parts. */
export type StatedPath = PathAnswer & Partial<Pick<PathParts, 'states'>>;

/** States by label, for segments of which only the label is known. */
export const STATE_OF_LABEL: readonly number[] = [
  values.STATE_USER,
  values.STATE_PREEMPTED,
  values.STATE_BLOCKED_S,
  values.STATE_UNKNOWN,
  PACKET_ON_ITS_WAY,
];

/** Draw code of a part of a path (`PathPart.value`). */
export function codeOfPart(value: number): number {
  if (waitingSoftirq(value) >= 0) return codes.DRAW_RUNNABLE;
  switch (value) {
    case PACKET_ON_ITS_WAY:
      return codes.DRAW_NETWORK;
    case PREEMPTED_BY_HOST:
      return codes.DRAW_BY_HOST;
    case BLOCKED_ON_HOST:
      return codes.DRAW_ON_HOST;
    default:
      return codes.drawCodeOf('thread', value);
  }
}

/** Text of a part: "Running, kernel", "On the network", "Softirq NET_RX waits". */
export function wordOfPart(value: number): string {
  const softirq = waitingSoftirqName(value);
  if (softirq !== '') return `Softirq ${softirq} waits`;
  return value === PACKET_ON_ITS_WAY ? 'On the network' : codes.DRAW_STYLES[codeOfPart(value)].label;
}

/** Times added up by text, most first. */
export function summedByText(times: readonly PathBlocker[]): readonly PathBlocker[] {
  const sums = new Map<string, number>();
  for (const { text, ns } of times) addNumber(sums, text, ns);
  return Array.from(sums, ([text, ns]) => ({ text, ns })).sort((a, b) => b.ns - a.ns);
}

/** Text of a segment: "Running, kernel", "Waits for the disk", "Unknown: events were lost". */
export function wordOfSegment(answer: StatedPath, segment: number): string {
  const { segments, causes, workers } = answer;
  const cause = causes[segments.cause[segment]] ?? '';
  if (segments.label[segment] === UNKNOWN && cause !== '') return `Unknown: ${cause}`;
  if (workers[segments.worker[segment]].row === undefined) {
    if (segments.label[segment] === RUNNING) return 'Interrupt';
    if (segments.label[segment] === BLOCKED) return 'Lost packet, sent again by a timer';
  }
  return answer.states === undefined && segments.label[segment] === RUNNING
    ? 'Running'
    : wordOfPart(stateOfSegment(answer, segment));
}

/** State of the longest part of a segment, as `PathPart.value`. */
export function stateOfSegment({ segments: { label }, states }: StatedPath, segment: number): number {
  return states === undefined ? STATE_OF_LABEL[label[segment]] : states[segment];
}

/** Cause of a segment, if it is known and adds to the text of the segment; else ''. */
export function causeOfSegment({ segments, causes }: PathAnswer, segment: number): string {
  return segments.label[segment] === BLOCKED ? (causes[segments.cause[segment]] ?? '') : '';
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
    about:
      'As exact, but from threads that you mark as unrelated the path comes back to the one that waited.',
  },
  {
    id: 'exact',
    title: 'Exact',
    about: 'From the end back from waker to waker, without a bound: the longest chain of causes.',
  },
  {
    id: 'lock-holder',
    title: 'Lock holder',
    about:
      'As exact, but a wait for a lock is divided by who held the lock then: nobody is blamed for what it did before and after.',
  },
];

/** Reason why there is no path by a criterion; undefined: there is one. */
export function hindranceOf(
  criterion: PathCriterion,
  { marked = [] }: Pick<PathRequest, 'marked'>,
  lockEvents: LockEvents,
): Hindrance | undefined {
  // Without marks it would be the path by `exact`.
  if (criterion === 'marked-unrelated' && marked.length === 0)
    return { word: 'nothing is marked', text: 'Mark a thread below first.' };
  if (criterion !== 'lock-holder' || lockEvents === 'there') return undefined;
  return lockEvents === 'none'
    ? { word: 'no lock events', ...NO_LOCK_EVENTS }
    : { word: 'locks not read yet', text: 'The events of locks have not been read yet.' };
}

export interface Hindrance {
  /** Short text; the sentence follows. */
  readonly word: string;
  readonly text: string;
  /** Command that would record what is missing. */
  readonly command?: string;
}

export const DEFAULT_CRITERION: PathCriterion = 'main-task';

export function isCriterion(value: unknown): value is PathCriterion {
  return CRITERIA.some(({ id }) => id === value);
}
