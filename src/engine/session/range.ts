/** A piece of display time, ns; half-open. */
export interface RangeRequest {
  readonly from: number;
  readonly to: number;
}
