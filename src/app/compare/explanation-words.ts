/** What explains a difference, in sentences. Pure. */
import { isThreadFrame } from '../../engine/executions/frames.ts';
import type { RankedNode } from '../../engine/executions/ranking/node-ranking.ts';
import type { ExecutionsAnswer } from '../../workers/session-api.ts';
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

/** Of a thread's frame: "thread maintenance" */
export function threadWords(frame: string): string {
  return visibleText(frame.replace(/^→ /, ''));
}

/** The frames of a node, outermost first. */
export function framesOf({ frames, frame, parent }: ExecutionsAnswer['tree'], node: number): string[] {
  const texts: string[] = [];
  for (let at = node; at > 0; at = parent[at]) texts.push(frames[frame[at]]);
  return texts.reverse();
}

/** Who called the last of the frames: the nearest that have a name. */
export function callersOf(frames: readonly string[]): string {
  const named = frames.slice(0, -1).filter((frame) => !/\+0x[0-9a-f]+$|^\[unknown\]$/.test(frame));
  return named.slice(-MOST_CALLERS).map(visibleText).join(' ▸ ');
}

/** By execution of B: what explains it. */
export function causes(tree: ExecutionsAnswer['tree'], nodes: readonly RankedNode[]): Map<number, string> {
  const found = new Map<number, string>();
  for (const { node, explains } of nodes) {
    const frames = framesOf(tree, node);
    const own = frameWords(frames.at(-1) ?? '').replace(/^System call /, '');
    const callers = callersOf(frames).split(' ▸ ').at(-1);
    const words = callers === '' || callers === undefined ? own : `${own} in ${callers}`;
    for (const execution of explains) found.set(execution, words);
  }
  return found;
}
