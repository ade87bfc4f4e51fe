/** Words for what a change saves. */
import type { Saving } from '../../engine/protocol/what-if.ts';
import { formatDuration } from '../format/numbers.ts';

/** "saves 1.2 ms", "saves 1 ms to 3 ms", "costs 2 ms". */
export function savingWords({ careful, hopeful }: Saving): string {
  const [low, high] = [Math.min(careful, hopeful), Math.max(careful, hopeful)];
  const verb = high < 0 || (high === 0 && low < 0) ? 'costs' : 'saves';
  const [a, b] = verb === 'costs' ? [-high, -low] : [low, high];
  const [least, most] = [formatDuration(a), formatDuration(b)];
  return least === most ? `${verb} ${least}` : `${verb} ${least} to ${most}`;
}
