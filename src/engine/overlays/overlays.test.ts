/** Spans of small traces written for the purpose: what is lost, too deep, or of another thread. */
import { describe, expect, it } from 'vitest';
import { runEngine } from '../../../test/support/engine-run.ts';
import { integer } from '../../../test/support/ctf-writer/model-builder.ts';
import { overlayTrace, type PacketOfEvents, type SpanEvent } from '../../../test/support/overlay-trace.ts';
import type { AnyAnalysis } from '../analysis/analysis-set.ts';
import type { IntegerClass } from '../ctf/model.ts';
import { HistoryBuilder } from '../history/builder.ts';
import { createQuery } from '../history/query.ts';
import type { OverlayDefinition } from './definition.ts';
import { MOST_LEVELS, type OverlayTables } from './overlay-reducer.ts';
import { overlays, overlaysId, overlaysOfId } from './overlays.ts';
import { hasEnd, overlaySchemeOf, textOf } from './values.ts';

const NAMES = ['begin', 'end'];
const PLAIN: OverlayDefinition = {
  name: 'work',
  begin: 'begin',
  end: 'end',
  key: [],
  acrossThreads: false,
  label: ['id'],
};
const BY_ID: OverlayDefinition = { ...PLAIN, name: 'by id', key: ['id'] };

/** `begin 5 @ 100`: an event with this id at this time. */
function event(text: string, more: Partial<SpanEvent> = {}): SpanEvent {
  const [name, id, , time] = text.split(' ');
  return { name, id: Number(id), time: 1e9 + Number(time), cpu: 0, vtid: 7, path: '', ...more };
}

async function spansOf(
  definitions: readonly OverlayDefinition[],
  packets: readonly PacketOfEvents[],
  idOf?: (name: string) => IntegerClass,
) {
  const analysis = overlays({ definitions, kernel: false });
  const builder = new HistoryBuilder({ schemeOf: overlaySchemeOf });
  const run = await runEngine(overlayTrace(NAMES, [packets], idOf), [analysis as AnyAnalysis], builder);
  builder.finish(run.outcome.spans[0].last);
  const tables = run.outcome.histories[0].get(analysis.id) as OverlayTables;
  const query = createQuery(builder);
  const base = Number(run.experiment.hosts[0].baseNs) - 1e9;
  const spans: string[] = [];
  for (const { definition, attributes } of tables.tracks) {
    for (const attribute of attributes) {
      for (const { from, to, value } of await query.intervals(attribute, -Infinity, Infinity)) {
        const text = query.text(textOf(value));
        spans.push(
          `${definitions[definition].name}: ${text} ${base + from} to ${base + to}${hasEnd(value) ? '' : ' ?'}`,
        );
      }
    }
  }
  return { spans, tables };
}

describe('overlays', () => {
  it('are ended by a loss where order alone tells pairs, and go on where a key does', async () => {
    const { spans, tables } = await spansOf(
      [PLAIN, BY_ID],
      [
        { events: [event('begin 1 @ 100'), event('begin 2 @ 150')] },
        { events: [event('begin 3 @ 200'), event('end 2 @ 250')], lost: 3 },
        { events: [event('end 1 @ 300')], lost: 3 },
      ],
    );
    expect(spans).toEqual([
      'work: id 1 100 to 200 ?',
      'work: id 3 200 to 250',
      'work: id 2 150 to 200 ?',
      'by id: id 1 100 to 300',
      'by id: id 2 150 to 250',
      'by id: id 3 200 to 300 ?',
    ]);
    expect(tables.sums.map(({ withoutBegin, withoutEnd }) => [withoutBegin, withoutEnd])).toEqual([
      [1, 2],
      [0, 1],
    ]);
  });

  it('count what is too deep to be drawn, and its durations', async () => {
    const depth = MOST_LEVELS + 3;
    const begins = Array.from({ length: depth }, (_, i) => event(`begin ${i} @ ${100 + i}`));
    const ends = Array.from({ length: depth }, (_, i) => event(`end ${i} @ ${200 + i}`));
    const { spans, tables } = await spansOf([PLAIN], [{ events: [...begins, ...ends] }]);
    expect(spans).toHaveLength(MOST_LEVELS);
    expect(tables.sums).toMatchObject([{ spans: depth, tooDeep: 3, withoutEnd: 0, maxNs: 100 + depth - 1 }]);
    expect(tables.tracks[0].attributes).toHaveLength(MOST_LEVELS);
  });

  it('pair equal values, however either event shows them', async () => {
    const events = [event('begin 57005 @ 100'), event('end 57005 @ 200')];
    const hexBegin = (name: string) => integer(64, { base: name === 'begin' ? 16 : 10 });
    expect((await spansOf([BY_ID], [{ events }], hexBegin)).spans).toEqual(['by id: id 0xdead 100 to 200']);
    const signedEnd = (name: string) => integer(64, { signed: name === 'end' });
    expect((await spansOf([BY_ID], [{ events }], signedEnd)).spans).toEqual(['by id: id 57005 100 to 200']);
  });

  it('show unsigned values of 64 bits as such', async () => {
    const last = event('begin 0 @ 100', { id: 2n ** 64n - 1n });
    const { spans } = await spansOf([PLAIN], [{ events: [last, event('end 0 @ 200')] }], () => integer(64));
    expect(spans).toEqual(['work: id 0xffffffffffffffff 100 to 200']);
  });

  it('tell the thread, process and name that their events do', async () => {
    const { tables } = await spansOf([PLAIN], [{ events: [event('begin 1 @ 100'), event('end 1 @ 101')] }]);
    expect(tables.tracks).toMatchObject([{ tid: 7, pid: 1, process: 'app' }]);
  });

  it('are found again by their id alone', () => {
    const settings = { definitions: [PLAIN, BY_ID], kernel: true };
    const found = overlaysOfId(overlaysId(settings));
    expect(found?.id).toBe(overlays(settings).id);
    expect(found?.reads).toEqual(overlays(settings).reads);
    expect(overlaysOfId('counts')).toBeUndefined();
  });
});
