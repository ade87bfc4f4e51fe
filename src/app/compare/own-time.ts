/** Time of an execution's own thread by its calling contexts: whether it ran, or what it waited for. Pure. */
import { isThreadFrame } from '../../engine/layers/executions/frames.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import type { Part } from '../widgets/table/bars.tsx';

type OwnState = Omit<Part, 'ns'>;

const state = (label: string, token: string, unknown = false): OwnState => {
  return { label, colour: `var(--st-${token})`, unknown };
};

const STATES: readonly OwnState[] = [
  state('Running', 'user'),
  state('Runnable, not running', 'ready'),
  state('A softirq waits', 'ready'),
  state('Waits for a thread', 'thread'),
  state('Waits for the disk', 'disk'),
  state('Waits for the network', 'net'),
  state('Waits for a timer', 'timer'),
  state('Waits for user input', 'thread'),
  state('Blocked', 'unknown'),
  state('Unknown', 'unknown', true),
];
const [RUNS, READY, SOFTIRQ, THREAD, DISK, NETWORK, TIMER, INPUT, BLOCKED, UNKNOWN] = STATES.keys();
const CAUSES: Readonly<Record<string, number>> = {
  ...{ preempted: READY, disk: DISK, network: NETWORK, timer: TIMER, 'user input': INPUT, unknown: UNKNOWN },
  ...{ blocked: BLOCKED, 'not ended in the trace': UNKNOWN, 'idle context': BLOCKED, ipi: BLOCKED },
};
const INTERRUPT = /^(softirq|irq) /;

/** ns of an execution by state; they add up to its duration. */
export function ownTime({
  tree,
  start,
  nodes,
  ns,
}: ExecutionsAnswer): (execution: number) => readonly Part[] {
  const states = statesOfNodes(tree);
  return (execution) => {
    const sums = new Float64Array(STATES.length);
    for (let i = start[execution]; i < start[execution + 1]; i++) sums[states[nodes[i]]] += ns[i];
    return STATES.map((each, i) => ({ ...each, ns: sums[i] }));
  };
}

/**
 * State of each node: that of the last frame of its stack, or of the one before the first thread in it, as below that
 * are others. A function that has the name of a cause and calls another one is no cause.
 */
function statesOfNodes({ frames, parent, frame }: ExecutionsAnswer['tree']): Uint8Array {
  const causes = frames.map(causeOf);
  const states = new Uint8Array(parent.length);
  const isOfOthers = new Uint8Array(parent.length);
  for (let node = 1; node < parent.length; node++) {
    const above = parent[node];
    const text = frames[frame[node]];
    const before = above > 0 ? causes[frame[above]] : RUNS;
    if (isOfOthers[above] === 1) {
      isOfOthers[node] = 1;
      states[node] = states[above];
    } else if (isThreadFrame(text)) {
      isOfOthers[node] = 1;
      states[node] = before === RUNS ? THREAD : states[above];
    } else if (before === READY && /^(idle|unknown)$/.test(text)) {
      // Who ran instead: nobody, or nobody known.
      states[node] = states[above];
    } else {
      const isSoftirq =
        causes[frame[node]] === READY && above > 0 && frames[frame[above]].startsWith('softirq ');
      states[node] = isSoftirq ? SOFTIRQ : causes[frame[node]];
    }
  }
  return states;
}

function causeOf(text: string): number {
  if (Object.hasOwn(CAUSES, text)) return CAUSES[text];
  if (text.startsWith('unknown: ')) return UNKNOWN;
  return INTERRUPT.test(text) ? BLOCKED : RUNS;
}
