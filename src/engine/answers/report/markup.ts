/**
 * Markup made from templates: safe`<b>${name}</b>`. Inserted texts are escaped: names of a trace are never interpreted.
 */
import { visibleCharacters } from '../../base/visible-text.ts';

/** Text of HTML or SVG that is safe; only templates make it. */
export class Markup {
  private constructor(readonly text: string) {}

  static ofTemplate(words: TemplateStringsArray, between: readonly Inserted[]): Markup {
    return new Markup(words.map((word, i) => word + (i < between.length ? textOf(between[i]) : '')).join(''));
  }
}

type Inserted = Markup | string | number | undefined | false | readonly Inserted[];

export function safe(words: TemplateStringsArray, ...between: readonly Inserted[]): Markup {
  return Markup.ofTemplate(words, between);
}

function textOf(inserted: Inserted): string {
  if (inserted === undefined || inserted === false) return '';
  if (inserted instanceof Markup) return inserted.text;
  if (typeof inserted === 'object') return inserted.map(textOf).join('');
  return escaped(String(inserted));
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

function escaped(text: string): string {
  return visibleCharacters(text).replace(/[&<>"']/g, (character) => ESCAPES[character]);
}
