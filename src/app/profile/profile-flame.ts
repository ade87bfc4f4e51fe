/** The flame graph of a profile. Pure. */
import { cachedByKey } from '../../engine/base/cached-by-key.ts';
import { isThreadFrame } from '../../engine/layers/executions/frames.ts';
import { SPAN_COLOURS, spanValue } from '../../engine/layers/contract/span-values.ts';
import { isCallFrame } from '../../engine/layers/stacks/call-frame.ts';
import {
  marginOf,
  NO_FILE_KNOWN,
  NO_LOCK_KNOWN,
  NOT_RECORDED_FRAME,
  withCallees,
  withoutWaker,
} from '../../engine/layers/stacks/profile.ts';
import type { ProfileAnswer } from '../../engine/protocol/profile.ts';
import * as codes from '../draw/draw-codes.ts';
import { shortFunction } from '../format/function-name.ts';
import { formatCount, formatShare } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { calleesOf, callersOf, type FrameTree, inverted, topDown } from '../widgets/flame/call-trees.ts';
import { flameTree, type FlameFrame, type FlameTree } from '../widgets/flame/flame-tree.ts';
import type { FlameOrder } from './profile-question.ts';

export const NO_FLAME = flameTree([]);

/** Parts of a profile that a flame graph is made of. */
type FlameSource = Pick<ProfileAnswer, 'tree' | 'measure' | 'samples' | 'withoutStack'>;

/** All stacks, from callers to callees or the other way round. */
export function profileFlame(
  profile: FlameSource,
  order: Exclude<FlameOrder, 'time'>,
  isOfPath: boolean,
): FlameTree {
  return flameOf(profile, (order === 'down' ? topDown : inverted)(profile.tree), isOfPath);
}

/** Flame graph in order of a thread's running time; empty if that was not asked for. */
export function chartFlame({ tree, chart, time }: ProfileAnswer): FlameTree {
  if (chart === undefined) return NO_FLAME;
  const looks = looksOf(tree.frames, false);
  const frames: FlameFrame[] = [];
  for (let i = 0; i < chart.length; i++) {
    const [node, count] = [chart.node[i], chart.count[i]];
    const look: Look =
      node < 0 ? { text: `${formatCount(count)} short frames`, code: 0 } : looks[tree.frame[node]];
    const one = { parent: chart.parent[i], at: chart.at[i], value: chart.ns[i], ...look };
    const times = ` ×${formatCount(count)}`;
    if (node < 0 || count === 1) frames.push(one);
    else frames.push({ ...one, text: one.text + times, short: (one.short ?? '') + times });
  }
  return flameTree(frames, chart, time);
}

/** Flame graph of a function's callees or callers; empty if no stack has it. */
export function functionFlame(
  profile: ProfileAnswer,
  name: string,
  side: 'callers' | 'callees',
  isOfPath: boolean,
): FlameTree {
  const wanted = profile.tree.frames.indexOf(name);
  if (wanted < 0) return NO_FLAME;
  return flameOf(profile, (side === 'callers' ? callersOf : calleesOf)(profile.tree, wanted), isOfPath);
}

function flameOf(
  { tree, measure, samples: taken, withoutStack }: FlameSource,
  { parent, frame, place }: FrameTree,
  isOfPath: boolean,
): FlameTree {
  const ns = new Float64Array(parent.length);
  const samples = new Float64Array(parent.length);
  place.forEach((at, node) => {
    if (at < 0) return;
    ns[at] += tree.ns[node];
    samples[at] += tree.samples[node];
  });
  const [allNs, allSamples] = [withCallees({ parent }, ns), withCallees({ parent }, samples)];
  const looks = looksOf(tree.frames, isOfPath);
  const isApart = (text: string) => taken > 0 && (text === withoutStack || text === NOT_RECORDED_FRAME);
  const apart = tree.frames.map(isApart);
  const frames: FlameFrame[] = [];
  // Frame i of the graph is node i + 1 of the tree.
  for (let node = 1; node < parent.length; node++) {
    frames.push({
      ...{ parent: parent[node] - 1, ...looks[frame[node]] },
      ...(apart[frame[node]] && {
        text: NOT_RECORDED_FRAME,
        short: NOT_RECORDED_FRAME,
        isApart: true,
        code: 0,
      }),
      ...{ value: measure === 'samples' ? allSamples[node] : allNs[node], samples: allSamples[node] },
    });
  }
  return flameTree(frames, place);
}

type Look = Pick<FlameFrame, 'text' | 'short' | 'code'>;

