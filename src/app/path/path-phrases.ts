/** Phrases that say what threads did, from the parts of a path. Pure. */
import { timeOf } from '../../engine/answers/paths/path-owners.ts';
import { NOBODY_BUT, NOBODY_KNOWN, waitingSoftirqName } from '../../engine/graph/path-codes.ts';
import type { PathPart } from '../../engine/protocol/paths.ts';
import { formatDuration } from '../format/numbers.ts';
import * as codes from '../draw/draw-codes.ts';
import { codeOfPart, summedByText } from './path-words.ts';

/** Most system calls that are named for a worker's running time. */
const MOST_CALLS = 3;
/** Name of a system call that the tracer does not know (`syscall_entry_unknown`). */
const UNKNOWN_CALL = 'unknown';
const MOST_PHRASES = 3;
/** Share of a worker's running time from which on time in the kernel is named. */
const MOSTLY = 0.8;

const WAITS_FOR: Readonly<Record<number, string>> = {
  [codes.DRAW_THREAD]: 'for another thread',
  [codes.DRAW_TIMER]: 'for a timer',
  [codes.DRAW_DISK]: 'for the disk',
  [codes.DRAW_NETWORK]: 'for the network',
  [codes.DRAW_INPUT]: 'for user input',
  [codes.DRAW_OTHER]: 'for something that was not recorded',
};

/** Phrases that say what a worker did, each with one number, the longest first. All but the longest are left out below `least` ns. */
export function phrases(parts: readonly PathPart[], least: number): string[] {
  const running = ({ value }: PathPart) => codes.isOwnTime(codeOfPart(value));
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
  return said
    .filter(({ ns }, i) => i === 0 || ns >= least)
    .slice(0, MOST_PHRASES)
    .map(({ text }) => text);
}

function ranPhrase(ran: readonly PathPart[]): string {
  const inKernel = ran.filter(({ value }) => codeOfPart(value) === codes.DRAW_KERNEL);
  const whole = formatDuration(timeOf(ran));
  if (timeOf(inKernel) < MOSTLY * timeOf(ran)) return `ran ${whole}`;
  const calls = [...new Set(inKernel.map(({ detail }) => detail))].filter(isCallName).slice(0, MOST_CALLS);
  const named = calls.join(', ');
  const most = timeOf(inKernel) === timeOf(ran) ? '' : 'mostly ';
  return `ran ${whole} ${most}in the kernel${named && ` (${named})`}`;
}

/** Whether it names a system call; '' and undefined: in no call. */
export function isCallName(call: string | undefined): boolean {
  return call !== undefined && call !== '' && call !== UNKNOWN_CALL;
}

/** Phrase for parts of one draw code; undefined: unknown time, which the sentence names once for all workers. */
function otherPhrase(code: number, parts: readonly PathPart[]): string | undefined {
  const time = formatDuration(timeOf(parts));
  const blocker = mainBlocker(parts);
  switch (code) {
    case codes.DRAW_INTERRUPTED:
      return `was interrupted for ${time}${blocker === undefined ? '' : ` (by ${blocker})`}`;
    case codes.DRAW_RUNNABLE:
      return `was ready but did not run for ${time}${blocker === undefined ? '' : ` (${meanwhile(blocker)})`}`;
    case codes.DRAW_BY_HOST:
      return `was preempted by its host for ${time}${blocker === undefined ? '' : ` (${meanwhile(blocker)})`}`;
    case codes.DRAW_ON_HOST:
      return `stood still for ${time} while its host waited${blocker === undefined ? '' : ` (${blocker})`}`;
    case codes.DRAW_LOCK:
      return `waited ${time} for ${lockOf(parts)}`;
    case codes.DRAW_UNKNOWN:
    case codes.DRAW_NONE:
      return undefined;
    case codes.DRAW_IDLE:
      return `was stopped or idle for ${time}`;
    default:
      return `waited ${time} ${WAITS_FOR[code] ?? ''}`.trim();
  }
}

/** Phrase for softirqs that were raised and did not run yet: which, how long, and who ran meanwhile. */
export function softirqPhrase(parts: readonly PathPart[]): string {
  const names = [...new Set(parts.map(({ value }) => waitingSoftirqName(value)))];
  const blocker = mainBlocker(parts);
  const which = `softirq${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  const whoRan = blocker === undefined ? '' : ` (${meanwhile(blocker)})`;
  return `${which} had to wait for ${formatDuration(timeOf(parts))}${whoRan}`;
}

/** The lock that the parts are waits for, if it is only one; else ''. */
function lockOf(parts: readonly PathPart[]): string {
  const names = new Set(parts.map(({ detail }) => detail));
  const [name] = names;
  return names.size === 1 && name !== '' ? name : 'a lock';
}

/** Phrase for a blocker: the thread that ran meanwhile, or why none did. */
function meanwhile(blocker: string): string {
  if (blocker === NOBODY_KNOWN) return 'it is not known who ran';
  if (!blocker.startsWith(NOBODY_BUT)) return `${blocker} ran`;
  // Shortened here; the table has all possible reasons.
  return blocker.slice(NOBODY_BUT.length).replace(/, waking up, .*/, '');
}

/** Blocker that took at least half of the time, if any. */
function mainBlocker(parts: readonly PathPart[]): string | undefined {
  const [most] = summedByText(parts.flatMap(({ blockers }) => blockers));
  return most !== undefined && most.ns >= timeOf(parts) / 2 ? most.text : undefined;
}
