/** Sentences that explain a difference: the same on the page, in the summary and in output. Pure. */
import { capitalised, lowered } from '../../../base/first-letter.ts';
import { addTo, addNumber } from '../../../base/group-by.ts';
import { visibleText } from '../../../base/visible-text.ts';
import { callOfFrame, isCallFrame } from '../../stacks/call-frame.ts';
import { isLibraryFrame, isThreadFrame, isUnnamedFrame, threadOfFrame } from '../frames.ts';
import type { RankedNode } from './node-ranking.ts';

const CAUSES: Readonly<Record<string, string>> = {
  ...{ preempted: 'Waiting for a CPU', disk: 'Waiting for the disk', timer: 'Sleeping' },
  ...{ network: 'Waiting for the network', 'user input': 'Waiting for user input', blocked: 'Blocked' },
  ...{ unknown: 'Unknown', idle: 'The CPU was idle' },
};

/** Shares of a cause that count as most of it, and as worth mentioning. */
const MOST_OF_IT = 0.5;
const LARGE_PART = 0.25;
/** Frames that tell where a node is. */
const MOST_CALLERS = 3;
/** Most parts of a cause that are mentioned, and causes of a set. */
const MOST_PARTS = 2;
const MOST_OF_SET = 4;

/** "System call futex", "Waiting for thread maintenance", "parse_header" */
export function frameWords(frame: string): string {
  if (Object.hasOwn(CAUSES, frame)) return CAUSES[frame];
  if (isThreadFrame(frame)) return `Waiting for ${threadWords(frame)}`;
  return isCallFrame(frame) ? `System call ${plainName(frame)}` : visibleText(frame);
}

/** Words for a thread's frame: "thread maintenance" */
export function threadWords(frame: string): string {
  return visibleText(frame.replace(/^→ /, ''));
}

function plainName(frame: string): string {
  return visibleText(callOfFrame(frame) ?? frame);
}

/** Innermost named frames of one thread. */
function namedOf(frames: readonly string[]): string {
  const named = frames.filter((frame) => !isUnnamedFrame(frame));
  return named.slice(-MOST_CALLERS).map(plainName).join(' ▸ ');
}

/** A piece of a sentence; names from programs are set as code. */
interface Words {
  readonly text: string;
  readonly isCode: boolean;
}

/** Description of a node and its place: in which functions, of which thread, and who waited for that thread. */
export interface Reason {
  readonly what: string;
  readonly where: readonly Words[];
  /** Note on missing information. */
  readonly note?: string;
}

type Cause = Pick<RankedNode, 'frames' | 'kind'>;

/** Describes a cause. @param isElapsed whether times are elapsed times, as no kernel was recorded */
export function causeOf({ frames, kind }: Cause, isElapsed: boolean): Reason {
  if (kind === 'frame') return reasonOf(frames);
  const last = waitsOf(frames).pop() ?? { thread: undefined, frames: [] };
  const time = isElapsed ? 'time' : 'CPU time';
  const own =
    last.thread === undefined ? `Its own ${time}` : capitalised(`${time} of ${threadWords(last.thread)}`);
  switch (kind) {
    case 'cpu':
      return {
        what: own,
        where: placeWords({ thread: undefined, frames: last.frames }),
        note: 'in no function that has a name',
      };
    case 'noStacks':
      return { what: own, where: [], note: 'no call stacks recorded' };
    case 'spread':
      return {
        what: 'Spread over many things',
        where: placeWords({ ...last, frames: [...last.frames, ''] }, 'below'),
      };
  }
}

/** Short name of a cause: "sleeping in hazard_pointer_wait", "the system call futex in cache_lookup", "its own CPU time" */
function shortCause(node: Cause, isElapsed: boolean): string {
  const { what, note } = causeOf(node, isElapsed);
  if (note !== undefined) return `${lowered(what)}${node.kind === 'noStacks' ? ', ' : ' '}${note}`;
  const waits = waitsOf(node.frames);
  const last = waits.pop() ?? { thread: undefined, frames: [] };
  const inner = last.frames.at(-1);
  const inCaller = (frames: readonly string[] = []) => {
    const caller = callerIn(frames);
    return caller === undefined ? '' : ` in ${caller}`;
  };
  if (inner === undefined) return `${lowered(what)}${inCaller(waits.at(-1)?.frames)}`;
  const thread = last.thread === undefined ? '' : ` of ${threadWords(last.thread)}`;
  if (node.kind === 'spread') return `many things${inCaller(last.frames)}${thread}`;
  const place = `${inCaller(last.frames.slice(0, -1))}${thread}`;
  if (isCallFrame(inner)) return `the system call ${plainName(inner)}${place}`;
  if (Object.hasOwn(CAUSES, inner)) return `${lowered(CAUSES[inner])}${place}`;
  return `${visibleText(inner)}${thread}`;
}