/** Text and draw code of each frame. */
function looksOf(frames: readonly string[], isOfPath: boolean): Look[] {
  return frames.map((text) => ({
    text: visibleText(text),
    // Without brackets, before the painter cuts what is still too long.
    short: visibleText(isFunction(text) ? shortFunction(text) : text),
    code: codeOf(text, isOfPath),
  }));
}

/** Draw codes of the reasons why a path ended, by their names in `inspect profile`. */
const CAUSES: Readonly<Record<string, number>> = {
  ...{ preempted: codes.DRAW_RUNNABLE, blocked: codes.DRAW_THREAD, timer: codes.DRAW_TIMER },
  ...{ disk: codes.DRAW_DISK, network: codes.DRAW_NETWORK, 'user input': codes.DRAW_INPUT },
  ...{ lock: codes.DRAW_LOCK, unknown: codes.DRAW_UNKNOWN, idle: codes.DRAW_IDLE },
};

/** Draw codes of frames of blocked time that name the reason or the end of a wait, by how they begin. */
const OFF_CPU_CAUSES: Readonly<Record<string, number>> = {
  ...{ 'woken by a thread': codes.DRAW_THREAD, 'ended by a timer': codes.DRAW_TIMER },
  ...{ 'ended by the disk': codes.DRAW_DISK, 'ended by the network': codes.DRAW_NETWORK },
  ...{ 'ended by user input': codes.DRAW_INPUT, 'waits for ': codes.DRAW_LOCK },
  ...{ 'ended by ': codes.DRAW_OTHER, 'file ': 0, [NO_LOCK_KNOWN]: 0, [NO_FILE_KNOWN]: 0 },
  ...{ woken: codes.DRAW_UNKNOWN, 'not ': codes.DRAW_UNKNOWN, 'nobody ': codes.DRAW_UNKNOWN },
  ...{ 'ended without': codes.DRAW_UNKNOWN, 'end not': codes.DRAW_UNKNOWN },
};
/** Begins of frames that are no functions: the name of a function has no blank there. */
const NO_FUNCTION = /^(?:ended|woken,?|not|end|waits|file|no|nobody|outside) /;

/** Draw code of a frame: a function has the same colour in all stacks; 0: a thread. */
function codeOf(frame: string, isOfPath: boolean): number {
  const text = withoutWaker(frame);
  if (isCallFrame(text)) return codes.DRAW_KERNEL;
  if (NO_FUNCTION.test(text)) {
    const begin = Object.keys(OFF_CPU_CAUSES).find((known) => text.startsWith(known));
    return begin === undefined ? 0 : OFF_CPU_CAUSES[begin];
  }
  if (isOfPath && Object.hasOwn(CAUSES, text)) return CAUSES[text];
  if (!isFunction(text)) return 0;
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return codes.drawCodeOf('layer', spanValue((hash >>> 0) % SPAN_COLOURS, 0, 0));
}

/** Whether a frame is a function, and not a thread or a system call. */
export function isFunction(frame: string): boolean {
  const text = withoutWaker(frame);
  const isThread = text.startsWith('thread ') || isThreadFrame(text);
  return !isThread && !isCallFrame(text) && !NO_FUNCTION.test(text);
}

/**
 * Text that says that the compiler inlined a function; '': it did not.
 * @param text of the function, as it is shown
 */
export function inliningWords(profile: ProfileAnswer, text: string): string {
  return inlinings(profile).get(text) ?? '';
}

/** Texts about inlining, by the shown text of the function; computed once, as each line of a table asks. */
const inlinings = cachedByKey(({ tree, inlined }: ProfileAnswer) => {
  const words = new Map<string, string>();
  tree.frames.forEach((frame, i) => {
    const text = visibleText(frame);
    if (words.has(text)) return;
    const some = inlined[i] === undefined ? '' : 'inlined in some places';
    words.set(text, inlined[i] === 'all' ? 'inlined' : some);
  });
  return words;
});

/** Margin of error of a share, in percentage points, above which it means little. */
export const WIDE_MARGIN = 5;

/** "36.7 %, 179 of 488 samples ± 4.28 points" */
export function shareWords({ time, samples: all, measure }: ProfileAnswer, value: number, samples: number) {
  const share = formatShare(value / (measure === 'samples' ? all : time));
  if (all === 0) return share;
  return `${share}, ${formatCount(samples)} of ${plural(all, 'sample')} ± ${marginOf(samples, all).toFixed(2)} points`;
}
