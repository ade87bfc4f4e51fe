/** Actions of rows in the analysis of interrupts, and places of their fields. */
import type { KindRequest, ProjectionPlan } from '../../../analysis/contract.ts';
import { kernelKind } from '../../events/kernel-events.ts';
import { placesOf } from '../../events/row-reader.ts';

export const INTERRUPT_KINDS: readonly KindRequest[] = [
  kernelKind('irq-entry', 'irq', 'name'),
  kernelKind('irq-exit', 'irq'),
  kernelKind('softirq-raise', 'vec'),
  kernelKind('softirq-entry', 'vec'),
  kernelKind('softirq-exit', 'vec'),
  kernelKind('hrtimer-entry', 'hrtimer', 'function'),
  kernelKind('hrtimer-exit', 'hrtimer'),
  kernelKind('vector'),
  kernelKind('switch'),
];

export function interruptLayout(plan: ProjectionPlan) {
  const actions = new Uint8Array(plan.request.kinds.length).fill(NOTHING);
  ACTIONS.forEach((kind, action) => (actions[plan.kind(kind)] = action));
  return {
    /** Numbers of the actions, by kind. */
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

/** Actions of rows in this analysis. */
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

/** Number in place of an action: the kind has none. @internal */
export const NOTHING = 255;
