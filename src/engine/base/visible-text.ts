/** Names out of traces, made safe to show, on the page and in a terminal: they may hold anything, of any length. */

const LONGEST = 256;
// Control characters, and those that reorder or hide text.
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Control and bidirectional characters become visible as their code points; the length is capped. */
export function visibleText(text: string): string {
  return visibleCharacters(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** As `visibleText`, of a text whose length has a limit of its own. */
export function visibleCharacters(text: string): string {
  return text.replace(INVISIBLE, (c) => `⟨${(c.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}⟩`);
}
