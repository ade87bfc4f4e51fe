/** Chunk result of plots, in stream order: numbers, names of what they are about, losses. */
import type { LayerChunk } from '../contract/event-chunk.ts';

/**
 * Kind of a name, with the number of its definition added: place of the key, index of the text. Kinds below it are
 * numbers of definitions: place of the key, the number in two words.
 */
export const P_NAME = 128;
/** Kind of a loss. */
export const P_LOSS = 255;

/** Keys that distinguish rows: whole numbers, or texts of the chunk. */
interface PlotKeys {
  readonly length: number;
  readonly isText: Int32Array;
  /** The lower half of a number, or index of a text. */
  readonly low: Int32Array;
  readonly high: Int32Array;
}

export interface PlotLeaf extends Omit<LayerChunk, 'cpu'> {
  readonly keys: PlotKeys;
}

/** The key at a place as text; '' stands for events without the field. */
export function keyText({ keys, texts }: PlotLeaf, place: number): string {
  const low = keys.low[place];
  if (keys.isText[place] === 1) return low < 0 ? '' : texts[low];
  return String(keys.high[place] * 0x1_0000_0000 + (low >>> 0));
}
