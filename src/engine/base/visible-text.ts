/** Names out of traces, made safe to show, on the page and in a terminal: they may hold anything, of any length. */

const LONGEST = 256;
/** Control characters, and those that reorder or hide text. */
export const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Control and bidirectional characters become visible as their code points; the length is capped. */
export function visibleText(text: string): string {
  return visibleCharacters(cutText(text, LONGEST));
}

/** Same as `visibleText`, for a text whose length has a limit of its own. */
export function visibleCharacters(text: string): string {
  return text.replace(INVISIBLE, (c) => `⟨${codeOf(c).padStart(2, '0')}⟩`);
}

/** The same characters as JSON and many programming languages write them: `\u202e`. */
export function escapedCharacters(text: string): string {
  return text.replace(INVISIBLE, (c) => `\\u${codeOf(c).padStart(4, '0')}`);
}

/** @param most UTF-16 code units that are kept; an ellipsis stands for the others */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function codeOf(character: string): string {
  return character.charCodeAt(0).toString(16);
}
