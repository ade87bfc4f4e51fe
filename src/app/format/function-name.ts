/** Short names of functions. Pure. */
import { fileName } from '../../engine/base/file-name.ts';
import type { SourceLines } from '../../engine/layers/stacks/frame-names.ts';
import { visibleText } from './text.ts';

/** Operators whose characters are not brackets. */
const OPERATOR = /^operator(?:\(\)|<=>|<<=?|>>=?|->\*?|[<>]=?)/;
const KEPT = '(anonymous namespace)';
const CLOSING: Readonly<Record<string, string>> = { '<': '>', '(': ')' };

/** The name with `…` in place of what is in brackets: `Index<…>::find(…)` for `Index<std::string>::find(Key const&)`. */
export function shortFunction(name: string): string {
  // Interpreters name some frames like this: <module>.
  if (/^<[^<>]*>$/.test(name)) return name;
  const open: string[] = [];
  let short = '';
  for (let at = 0; at < name.length; at++) {
    const sign = name[at];
    const isArrow = sign === '>' && name[at - 1] === '-';
    const isWord = at > 0 && /\w/.test(name[at - 1]);
    const operator = sign === 'o' && !isWord ? OPERATOR.exec(name.slice(at, at + 12))?.[0] : undefined;
    const kept = operator ?? (name.startsWith(KEPT, at) ? KEPT : undefined);
    if (kept !== undefined) {
      if (open.length === 0) short += kept;
      at += kept.length - 1;
    } else if (sign in CLOSING) {
      if (open.length === 0) short += name[at + 1] === CLOSING[sign] ? sign : `${sign}…`;
      open.push(CLOSING[sign]);
    } else if (sign === open.at(-1) && !isArrow) {
      open.pop();
      if (open.length === 0) short += sign;
    } else if (open.length === 0) short += sign;
  }
  return open.length > 0 ? name : short;
}

/** "index.hpp:31–34" */
export function sourceText({ file, first, last }: SourceLines): string {
  const lines = first === last ? first : `${first}–${last}`;
  return visibleText(`${fileName(file)}:${lines}`);
}
