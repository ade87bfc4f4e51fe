/** Actions of rows in the analysis of interrupts, and places of their fields. */
import type { KindRequest, ProjectionPlan } from '../../../analysis/contract.ts';
import { kernelKind } from '../../events/kernel-events.ts';

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

/** Actions of rows, numbered like the kinds. */
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
] = INTERRUPT_KINDS.keys();

/** Action of kinds without one. @internal */
export const NOTHING = 255;

export function interruptLayout(plan: ProjectionPlan) {
  const actions = new Uint8Array(plan.request.kinds.length).fill(NOTHING);
  INTERRUPT_KINDS.forEach(({ kind }, action) => (actions[plan.kind(kind)] = action));
  return {
    /** Numbers of the actions, by kind. */
    actions,
    irqOfEntry: plan.field('irq-entry', 'irq'),
    irqName: plan.field('irq-entry', 'name'),
    irqOfExit: plan.field('irq-exit', 'irq'),
    vecOfRaise: plan.field('softirq-raise', 'vec'),
    vecOfEntry: plan.field('softirq-entry', 'vec'),
    vecOfExit: plan.field('softirq-exit', 'vec'),
    timerOfEntry: plan.field('hrtimer-entry', 'hrtimer'),
    timerFunction: plan.field('hrtimer-entry', 'function'),
    timerOfExit: plan.field('hrtimer-exit', 'hrtimer'),
  };
}

export type InterruptLayout = ReturnType<typeof interruptLayout>;
