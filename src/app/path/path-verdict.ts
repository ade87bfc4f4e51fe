/** Verdict on what took most of a path, as one sentence with three numbers at most. Pure. */
import { isOnHost, PACKET_ON_ITS_WAY, waitingSoftirq } from '../../engine/graph/path-codes.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { PathPart } from '../../engine/protocol/paths.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import * as codes from '../draw/draw-codes.ts';
import { formatDuration, formatExact, formatShare } from '../format/numbers.ts';
import { hostName, visibleText } from '../format/text.ts';
import { processOf } from './path-owners.ts';
import type { ExplainedPath } from './path-state.ts';
import { codeOfPart } from './path-words.ts';

export interface Verdict {
  /** "61.0 % of 580.123 ms was httpd on server, 9.0 % the network." */
  readonly text: string;
  /** All that took time with its ns, most first: they add up to the parts of the path. */
  readonly subjects: readonly Subject[];
}

interface Subject {
  /** Safe to show. */
  readonly name: string;
  readonly ns: number;
}

/** The second subject is left out where it took less. */
const LEAST_SHARE = 0.02;
const MOST_LINES = 10;

/** Needs of a thread that are no threads: the same whoever waits for them. */
const RESOURCES: Readonly<Record<number, string>> = {
  [codes.DRAW_RUNNABLE]: 'waiting for a CPU',
  [codes.DRAW_DISK]: 'the disk',
  [codes.DRAW_NETWORK]: 'the network',
  [codes.DRAW_UNKNOWN]: 'not known',
  [codes.DRAW_NONE]: 'not known',
};
/** Activities of the thread studied by itself; the same of others are their program's. */
const OWN: Readonly<Record<number, string>> = {
  [codes.DRAW_TIMER]: 'its wait for a timer',
  [codes.DRAW_THREAD]: 'its wait for a thread',
  [codes.DRAW_INPUT]: 'its wait for user input',
  [codes.DRAW_LOCK]: 'its wait for a lock',
  [codes.DRAW_OTHER]: 'a wait of unknown cause',
  [codes.DRAW_IDLE]: 'its being stopped or idle',
};

/** Undefined: no time is on the path. @param rows of the experiment */
export function pathVerdict(
  answer: ExplainedPath,
  info: ExperimentInfo,
  rows: readonly RowInfo[],
): Verdict | undefined {
  const subjectOf = namer(answer, info, rows);
  const sums = new Map<string, number>();
  for (const part of answer.parts) {
    const name = subjectOf(part);
    sums.set(name, (sums.get(name) ?? 0) + part.ns);
  }
  const subjects = Array.from(sums, ([name, ns]) => ({ name, ns })).sort((a, b) => b.ns - a.ns);
  const [first, second] = subjects as (Subject | undefined)[];
  const whole = answer.to - answer.from;
  if (first === undefined || whole <= 0) return undefined;
  const share = first.ns === whole ? 'All' : formatShare(first.ns / whole);
  const and =
    second !== undefined && second.ns >= LEAST_SHARE * whole
      ? `, ${formatShare(second.ns / whole)} ${second.name}`
      : '';
  return { text: `${share} of ${formatDuration(whole)} was ${first.name}${and}.`, subjects };
}

/** A line each, with all digits. */
export function verdictTitle({ subjects }: Verdict): string {
  const lines = subjects.slice(0, MOST_LINES).map(({ name, ns }) => `${formatExact(ns)}  ${name}`);
  const more = subjects.length - MOST_LINES;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

/** Subject of time of an interrupt worker: what the softirq waited is neither the network's nor the disk's. */
function subjectOfInterrupt(value: number): string {
  if (waitingSoftirq(value) >= 0) return 'softirqs that waited for a CPU';
  return value === PACKET_ON_ITS_WAY ? RESOURCES[codes.DRAW_NETWORK] : 'interrupts';
}

function namer(answer: ExplainedPath, info: ExperimentInfo, rows: readonly RowInfo[]) {
  const { workers } = answer;
  const own = workers.find(({ row }) => row === answer.row);
  const processes = workers.map((worker) => processOf(worker, rows));
  const ownProcess = own && processOf(own, rows).id;
  const programOf = (worker: number): string => {
    const { id } = processes[worker];
    const name = visibleText(processes[worker].name);
    const { host } = workers[worker];
    if (id === ownProcess) return `other threads of ${name}`;
    return host === own?.host ? name : `${name} on ${hostName(info.hosts, host)}`;
  };
  return ({ worker, value }: PathPart): string => {
    if (isOnHost(value)) return 'taken by its host';
    const code = codeOfPart(value);
    if (workers[worker].row === undefined) return subjectOfInterrupt(value);
    return (
      RESOURCES[code] ??
      (workers[worker].row === answer.row ? (OWN[code] ?? 'its own work') : programOf(worker))
    );
  };
}
