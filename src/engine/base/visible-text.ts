/** Makes names out of traces safe to show on page and terminal: they hold any characters and have any length. */

const LONGEST = 256;
/** Control characters, and those that reorder or hide text. */
export const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Text with control and bidirectional characters replaced by their code points, and a limited length. */
export function visibleText(text: string): string {
  return visibleCharacters(cutText(text, LONGEST));
}

/** Text as by `visibleText`, but of any length, for callers with a limit of their own. */
export function visibleCharacters(text: string): string {
  return text.replace(INVISIBLE, (c) => `⟨${codeOf(c).padStart(2, '0')}⟩`);
}

/** Text with these characters as JSON and many programming languages write them: `\u202e`. */
export function escapedCharacters(text: string): string {
  return text.replace(INVISIBLE, (c) => `\\u${codeOf(c).padStart(4, '0')}`);
}

/** @param most UTF-16 code units to keep; an ellipsis replaces the others */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function codeOf(character: string): string {
  return character.charCodeAt(0).toString(16);
}
