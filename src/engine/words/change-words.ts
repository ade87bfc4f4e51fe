/** Words for changes that would help, in which names are parts of their own. */
import type { NamedPart, NameKind } from '../protocol/summary.ts';
import type { WhatIfKind, WhatIfLine } from '../protocol/what-if.ts';
import { name, said, word } from './sentence.ts';

const CHANGES: Partial<Record<WhatIfKind, readonly [before: string, kind: NameKind]>> = {
  lock: ['waits for ', 'lock'],
  futex: ['waits at ', 'lock'],
  thread: ['work of ', 'thread'],
  program: ['', 'program'],
  function: ['', 'function'],
  'function-self': ['', 'function'],
  disk: ['', 'disk'],
};
/** Words around the name in a label of a change. What is not known to be words is taken for a name. */
const IN_LABEL =
  /^(sleeps of |interrupts of |waits for a CPU of |waits for a CPU that )?(.*?)( had| itself, without what it calls|, if it is a lock)?$/s;

/** "work of worker-0", "waits for mutex 0x…f260 of wk-lockfight", "function parse_header". */
export function changeWords({
  kind,
  name: of,
  label,
}: Pick<WhatIfLine, 'kind' | 'name' | 'label'>): NamedPart[] {
  // All there is of a kind, and system calls, have no names.
  if (of === '' || kind === 'call') return [label];
  const [begin, nameKind] = CHANGES[kind] ?? ['', 'thread'];
  const [, before = '', text = '', after = ''] = IN_LABEL.exec(label) ?? [];
  return said`${word(begin + before)}${name(text, nameKind)}${word(after)}`;
}
