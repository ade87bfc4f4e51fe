/** Words for what a change saves. */
import type { Saving } from '../../engine/protocol/what-if.ts';
import { savingText } from '../../engine/words/change-words.ts';

/** "saves 1.2 ms", "saves 1 ms to 3 ms", "costs 2 ms". */
export function savingWords({ careful, hopeful }: Saving): string {
  const isCost = Math.max(careful, hopeful) <= 0 && Math.min(careful, hopeful) < 0;
  if (isCost) return `costs ${savingText({ careful: -careful, hopeful: -hopeful })}`;
  return `saves ${savingText({ careful, hopeful })}`;
}
