/** Words for changes that would help, and for their savings. */
import type { NamedPart } from '../protocol/summary.ts';
import type { Saving, WhatIfLine } from '../protocol/what-if.ts';
import { formatDuration, sentenceText } from './numbers.ts';
import { capital, plain, said } from './sentence.ts';

/** Words before labels that are names alone. */
const BEFORE = { lock: 'waits for ', futex: 'waits at ', thread: 'work of ' } as const;

/** "Work of worker-0 256", "Waits for mutex 0x…f260 of wk-lockfight", "Function parse_header". */
export function changeWords({ kind, label }: Pick<WhatIfLine, 'kind' | 'label'>): NamedPart[] {
  const before = kind === 'lock' || kind === 'futex' || kind === 'thread' ? BEFORE[kind] : '';
  return capital(said`${before}${label}`);
}

/** "worker-0 256", "mutex 0x…f260 of wk-lockfight", "function parse_header". */
export function changeLabel({ label }: Pick<WhatIfLine, 'label'>): string {
  return sentenceText(plain(label));
}

/** "1.2 ms", "1.0 ms to 3.0 ms". */
export function savingText({ careful, hopeful }: Saving): string {
  const [low, high] = [Math.min(careful, hopeful), Math.max(careful, hopeful)].map(formatDuration);
  return low === high ? low : `${low} to ${high}`;
}

/** "saves 1.2 ms", "saves 1 ms to 3 ms", "costs 2 ms". */
export function savingWords({ careful, hopeful }: Saving): string {
  const isCost = Math.max(careful, hopeful) <= 0 && Math.min(careful, hopeful) < 0;
  if (isCost) return `costs ${savingText({ careful: -careful, hopeful: -hopeful })}`;
  return `saves ${savingText({ careful, hopeful })}`;
}
