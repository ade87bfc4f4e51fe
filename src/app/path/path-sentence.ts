/** The answer to "why did this wait?" as a person would say it, from the parts of a path. Pure. */
import { groupBy } from '../../engine/base/group-by.ts';
import { NOBODY_BUT, NOBODY_KNOWN, PACKET_ON_ITS_WAY } from '../../engine/graph/path-codes.ts';
import type { IntervalInfo, PathPart } from '../../workers/session-api.ts';
import { formatDuration, formatShare } from '../format/numbers.ts';
import { listed } from '../format/text.ts';
import * as codes from '../draw/draw-codes.ts';
import type { ExplainedPath } from './path-state.ts';
import { codeOfPart } from './path-words.ts';

/** A piece of the sentence; `worker` makes it the name of one, which leads to its row. */
export interface SentencePiece {
  readonly text: string;
  readonly worker?: number;
}

/** Workers named one by one, those with a smaller share than this together. */
const MOST_WORKERS = 3;
const LEAST_SHARE = 0.03;
/** Calls named for a worker's running time. */
const MOST_CALLS = 3;
/** In place of the name of a call that the tracer does not know (`syscall_entry_unknown`). */
const UNKNOWN_CALL = 'unknown';
/** From this share on of a worker's running time, that in the kernel is named. */
const MOSTLY = 0.8;

const WAITS_FOR: Readonly<Record<number, string>> = {
  [codes.DRAW_THREAD]: 'for another thread',
  [codes.DRAW_TIMER]: 'for a timer',
  [codes.DRAW_DISK]: 'for the disk',
  [codes.DRAW_NETWORK]: 'for the network',
  [codes.DRAW_INPUT]: 'for user input',
  [codes.DRAW_LOCK]: 'for a lock',
  [codes.DRAW_OTHER]: 'for something that was not recorded',
};

/**
 * @param own number of the worker that is studied
 * @param wait the wait whose path it is; undefined: of a range
 */
export function pathSentence(
  answer: ExplainedPath,
  own: number,
  wait: Pick<IntervalInfo, 'syscall' | 'causeText'> | undefined,
): SentencePiece[] {
  const whole = answer.to - answer.from;
  const isInterrupt = (worker: number) => answer.workers[worker].row === undefined;
  const byWorker = partsByWorker(answer.parts);
  const others = [...byWorker].filter(([worker]) => worker !== own && !isInterrupt(worker));
  const named = others.filter(([, parts]) => timeOf(parts) >= LEAST_SHARE * whole).slice(0, MOST_WORKERS);
  const pieces: SentencePiece[] = [];
  if (wait?.causeText !== undefined) {
    const where = isCallName(wait.syscall) ? ` in ${wait.syscall}` : '';
    pieces.push({ text: `It waited${where}, ${wait.causeText}. ` });
  }
  const mine = phrases(byWorker.get(own) ?? [], named.length > 0 ? LEAST_SHARE * whole : 0);
  if (mine.length > 0) pieces.push({ text: `It ${listed(mine)}. ` });
  named.forEach(([worker, parts], i) => {
    const { name, row } = answer.workers[worker];
    if (i === 0) pieces.push({ text: mine.length > 0 ? 'Then it depended on ' : 'It depended on ' });
    pieces.push({ text: name, worker: row === undefined ? undefined : worker });
    pieces.push({ text: `${i === 0 ? ', which ' : ' '}${listed(phrases(parts, LEAST_SHARE * whole))}. ` });
  });
  const rest = others
    .filter((entry) => !named.includes(entry))
    .reduce((sum, [, parts]) => sum + timeOf(parts), 0);
  if (rest > 0) {
    const count = others.length - named.length;
    pieces.push({
      text: `${count === 1 ? 'One more' : `${count} more`} took ${formatDuration(rest)}. `,
    });
  }
  const packets = answer.parts.filter(({ worker }) => isInterrupt(worker));
  if (packets.length > 0) pieces.push({ text: packetPhrase(packets) });
  const unknown = answer.unexplainedNs;
  if (unknown > 0)
    pieces.push({ text: `${formatDuration(unknown)} (${formatShare(unknown / whole)}) is unexplained.` });
  return pieces;
}

/** What happened in interrupts lies on the path because of packets: their way, and the time until they woke a thread. */
function packetPhrase(parts: readonly PathPart[]): string {
  const onTheWay = timeOf(parts.filter(({ value }) => value === PACKET_ON_ITS_WAY));
  const received = timeOf(parts) - onTheWay;
  const phrases = [
    ...(onTheWay > 0 ? [`were on their way for ${formatDuration(onTheWay)}`] : []),
    ...(received > 0 ? [`took ${formatDuration(received)} in interrupts`] : []),
  ];
  return `Packets ${listed(phrases)}. `;
}

