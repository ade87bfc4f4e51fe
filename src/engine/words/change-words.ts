/** Words for changes that would help, in which names are parts of their own. */
import type { NamedPart, NameKind } from '../protocol/summary.ts';
import type { Saving, WhatIfKind, WhatIfLine } from '../protocol/what-if.ts';
import { formatDuration } from './numbers.ts';
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

/** "1.2 ms", "1.0 ms to 3.0 ms". */
export function savingText({ careful, hopeful }: Saving): string {
  const [low, high] = [Math.min(careful, hopeful), Math.max(careful, hopeful)].map(formatDuration);
  return low === high ? low : `${low} to ${high}`;
}
