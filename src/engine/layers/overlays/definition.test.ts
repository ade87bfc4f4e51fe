import { describe, expect, it } from 'vitest';
import { compileProjections } from '../../analysis/projection.ts';
import type { EventShape } from '../contract/event-shapes.ts';
import { MOST_FIELDS, MOST_OVERLAYS, resolveOverlays, type OverlayDefinition } from './definition.ts';
import { overlayLayer, suggestOverlays } from './layer.ts';

function pair(begin: string, end: string, more: Partial<OverlayDefinition> = {}): OverlayDefinition {
  return { name: 'work', begin, end, key: [], acrossThreads: false, label: [], ...more };
}

const EVENTS = new Set(['a:begin', 'a:end', 'b:begin', 'b:end', 'c:begin', '$&:begin', '$&:end']);

describe('resolveOverlays', () => {
  it('leaves out pairs of which an event does not exist', () => {
    const kept = pair('a:begin', 'b:end');
    expect(resolveOverlays([kept, pair('a:begin', 'c:end'), pair('', 'a:end')], EVENTS)).toEqual([kept]);
  });

  it('makes one pair of each text that * can stand for in both names', () => {
    const found = resolveOverlays([pair('*:begin', '*:end')], EVENTS);
    expect(found.map(({ name, begin, end }) => [name, begin, end])).toEqual([
      ['work $&', '$&:begin', '$&:end'],
      ['work a', 'a:begin', 'a:end'],
      ['work b', 'b:begin', 'b:end'],
    ]);
  });

  it('lets no text overlap itself', () => {
    expect(resolveOverlays([pair('aa*aa', 'end')], new Set(['aaa', 'aaaa', 'end']))).toMatchObject([
      { name: 'work ', begin: 'aaaa' },
    ]);
  });

  it('has limits', () => {
    const fields = Array.from({ length: 20 }, (_, i) => `field ${i}`);
    const many = Array.from({ length: 100 }, () => pair('a:begin', 'a:end', { key: fields, label: fields }));
    const found = resolveOverlays(many, EVENTS);
    expect(found).toHaveLength(MOST_OVERLAYS);
    expect(found[0].key.length + found[0].label.length).toBe(MOST_FIELDS);
  });

  it('leave out what does not fit in the rows of an event, labels first', () => {
    const fields = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}`);
    const wanted = [
      pair('a:begin', 'a:end', { label: fields('label', 8) }),
      pair('b:begin', 'a:begin', { key: fields('end', 8) }),
      pair('a:begin', 'b:end', { key: ['end7', 'key'], label: ['label0', 'label7'] }),
    ];
    const found = resolveOverlays(wanted, EVENTS);
    expect(found).toEqual([
      { ...wanted[0], label: fields('label', 5) },
      wanted[1],
      { ...wanted[2], label: ['label0'] },
    ]);
    const { reads } = overlayLayer.analysis({ definitions: found, kernel: false });
    expect(() => compileProjections([reads])).not.toThrow();
  });
});

function shape(
  name: string,
  fields: readonly string[] = [],
  domain: EventShape['domain'] = 'ust',
): EventShape {
  return { name, fields, domain };
}

describe('suggestOverlays', () => {
  it.each([
    ['wk_req:begin', 'wk_req:end', 'wk_req'],
    ['app:begin_work', 'app:end_work', 'app_work'],
    ['app:job_start', 'app:job_done', 'app:job'],
    ['app:job_start', 'app:job_stop', 'app:job'],
    ['lttng_ust_cyg_profile:func_entry', 'lttng_ust_cyg_profile:func_exit', 'cyg_profile:func'],
    ['app:start_job_begin', 'app:start_job_end', 'app:start_job'],
    ['begin', 'end', 'begin'],
    ['Event_Enter', 'Event_Leave', 'Event'],
    ['MpiCollectiveBegin', 'MpiCollectiveEnd', 'MpiCollective'],
    ['JOB_START', 'JOB_STOP', 'JOB'],
  ])('%s and %s are %s', (begin, end, name) => {
    expect(suggestOverlays([shape(begin), shape(end)])).toMatchObject([{ name, begin, end }]);
  });

  it.each([
    ['app:beginning', 'app:ending'],
    ['Event_Entering', 'Event_Leaving'],
    ['Restart', 'Reend'],
    ['app:begin', 'lib:end'],
    ['lttng_ust_statedump:start', 'lttng_ust_statedump:end'],
  ])('%s and %s are no pair', (begin, end) => {
    expect(suggestOverlays([shape(begin), shape(end)])).toEqual([]);
  });

  it('leaves kernel events to the analyses that know them', () => {
    const events = [shape('irq_handler_entry', [], 'kernel'), shape('irq_handler_exit', [], 'kernel')];
    expect(suggestOverlays(events)).toEqual([]);
  });

  it('takes for key what identifies work in both events', () => {
    const events = [shape('a:begin', ['size', 'request_id', 'addr']), shape('a:end', ['size', 'request_id'])];
    expect(suggestOverlays(events)).toMatchObject([
      { key: ['request_id'], label: ['size', 'request_id', 'addr'] },
    ]);
    const camel = [shape('Enter', ['locationID', 'grid']), shape('Leave', ['locationID', 'grid'])];
    expect(suggestOverlays(camel)).toMatchObject([{ key: ['locationID'] }]);
  });
});