/** Innermost named function, of the program if possible, as library functions say little. */
function innermostOf(frames: readonly string[]): string | undefined {
  return (
    frames.findLast((frame) => isFunction(frame) && !isLibraryFrame(frame)) ?? frames.findLast(isFunction)
  );
}

/** Innermost named function, else the system call. */
function callerIn(frames: readonly string[]): string | undefined {
  const caller = innermostOf(frames) ?? frames.findLast(isCallFrame);
  return caller && plainName(caller);
}

function isFunction(frame: string): boolean {
  return (
    !isThreadFrame(frame) && !isCallFrame(frame) && !isUnnamedFrame(frame) && !Object.hasOwn(CAUSES, frame)
  );
}

/** Words on where most of a part of a cause is: "thread maintenance, in unit_of_work" */
function partWords(frames: readonly string[]): string {
  const thread = frames.findLast(isThreadFrame);
  const inner = frames.findLast((frame) => !isUnnamedFrame(frame)) ?? '';
  const said = reasonOf(frames.filter((frame) => !isUnnamedFrame(frame))).what;
  const what = isFunction(inner) ? said : lowered(said);
  if (thread === undefined) return what;
  const words = threadWords(thread);
  return what.endsWith(words) || what.startsWith(words) ? words : `${words}, ${what}`;
}

/** Numbers of a cause in words: ", 6.372 ms against none in A. Explains 18 of 26." @param time formats ns */
export function numbersOf(
  { meanA, meanB, explains }: Pick<RankedNode, 'meanA' | 'meanB' | 'explains'>,
  sizeB: number,
  time: (ns: number) => string,
): { readonly times: string; readonly explained: string } {
  const executions = explains.length === sizeB ? `all ${sizeB}` : `${explains.length} of ${sizeB}`;
  return {
    times: `${time(meanB)} against ${meanA === 0 ? 'none' : time(meanA)} in A`,
    explained: `Explains ${sizeB === 1 ? 'it' : executions}.`,
  };
}

/** Sentence on a cause as plain text. @param time formats ns */
export function causeSentence(
  node: RankedNode,
  { sizeB, isElapsed }: { readonly sizeB: number; readonly isElapsed: boolean },
  time: (ns: number) => string,
): string {
  const { what, where, note } = causeOf(node, isElapsed);
  const { times, explained } = numbersOf(node, sizeB, time);
  const named = `${what}${where.map(({ text }) => text).join('')}`;
  return `${named}: ${times}${note === undefined ? '' : `; ${note}`}. ${explained}${partsText(node, time)}`;
}

/**
 * Words on where most of the difference is below a cause: " Of the difference 3.842 ms thread worker-*; 2.423 ms
 * thread maintenance."; '': none.
 */
export function partsText({ parts }: Pick<RankedNode, 'parts'>, time: (ns: number) => string): string {
  /** ns by words, as parts that differ only in unnamed frames have the same words. */
  const nsByWords = new Map<string, number>();
  for (const { frames, ns } of parts) {
    if (frames.every(isUnnamedFrame)) continue;
    const words = partWords(frames);
    addNumber(nsByWords, words, ns);
  }
  if (nsByWords.size === 0) return '';
  return ` Of the difference ${[...nsByWords]
    .slice(0, MOST_PARTS)
    .map(([words, ns]) => `${time(ns)} ${words}`)
    .join('; ')}.`;
}

/** Reason why an execution's thread was slow. */
interface Why {
  /** Equal for nodes with the same cause. */
  readonly key: string;
  /** Innermost named function, else system call, of the execution's own thread; undefined: irrelevant. */
  readonly place: string | undefined;
  /** Reason why it could not run; undefined: it ran. */
  readonly doing: string | undefined;
  /** Function of the thread that was waited for. */
  readonly within: string | undefined;
  readonly thread: string | undefined;
}

