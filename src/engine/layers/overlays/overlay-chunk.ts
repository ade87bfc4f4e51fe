/** What one chunk contributes to overlays, in stream order: begins and ends of spans, and who runs on a CPU. */
import type { TransitionLeaf } from '../../analysis/contract.ts';

/** definition, vtid, key, label, vpid, process name. */
export const O_BEGIN = 0;
/** definition, vtid, key. */
export const O_END = 1;
/** next tid: for kernel events, which happen in the thread that runs. */
export const O_SWITCH = 2;
/** Events were lost before this one. */
export const O_LOSS = 3;

export interface OverlayLeaf extends TransitionLeaf {
  readonly kind: Uint8Array;
  readonly cpu: Int32Array;
  /** Index of its first argument. */
  readonly place: Uint32Array;
  /** Texts are indices into `texts`, -1 none. */
  readonly args: Int32Array;
  /** Inode number of the pid namespace that `vtid` and `vpid` are of (low 32 bits), 0 not recorded. */
  readonly namespace: Int32Array;
  readonly texts: readonly string[];
}
