/** Why a state is not known, which a hatched stretch alone does not say. */
import { STATE_UNKNOWN } from '../../../engine/linux/events/values.ts';
import type { IntervalInfo } from '../../../engine/protocol/rows.ts';

/** undefined: it is known. Threads and CPUs have the same number for it. */
export function unknownReason({ state, layer, previous, isDamaged }: IntervalInfo): string | undefined {
  if (layer !== undefined || state !== STATE_UNKNOWN) return undefined;
  if (isDamaged === true) return 'the kept data of this trace are damaged here, or nothing was recorded';
  return previous === undefined
    ? 'no earlier event shows it'
    : 'events were lost here, or nothing was recorded';
}