/** Reason in a stack of frames, outermost first; undefined: nothing in it is named. */
export function whyOf({ frames, kind }: Cause): Why | undefined {
  const waits = waitsOf(frames);
  const [own] = waits;
  const last = waits[waits.length - 1];
  const name = kind === 'noStacks' ? undefined : innermostOf(own.frames);
  const call = own.frames.findLast(isCallFrame);
  const thread = last.thread && threadWords(last.thread);
  const wait = last.frames.findLast((frame) => frame !== 'unknown' && Object.hasOwn(CAUSES, frame));
  const key = name ?? call ?? wait ?? thread;
  if (key === undefined) return undefined;
  const place = name === undefined ? call && `the system call ${plainName(call)}` : plainName(name);
  if (wait !== undefined) return { key, place, doing: lowered(CAUSES[wait]), within: undefined, thread };
  if (thread === undefined) return { key, place, doing: undefined, within: undefined, thread };
  const inner = last.frames.findLast((frame) => isFunction(frame) && !isLibraryFrame(frame));
  const before = waits[waits.length - 2].frames.at(-1);
  // Preemption can happen anywhere in a thread.
  if (before === 'preempted') {
    const doing = `waiting for a CPU while ${thread} ran`;
    return { key: thread, place: undefined, doing, within: inner, thread };
  }
  const doing = `waiting for ${before === 'disk' ? 'the disk while it served ' : ''}${thread}`;
  return { key, place, doing, within: inner && `in ${inner}`, thread };
}

/** Words on nodes of one cause, largest first: "in read_block, waiting for the disk, longest while it served logger". */
export function commonCause(nodes: readonly RankedNode[]): string {
  const [{ frames, kind, parts, difference }] = nodes;
  const [why, ...others] = nodes.map(whyOf);
  if (why === undefined) return 'with more CPU time';
  const { place, doing, within } = why;
  const total = nodes.reduce((sum, node) => sum + node.difference, 0);
  const partly = (ns: number) => (ns >= MOST_OF_IT * total ? 'mostly' : 'longest');
  const said = [place && `in ${place}`];
  if (others.some((other) => other?.doing !== doing)) said.push(doing && `${partly(difference)} ${doing}`);
  else {
    said.push(doing && [doing, within].filter(Boolean).join(' '));
    const [part] = parts;
    const isLarge = part !== undefined && part.ns >= LARGE_PART * total;
    const whole = isLarge ? whyOf({ frames: [...frames, ...part.frames], kind }) : undefined;
    if (whole?.doing !== undefined && whole.thread !== why.thread) {
      const isSame = doing !== undefined && whole.doing.startsWith(doing);
      const more = isSame ? whole.doing.slice(doing.length).trim() : whole.doing;
      said.push([partly(part.ns), more, whole.within].filter(Boolean).join(' '));
    }
  }
  return said.filter(Boolean).join(', ');
}

/** Sets of causes that executions have together, most executions first: "2 by sleeping in a and waiting for the disk in b". */
export function causeSets(nodes: readonly RankedNode[], isElapsed: boolean): readonly CauseSet[] {
  const ofExecution = new Map<number, number[]>();
  nodes.forEach(({ explains }, node) => {
    for (const execution of explains) addTo(ofExecution, execution, node);
  });
  const sets = new Map<string, number>();
  for (const set of ofExecution.values()) if (set.length > 1) addNumber(sets, set.join(' '), 1);
  return [...sets]
    .sort(([, a], [, b]) => b - a)
    .map(([set, executions]) => {
      const causes = set.split(' ').map((node) => shortCause(nodes[Number(node)], isElapsed));
      return {
        executions,
        causes: causes.length > MOST_OF_SET ? [...causes.slice(0, MOST_OF_SET - 1), 'more'] : causes,
      };
    });
}

export interface CauseSet {
  readonly executions: number;
  readonly causes: readonly string[];
}

/** Words on a node from its frames, outermost first. */
function reasonOf(frames: readonly string[]): Reason {
  const waits = waitsOf(frames);
  const last = waits.pop() ?? { thread: undefined, frames: [] };
  const inner = last.frames.at(-1);
  if (waits.length > 1) return { what: whatOf(last), where: chainWords([...waits, last]) };
  const [wait] = waits as (ThreadFrames | undefined)[];
  const where = wait === undefined ? [] : waiterWords(wait, inner === undefined);
  if (inner !== undefined || last.thread === undefined)
    return { what: whatOf(last), where: [...placeWords(withoutCall(last)), ...where] };
  const thread = capitalised(threadWords(last.thread));
  switch (wait?.frames.at(-1)) {
    case 'preempted':
      return { what: `${thread} ran`, where };
    case 'disk':
      return { what: `${thread} used the disk`, where };
    default:
      return { what: frameWords(last.thread), where };
  }
}

