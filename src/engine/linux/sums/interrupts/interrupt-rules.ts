/** What rows are to the analysis of interrupts, and where their fields are. */
import type { MeaningRequest, ProjectionPlan } from '../../../analysis/contract.ts';
import { kernelMeaning } from '../../meanings.ts';
import { placesOf } from '../../events/row-reader.ts';

export const INTERRUPT_MEANINGS: readonly MeaningRequest[] = [
  kernelMeaning('irq-entry', 'irq', 'name'),
  kernelMeaning('irq-exit', 'irq'),
  kernelMeaning('softirq-raise', 'vec'),
  kernelMeaning('softirq-entry', 'vec'),
  kernelMeaning('softirq-exit', 'vec'),
  kernelMeaning('hrtimer-entry', 'hrtimer', 'function'),
  kernelMeaning('hrtimer-exit', 'hrtimer'),
  kernelMeaning('vector'),
  kernelMeaning('switch'),
];

export function interruptLayout(plan: ProjectionPlan) {
  const actions = new Uint8Array(plan.request.meanings.length).fill(NOTHING);
  ACTIONS.forEach((meaning, action) => (actions[plan.meaning(meaning)] = action));
  return {
    /** By meaning. */
    actions,
    irqEntry: placesOf(plan, 'irq-entry', ['irq', 'name']),
    irqExit: placesOf(plan, 'irq-exit', ['irq']),
    raise: placesOf(plan, 'softirq-raise', ['vec']),
    softirqEntry: placesOf(plan, 'softirq-entry', ['vec']),
    softirqExit: placesOf(plan, 'softirq-exit', ['vec']),
    timerEntry: placesOf(plan, 'hrtimer-entry', ['hrtimer', 'function']),
    timerExit: placesOf(plan, 'hrtimer-exit', ['hrtimer']),
  };
}

export type InterruptLayout = ReturnType<typeof interruptLayout>;

/** What a row is to this analysis. */
const ACTIONS = [
  'irq-entry',
  'irq-exit',
  'softirq-raise',
  'softirq-entry',
  'softirq-exit',
  'hrtimer-entry',
  'hrtimer-exit',
  'vector',
  'switch',
] as const;
export const [
  IRQ_ENTRY,
  IRQ_EXIT,
  RAISE,
  SOFTIRQ_ENTRY,
  SOFTIRQ_EXIT,
  TIMER_ENTRY,
  TIMER_EXIT,
  VECTOR,
  SWITCH,
] = ACTIONS.keys();

/** In place of an action. @internal */
export const NOTHING = 255;
