/** Chunk result of overlays, in stream order: begins and ends of spans, and who runs on a CPU. */
import type { LayerChunk } from '../contract/event-chunk.ts';

/** definition, vtid, key, label, vpid, process name. */
export const O_BEGIN = 0;
/** definition, vtid, key. */
export const O_END = 1;
/** next tid: for kernel events, which happen in the thread that runs. */
export const O_SWITCH = 2;
/** Events were lost before this one. */
export const O_LOSS = 3;

/** Arguments that are texts: -1 none. */
export interface OverlayLeaf extends LayerChunk {
  /** Inode number of the pid namespace that `vtid` and `vpid` are of (low 32 bits), 0 not recorded. */
  readonly namespace: Int32Array;
}
