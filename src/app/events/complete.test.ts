import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from './complete.ts';
import { forAll } from '../../../test/support/for-all.ts';

const NAMES = {
  events: ['block_rq_issue', 'odd name', 'sched_switch', 'sched_waking'],
  fields: [
    { name: 'comm', type: 'text', labels: [], events: [0, 3] },
    { name: 'prev_prio', type: 'i32', labels: [], events: [2] },
    { name: 'prev_state', type: 'i64', labels: [], events: [2] },
    { name: 'procname', type: 'text', labels: [], events: [] },
    { name: 'way', type: 'enum u8', labels: ['read', 'write', 'to disk'], events: [0] },
    { name: 'tid', type: 'i32', labels: [], events: [3] },
    { name: 'ways', type: 'u8', labels: [], events: [2] },
  ],
};
/** The caret stands at `|`. */
const at = (text: string) => complete(text.replace('|', ''), text.indexOf('|'), NAMES);
const texts = (text: string) => at(text).options.map((option) => option.text);
/** With the first option taken. */
const taken = (text: string) => {
  const { from, to, options } = at(text);
  const plain = text.replace('|', '');
  return plain.slice(0, from) + options[0]?.text + plain.slice(to);
};

describe('completion of a filter', () => {
  it('has fields where a test begins', () => {
    expect(at('prev|')).toEqual({
      from: 0,
      to: 4,
      options: [
        { text: 'prev_prio', detail: 'i32, sched_switch' },
        { text: 'prev_state', detail: 'i64, sched_switch' },
      ],
    });
    expect(texts('cpu=1 and not (pro|')).toEqual(['process', 'procname']);
    expect(texts('|').slice(0, 2)).toEqual(['name', 'cpu']);
    expect(at('com|').options).toEqual([{ text: 'comm', detail: 'text, 2 events' }]);
    expect(texts('STATE|')).toEqual(['prev_state']);
  });

  it('has fields of the events that are named first', () => {
    expect(texts('name=block_* and |').slice(0, 3)).toEqual(['comm', 'way', 'name']);
    expect(texts('name=sched_waking and ti|')).toEqual(['time', 'tid', 'payload.tid']);
    expect(texts('name in (sched_switch, x) and |').slice(0, 2)).toEqual(['prev_prio', 'prev_state']);
  });

  it('has events, labels and what is selected as values', () => {
    expect(texts('name=sched|')).toEqual(['sched_switch', 'sched_waking']);
    expect(texts('name in (sched_switch, |')).toContain('"odd name"');
    expect(taken('name=odd|')).toBe('name="odd name"');
    expect(texts('way = |')).toEqual(['read', 'write', '"to disk"']);
    expect(texts('payload.way != wr|')).toEqual(['write']);
    expect(texts('time in |')).toEqual(['sel']);
    expect(texts('prev_state=|')).toEqual([]);
  });

  it('has the most frequent events first, and those that never occur last', () => {
    const counts = new Map([
      ['sched_waking', 20],
      ['block_rq_issue', 3],
      ['odd name', 5],
    ]);
    const options = (text: string) => complete(text, text.length, { ...NAMES, counts }).options;
    expect(options('name=').map(({ text }) => text)).toEqual([
      'sched_waking',
      '"odd name"',
      'block_rq_issue',
      'sched_switch',
    ]);
    // It contains the word only, but occurs.
    expect(options('name=s').map(({ text, detail }) => `${text}: ${detail}`)).toEqual([
      'sched_waking: 20 events',
      'block_rq_issue: 3 events',
      'sched_switch: never',
    ]);
  });

  it('has comparisons behind a field, and what joins tests behind a value', () => {
    expect(texts('prev_state|')).toEqual(['=', '!=', ' in (', '<', '<=', '>', '>=']);
    expect(taken('prev_state|')).toBe('prev_state=');
    expect(texts('comm |').slice(0, 3)).toEqual(['=', '!=', ' in (']);
    expect(texts('comm |')).not.toContain('<');
    // A longer name may be meant.
    expect(texts('way|')).toEqual(['ways']);
    expect(texts('cpu=1 |')).toEqual(['and', 'or']);
    expect(texts('"text" a|')).toEqual(['and']);
    expect(texts('(cpu in (1, 2)) o|')).toEqual(['or']);
  });

  it('replaces the whole word that the caret is in', () => {
    expect(taken('name=sched_w|xyz and cpu=1')).toBe('name=sched_waking and cpu=1');
  });

  it('has nothing within quotes', () => {
    expect(texts('name="sch|')).toEqual([]);
  });

  it('fits into any text', () =>
    forAll(100, [fc.string(), fc.nat()], (text, place) => {
      const caret = place % (text.length + 1);
      const { from, to } = complete(text, caret, NAMES);
      expect(from <= caret && caret <= to && to <= text.length).toBe(true);
    }));
});
