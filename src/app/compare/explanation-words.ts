/** Sentences on what explains a difference. Pure. */
import { addTo } from '../../engine/base/group-by.ts';
import { isThreadFrame, isUnnamedFrame } from '../../engine/layers/executions/frames.ts';
import type { RankedNode } from '../../engine/layers/executions/ranking/node-ranking.ts';
import { visibleText } from '../format/text.ts';

const CAUSES: Readonly<Record<string, string>> = {
  ...{ preempted: 'Waiting for a CPU', disk: 'Waiting for the disk', timer: 'Sleeping for a time' },
  ...{ network: 'Waiting for the network', 'user input': 'Waiting for user input', blocked: 'Blocked' },
  ...{ unknown: 'Unknown', idle: 'The CPU was idle' },
};
const CALL = 'syscall ';

/** Frames that name where a node is; those without symbols say little. */
const MOST_CALLERS = 3;

/** "System call futex", "Waiting for thread maintenance", "parse_header" */
export function frameWords(frame: string): string {
  if (Object.hasOwn(CAUSES, frame)) return CAUSES[frame];
  if (isThreadFrame(frame)) return `Waiting for ${threadWords(frame)}`;
  if (frame.startsWith(CALL)) return `System call ${visibleText(frame.slice(CALL.length))}`;
  return visibleText(frame);
}

/** Words for a thread's frame: "thread maintenance" */
export function threadWords(frame: string): string {
  return visibleText(frame.replace(/^→ /, ''));
}

/** Names of the innermost frames that have one, among frames of one thread. */
function namedOf(frames: readonly string[]): string {
  const named = frames.filter((frame) => !isUnnamedFrame(frame));
  return named.slice(-MOST_CALLERS).map(visibleText).join(' ▸ ');
}

/** A piece of a sentence; what programs are called looks as code does. */
interface Words {
  readonly text: string;
  readonly isCode: boolean;
}

/** Description of a node and its place: in which functions, of which thread, and who waited for that thread. */
export interface Reason {
  readonly what: string;
  readonly where: readonly Words[];
}

/**
 * Describes a cause.
 * @param isElapsed whether times are elapsed times, as no kernel was recorded
 */
export function causeOf({ frames, kind }: Pick<RankedNode, 'frames' | 'kind'>, isElapsed: boolean): Reason {
  if (kind === 'frame') return reasonOf(frames);
  const last = waitsOf(frames).pop() ?? { thread: undefined, frames: [] };
  const time = isElapsed ? 'Time' : 'CPU time';
  switch (kind) {
    case 'cpu':
      return { what: `${time} in no named function`, where: placeWords(last) };
    case 'noStacks':
      return {
        what: `${time} where no call stack was recorded`,
        where: [plain(`, of ${visibleText(frames[0])}`)],
      };
    case 'spread':
      return {
        what: 'Spread over many things',
        where: placeWords({ ...last, frames: [...last.frames, ''] }, 'below'),
      };
  }
}

/** Describes where most of a part of a cause lies: "thread maintenance, in unit_of_work" */
export function partWords(frames: readonly string[]): string {
  const thread = frames.find(isThreadFrame);
  const { what } = reasonOf(frames);
  if (thread === undefined) return what;
  const words = threadWords(thread);
  return what.endsWith(words) || what.startsWith(capitalised(words)) ? words : `${words}, ${what}`;
}

/** Describes a node by its frames, outermost first. */
function reasonOf(frames: readonly string[]): Reason {
  const waits = waitsOf(frames);
  const last = waits.pop() ?? { thread: undefined, frames: [] };
  const [inner, before] = [last.frames.at(-1), waits.at(-1)];
  const where = waits.reverse().flatMap((wait, i) => waiterWords(wait, i === 0 && inner === undefined));
  if (inner !== undefined || last.thread === undefined)
    return { what: frameWords(inner ?? ''), where: [...placeWords(last), ...where] };
  const thread = capitalised(threadWords(last.thread));
  switch (before?.frames.at(-1)) {
    case 'preempted':
      return { what: `${thread} ran`, where };
    case 'disk':
      return { what: `${thread} used the disk`, where };
    default:
      return { what: frameWords(last.thread), where };
  }
}

/** The frames of a thread, up to where it waited for the next one. undefined: the thread of the execution. */
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

/** How a thread waited for the one that was spoken of: ", for which a ▸ b of thread c waited" */
function waiterWords(wait: ThreadFrames, isAlone: boolean): Words[] {
  const cause = wait.frames.at(-1) ?? '';
  const isCause = cause === 'preempted' || cause === 'disk';
  const callers = namedOf(isCause ? wait.frames.slice(0, -1) : wait.frames);
  const thread = wait.thread === undefined ? 'the execution' : threadWords(wait.thread);
  const who =
    callers === ''
      ? [plain(thread)]
      : [code(callers), ...(wait.thread === undefined ? [] : [plain(` of ${thread}`)])];
  if (cause === 'preempted') return [plain(isAlone ? ' instead of ' : ', which ran instead of '), ...who];
  if (cause === 'disk')
    return [plain(isAlone ? ' while ' : ', which used the disk while '), ...who, plain(' waited for it')];
  if (isAlone) return callers === '' ? [] : [plain(', in '), ...who];
  return [plain(', for which '), ...who, plain(' waited')];
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Explanations of the executions of B, by execution, in the order of the causes. */
export function causes(nodes: readonly RankedNode[], isElapsed: boolean): Map<number, string> {
  const found = new Map<number, string[]>();
  for (const node of nodes) {
    const { what, where } = causeOf(node, isElapsed);
    const own = what.replace(/^System call /, '');
    const caller = where
      .find(({ isCode }) => isCode)
      ?.text.split(' ▸ ')
      .at(-1);
    const thread = node.frames.slice(0, -1).findLast(isThreadFrame);
    const place = thread === undefined ? caller : threadWords(thread);
    const words = place === undefined ? own : `${own} in ${place}`;
    for (const execution of node.explains) addTo(found, execution, words);
  }
  return new Map([...found].map(([execution, words]) => [execution, words.join('; ')]));
}