/** Words on what the innermost thread did: its last frame; for a wait with the system call that it waited in. */
function whatOf({ thread, frames }: ThreadFrames): string {
  const inner = frames.at(-1) ?? thread ?? '';
  const call = frames.at(-2) ?? '';
  return isWaitInCall(frames) ? `${frameWords(inner)} (${plainName(call)})` : frameWords(inner);
}

function isWaitInCall(frames: readonly string[]): boolean {
  return Object.hasOwn(CAUSES, frames.at(-1) ?? '') && isCallFrame(frames.at(-2) ?? '');
}

/** Frames without the call that `whatOf` mentions. */
function withoutCall(wait: ThreadFrames): ThreadFrames {
  return isWaitInCall(wait.frames) ? { ...wait, frames: wait.frames.toSpliced(-2, 1) } : wait;
}

/** Frames of a thread, up to where it waited for the next one. undefined: the thread of the execution. */
interface ThreadFrames {
  readonly thread: string | undefined;
  readonly frames: readonly string[];
}

function waitsOf(frames: readonly string[]): ThreadFrames[] {
  const starts = frames.flatMap((frame, i) => (isThreadFrame(frame) ? [i] : []));
  return [-1, ...starts].map((start, i) => ({
    thread: frames.at(start < 0 ? frames.length : start),
    frames: frames.slice(start + 1, starts[i]),
  }));
}

const code = (text: string): Words => ({ text, isCode: true });
const plain = (text: string): Words => ({ text, isCode: false });

/** ", in a ▸ b of thread c" */
function placeWords({ thread, frames }: ThreadFrames, at = 'in'): Words[] {
  const callers = namedOf(frames.slice(0, -1));
  const of = thread === undefined ? '' : threadWords(thread);
  if (callers === '') return of === '' ? [] : [plain(`, ${at} ${of}`)];
  return [plain(`, ${at} `), code(callers), ...(of === '' ? [] : [plain(` of ${of}`)])];
}

/** Words on how the execution waited for the mentioned thread: ", for which a ▸ b waited" */
function waiterWords({ frames }: ThreadFrames, isAlone: boolean): Words[] {
  const cause = frames.at(-1) ?? '';
  const isCause = cause === 'preempted' || cause === 'disk';
  const callers = namedOf(isCause ? frames.slice(0, -1) : frames);
  const who = callers === '' ? [plain('the execution')] : [code(callers)];
  if (cause === 'preempted') return [plain(isAlone ? ' instead of ' : ', which ran instead of '), ...who];
  if (cause === 'disk')
    return [plain(isAlone ? ' while ' : ', which used the disk while '), ...who, plain(' waited for it')];
  if (isAlone) return callers === '' ? [] : [plain(', in '), ...who];
  return [plain(', for which '), ...who, plain(' waited')];
}

/** Words on who waited for whom, from the execution on: ", epoll_wait → postgres in fdatasync → jbd2/vdb-8" */
function chainWords(waits: readonly ThreadFrames[]): Words[] {
  return waits.flatMap((wait, i): Words[] => {
    const isTold = i === waits.length - 1 || Object.hasOwn(CAUSES, wait.frames.at(-1) ?? '');
    const callers = namedOf(isTold ? withoutCall(wait).frames.slice(0, -1) : wait.frames);
    const before = i === 0 ? ', ' : ' → ';
    const name = wait.thread === undefined ? undefined : visibleText(threadOfFrame(wait.thread) ?? '');
    if (callers === '') return [plain(`${before}${name ?? 'the execution'}`)];
    return [plain(`${before}${name === undefined ? '' : `${name} in `}`), code(callers)];
  });
}

/** Explanations of the executions of B, by execution, in order of the causes. */
export function causes(nodes: readonly RankedNode[], isElapsed: boolean): Map<number, string> {
  const found = new Map<number, string[]>();
  for (const node of nodes) {
    const words = shortCause(node, isElapsed).replace(/^the system call /, '');
    for (const execution of node.explains) addTo(found, execution, words);
  }
  return new Map([...found].map(([execution, words]) => [execution, words.join('; ')]));
}
