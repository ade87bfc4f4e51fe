/** Texts by their index in the history's strings (`engine/kernel/kernel-texts.ts`). */
import { i32At, u8At } from '../columns';

export const MEANS_KSOFTIRQD: i32 = 1;
export const MEANS_TIMER: i32 = 2;

/** A transition has no text there. */
export const NO_TEXT: i32 = -1;
/** The history does not know the text yet. */
export const NEW_TEXT: i32 = -2;

let meaning: usize = 0;
/** Of the leaf at hand: the history's index of each of its texts, -1 not known yet. */
let known: usize = 0;

export function placeTexts(meaningColumn: usize): void {
  meaning = meaningColumn;
}

@inline
export function useTextsOfLeaf(column: usize): void {
  known = column;
}

/** The history's index of text `index` of the leaf, NO_TEXT, or NEW_TEXT. */
@inline
export function textOfLeaf(index: i32): i32 {
  if (index < 0) return NO_TEXT;
  const text = i32At(known, index);
  return text < 0 ? NEW_TEXT : text;
}

@inline
export function means(text: i32, bit: i32): bool {
  return text >= 0 && (u8At(meaning, text) & bit) !== 0;
}
