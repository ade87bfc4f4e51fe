import { describe, expect, it } from 'vitest';
import { packTexts } from '../../engine/base/text-writer.ts';
import { THREAD_STATES } from '../../engine/linux/events/values.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { type Check, judgeNumber, judgeShown, readCheck, type Shown } from './check.ts';

const SHOWN: Shown = {
  row: { name: 'imb-80', tid: 219 },
  state: 'Blocked, in futex, woken by imb-80',
  selectedNs: 85_109_001,
  parts: new URLSearchParams('tab=path&path=thread:0:219'),
  visibleNs: 20e6,
};

function check(text: string): Check {
  const read = readCheck(text);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

const shown = (text: string, what: Partial<Shown> = {}) => judgeShown([check(text)], { ...SHOWN, ...what });

describe('what is shown', () => {
  it('has the row of a thread, by name or tid', () => {
    expect(shown('thread = imb-80')).toBeUndefined();
    expect(shown('thread = 219')).toBeUndefined();
    expect(shown('thread = imb-8')).toBe('The selected row is imb-80.');
    expect(shown('thread = imb-80', { row: undefined })).toBe('No row is selected.');
  });

  it('has a state with all of the words', () => {
    expect(shown('state = blocked')).toBeUndefined();
    expect(shown('state = Blocked, futex')).toBeUndefined();
    expect(shown('state = runnable')).toBe('The selected interval is: Blocked, in futex, woken by imb-80.');
    expect(shown('state = blocked', { state: undefined })).toBe('No interval is selected.');
  });

  it('has the parameters of a link', () => {
    expect(shown('page = tab=path')).toBeUndefined();
    expect(shown('page = #path=thread%3A0%3A219&tab=path')).toBeUndefined();
    expect(shown('page = tab=path&criterion=exact')).toBe('The page does not show it yet.');
  });

  it('is short enough', () => {
    expect(shown('zoom = 20 ms')).toBeUndefined();
    expect(shown('zoom = 19.9 ms')).toContain('The visible range is');
  });

  it('names the first thing that is not right', () => {
    const checks = [check('thread = imb-80'), check('state = dead'), check('zoom = 1 ms')];
    expect(judgeShown(checks, SHOWN)).toContain('The selected interval is');
  });
});

describe('a number that is typed', () => {
  const states = new Float64Array(2 * THREAD_STATES.length);
  states.set([0, 5, 6, 0, 70, 8, 900, 1000], THREAD_STATES.length);
  const threads = { length: 2, name: packTexts(['a', 'b']), tid: Int32Array.of(1, 2), states };
  const session = { ask: () => Promise.resolve({ threads }) } as unknown as Pick<SessionApi, 'ask'>;
  const judged = (text: string, typed: string, what: Partial<Shown> = {}) => {
    const number = check(text);
    if (number.kind !== 'number') throw new Error(text);
    return judgeNumber(number, typed, { ...SHOWN, ...what }, session);
  };

  it('is compared with that of the lesson, to its margin', async () => {
    expect(await judged('number = 703.6 ms ± 0.1 ms', '703.7 ms')).toBeUndefined();
    expect(await judged('number = 703.6 ms ± 0.1 ms', '0.7036 s')).toBeUndefined();
    expect(await judged('number = 703.6 ms ± 0.1 ms', '703.71 ms')).toBe('It is another number.');
    expect(await judged('number = 1 234 ± 0', '1 234')).toBeUndefined();
    expect(await judged('number = 1234 ± 0', '1235')).toBe('It is another number.');
    expect(await judged('number = 1234 ± 0', '1,234')).toBeUndefined();
    expect(await judged('number = 74.928 ms ± 0.1 ms', '74,928 ms')).toBeUndefined();
    expect(await judged('number = 5 ± 0', 'Five')).toBeUndefined();
  });

  it('has a unit where it is a time, and none elsewhere', async () => {
    expect(await judged('number = 2 ms ± 1 ms', '2')).toBe('Type the unit, too: 12.3 ms.');
    expect(await judged('number = 2 ± 0', '2 ms')).toBe('This number has no unit.');
    expect(await judged('number = 2 ± 0', 'some')).toContain('Type a number');
    expect(await judged('number = 2 ± 0', '')).toContain('Type a number');
    expect(readCheck('number = 2 ms ± 1')).toContain('`number = 12 ± 0`');
  });

  it('is compared with the length of what is selected', async () => {
    expect(await judged('number = selected ± 1 us', '85.109 ms')).toBeUndefined();
    expect(await judged('number = selected ± 0', '85.109 ms')).toBe('It is another number.');
    expect(await judged('number = selected ± 0', '1 ms', { selectedNs: undefined })).toBe(
      'No interval is selected.',
    );
  });

  it('is compared with the time of a thread in a state', async () => {
    expect(await judged('number = time running of b ± 0', '11 ns')).toBeUndefined();
    expect(await judged('number = time runnable of b ± 0', '78 ns')).toBeUndefined();
    expect(await judged('number = time blocked of 2 ± 0', '1900 ns')).toBeUndefined();
    expect(await judged('number = time blocked of a ± 0', '0 ns')).toBeUndefined();
    expect(await judged('number = time blocked of c ± 0', '0 ns')).toBe(
      'The open trace does not have this number.',
    );
    expect(readCheck('number = time asleep of b ± 0')).toContain('`number = 12 ± 0`');
  });
});
