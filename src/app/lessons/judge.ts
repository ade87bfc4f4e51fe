/** Judges what the reader of a lesson did or typed, and says what is not right yet. */
import { textAt } from '../../engine/base/text-column.ts';
import { THREAD_STATES } from '../../engine/linux/events/values.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import {
  type Check,
  type Expected,
  holds,
  isThread,
  readQuantity,
  type Shown,
  stateNumbers,
} from './check.ts';

/** Sentence on what is not right yet; undefined: all is right. */
export type Verdict = string | undefined;

/** Judges all checks but those of typed numbers. */
export function judgeShown(checks: readonly Check[], shown: Shown): Verdict {
  const failed = checks.find((check) => check.kind !== 'number' && !holds(check, shown));
  return failed && reason(failed, shown);
}

function reason({ kind }: Check, { row, state, visibleNs }: Shown): string {
  switch (kind) {
    case 'thread':
      return row === undefined ? 'No row is selected.' : `The selected row is ${visibleText(row.name)}.`;
    case 'state':
      return state === undefined
        ? 'No interval is selected.'
        : `The selected interval is: ${visibleText(state)}.`;
    case 'zoom':
      return `The visible range is ${formatDuration(visibleNs)} long.`;
    default:
      return 'The page does not show it yet.';
  }
}

/** @param text as typed */
export async function judgeNumber(
  { number, margin }: Extract<Check, { kind: 'number' }>,
  text: string,
  shown: Shown,
  session: Pick<SessionApi, 'ask'>,
): Promise<Verdict> {
  const typed = readQuantity(text);
  if (typed === undefined) return 'Type a number, with its unit where it is a time: 12.3 ms.';
  const isTime = typeof number === 'string' || 'state' in number || number.isTime;
  if (typed.isTime !== isTime) return isTime ? 'Type the unit, too: 12.3 ms.' : 'This number has no unit.';
  const value = await valueOf(number, shown, session);
  if (value === undefined) {
    return number === 'selected' ? 'No interval is selected.' : 'The open trace does not have this number.';
  }
  return Math.abs(typed.value - value) <= margin ? undefined : 'It is another number.';
}

/** Undefined: nothing is selected, or the trace has no such thread. */
async function valueOf(
  number: Expected,
  { selectedNs }: Shown,
  session: Pick<SessionApi, 'ask'>,
): Promise<number | undefined> {
  if (number === 'selected') return selectedNs;
  if (!('state' in number)) return number.value;
  const { threads } = await session.ask('cpu', {});
  for (let at = 0; at < threads.length; at++) {
    const row = { name: textAt(threads.name, at), tid: threads.tid[at] };
    if (!isThread(row, number.thread)) continue;
    const first = at * THREAD_STATES.length;
    return stateNumbers(number.state).reduce((sum, state) => sum + threads.states[first + state], 0);
  }
  return undefined;
}