/** Workers with their parts, most time first. */
function partsByWorker(parts: readonly PathPart[]): Map<number, readonly PathPart[]> {
  const byWorker = groupBy(parts, ({ worker }) => worker);
  return new Map([...byWorker].sort(([, a], [, b]) => timeOf(b) - timeOf(a)));
}

function timeOf(parts: readonly PathPart[]): number {
  return parts.reduce((sum, { ns }) => sum + ns, 0);
}

/** What a worker did, longest first; shorter things than `least` ns are left out, but not all of them. */
function phrases(parts: readonly PathPart[], least: number): string[] {
  const running = ({ value }: PathPart) => {
    const code = codeOfPart(value);
    return code === codes.DRAW_USER || code === codes.DRAW_KERNEL;
  };
  const said: { readonly ns: number; readonly text: string }[] = [];
  const ran = parts.filter(running);
  if (ran.length > 0) said.push({ ns: timeOf(ran), text: ranPhrase(ran) });
  const others = parts.filter((part) => !running(part));
  for (const code of new Set(others.map(({ value }) => codeOfPart(value)))) {
    const alike = others.filter(({ value }) => codeOfPart(value) === code);
    const text = otherPhrase(code, alike);
    if (text !== undefined) said.push({ ns: timeOf(alike), text });
  }
  said.sort((a, b) => b.ns - a.ns);
  return said.filter(({ ns }, i) => i === 0 || ns >= least).map(({ text }) => text);
}

function ranPhrase(ran: readonly PathPart[]): string {
  const inKernel = ran.filter(({ value }) => codeOfPart(value) === codes.DRAW_KERNEL);
  const whole = formatDuration(timeOf(ran));
  if (timeOf(inKernel) < MOSTLY * timeOf(ran)) return `ran ${whole}`;
  const ofIt = formatDuration(timeOf(inKernel));
  const calls = [...new Set(inKernel.map(({ detail }) => detail))].filter(isCallName).slice(0, MOST_CALLS);
  const named = calls.join(', ');
  if (ofIt === whole) return `ran ${whole} in the kernel${named && ` (${named})`}`;
  return `ran ${whole} (${ofIt} in the kernel${named && `: ${named}`})`;
}

/** '' and undefined: in no call. */
function isCallName(call: string | undefined): boolean {
  return call !== undefined && call !== '' && call !== UNKNOWN_CALL;
}

/** Parts of one look. undefined: nothing is known of it, which is said once for all workers. */
function otherPhrase(code: number, parts: readonly PathPart[]): string | undefined {
  const time = formatDuration(timeOf(parts));
  const culprit = mainCulprit(parts);
  switch (code) {
    case codes.DRAW_INTERRUPTED:
      return `was interrupted for ${time}${culprit === undefined ? '' : ` (by ${culprit})`}`;
    case codes.DRAW_RUNNABLE:
      return `was ready but did not run for ${time}${culprit === undefined ? '' : ` (${meanwhile(culprit)})`}`;
    case codes.DRAW_BY_HOST:
      return `was preempted by its host for ${time}${culprit === undefined ? '' : ` (${meanwhile(culprit)})`}`;
    case codes.DRAW_ON_HOST:
      return `stood still for ${time} while its host waited${culprit === undefined ? '' : ` (${culprit})`}`;
    case codes.DRAW_UNKNOWN:
    case codes.DRAW_NONE:
      return undefined;
    case codes.DRAW_IDLE:
      return `was stopped or idle for ${time}`;
    default:
      return `waited ${time} ${WAITS_FOR[code] ?? ''}`.trim();
  }
}

/** A thread that had the time ran; else it is said why nobody did. */
function meanwhile(culprit: string): string {
  if (culprit === NOBODY_KNOWN) return 'it is not known who ran';
  return culprit.startsWith(NOBODY_BUT) ? culprit.slice(NOBODY_BUT.length) : `${culprit} ran`;
}

/** Who took at least half of the time; undefined: nobody did. */
function mainCulprit(parts: readonly PathPart[]): string | undefined {
  const taken = new Map<string, number>();
  for (const { text, ns } of parts.flatMap(({ culprits }) => culprits))
    taken.set(text, (taken.get(text) ?? 0) + ns);
  const [most] = [...taken].sort(([, a], [, b]) => b - a);
  return most !== undefined && most[1] >= timeOf(parts) / 2 ? most[0] : undefined;
}
