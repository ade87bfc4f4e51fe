/** An interval of display time, half-open. */
import type { DisplayNs } from '../base/units.ts';

export interface TimeRange {
  readonly from: DisplayNs;
  readonly to: DisplayNs;
}
