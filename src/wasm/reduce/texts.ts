/** Texts by their index in the history's strings (`engine/linux/states/map/kernel-texts.ts`). */
import { KIND } from '../../engine/linux/states/map/kernel-texts';
import { I32Column } from '../columns';

/** A transition has no text there. */
export const NO_TEXT: i32 = -1;
/** The history does not know the text yet. */
export const NEW_TEXT: i32 = -2;

/** Index in the history of each text of the chunk result at hand; -1 not known yet. */
let known: I32Column = changetype<I32Column>(0);

/** Directory of the table of what texts mean. */
export function placeTexts(table: KIND): void {
  KIND.bind(table);
}

@inline
export function useTextsOfChunk(column: I32Column): void {
  known = column;
}

/** The history's index of text `index` of the chunk result, NO_TEXT, or NEW_TEXT. */
@inline
export function textOfChunk(index: i32): i32 {
  if (index < 0) return NO_TEXT;
  const text = known[index];
  return text < 0 ? NEW_TEXT : text;
}

/** The name of a thread that executes the program at a path: NO_TEXT of none, or NEW_TEXT. */
@inline
export function nameOfProgram(path: i32): i32 {
  if (path === NO_TEXT) return NO_TEXT;
  const text = KIND.program[path];
  return text < 0 ? NEW_TEXT : text;
}

@inline
export function means(text: i32, bit: i32): bool {
  return text >= 0 && (KIND.bits[text] & bit) !== 0;
}

/** Number of the interrupt of a thread with this name, -1 none. */
@inline
export function irqOfThread(text: i32): i32 {
  return text >= 0 ? KIND.irq[text] : -1;
}
