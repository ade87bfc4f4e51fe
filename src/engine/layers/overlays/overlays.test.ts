/** Spans of small traces written for the purpose: what is lost, too deep, or of another thread. */
import { describe, expect, it } from 'vitest';
import { runEngine } from '../../../../test/support/engine-run.ts';
import { integer } from '../../../../test/support/ctf-writer/model-builder.ts';
import { overlayTrace, type PacketOfEvents, type SpanEvent } from '../../../../test/support/overlay-trace.ts';
import type { AnyAnalysis } from '../../analysis/analysis-set.ts';
import type { IntegerClass } from '../../ctf/model.ts';
import { HistoryBuilder } from '../../history/builder.ts';
import { createQuery } from '../../history/query.ts';
import { DUMPED } from '../../linux/namespaces/facts.ts';
import { NamespaceThreads } from '../../linux/namespaces/namespace-threads.ts';
import { hasEnd, spanScheme, textOf } from '../contract/span-values.ts';
import { threadKeyOf } from '../contract/event-threads.ts';
import type { OverlayDefinition } from './definition.ts';
import { O_BEGIN, O_SWITCH, type OverlayChunk } from './overlay-map.ts';
import { MOST_LEVELS, OverlayReducer, type OverlayTables } from './overlay-reducer.ts';
import { overlayLayer } from './layer.ts';

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
  const analysis = overlayLayer.analysis({ definitions, kernel: false });
  const builder = new HistoryBuilder({ schemeOf: () => spanScheme });
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

/** A chunk of one transition on CPU 0. */
function chunkOf(kind: number, time: number, args: Int32Array, namespace: number): OverlayChunk {
  return {
    length: 1,
    time: Float64Array.of(time),
    kind: Uint8Array.of(kind),
    cpu: Int32Array.of(0),
    place: Uint32Array.of(0),
    args,
    namespace: Int32Array.of(namespace),
    texts: [''],
  };
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

  it('of equal numbers in two pid namespaces are of two threads', async () => {
    const [a, b, own] = [{ ns: 4026532500 }, { ns: 4026532600 }, { ns: 4026531836 }];
    const events = [
      event('begin 1 @ 100', a),
      event('begin 2 @ 110', b),
      event('begin 3 @ 120', own),
      event('end 1 @ 130', a),
      event('end 3 @ 140', own),
      event('end 2 @ 150', b),
    ];
    const { spans, tables } = await spansOf([PLAIN], [{ events }]);
    expect(spans).toEqual(['work: id 1 100 to 130', 'work: id 2 110 to 150', 'work: id 3 120 to 140']);
    expect(tables.tracks.map(threadKeyOf)).toEqual(['7@4026532500', '7@4026532600', '7']);
  });

  it('are of the thread of the host that the kernel tells, by the namespace or by who runs', async () => {
    const [end, ns] = [1000, 4026532500 | 0];
    const namespaces = new NamespaceThreads({
      time: Float64Array.of(0),
      tid: Int32Array.of(4711),
      vtid: Int32Array.of(7),
      ns: Int32Array.of(ns),
      level: Uint8Array.of(1),
      kind: Uint8Array.of(DUMPED),
    });
    const threads: string[] = [];
    const reducer = new OverlayReducer(new HistoryBuilder({ schemeOf: () => spanScheme }), [PLAIN], {
      namespaces,
      end,
    });
    const begin = (time: number, vtid: number, namespace: number): void => {
      const { tracks } = reducer.soFar();
      const args = Int32Array.of(0, vtid, 0, 0, -1, 0);
      reducer.run(chunkOf(O_BEGIN, time, args, namespace), 0, 1);
      const added = reducer.soFar().tracks.slice(tracks.length);
      threads.push(added.map(threadKeyOf).join());
    };
    begin(1, 7, ns);
    begin(2, 7, 0);
    begin(3, 8, ns);
    reducer.run(chunkOf(O_SWITCH, 4, Int32Array.of(4711), 0), 0, 1);
    begin(5, 7, 0);
    begin(6, -1, 0);
    begin(end + 1, -1, 0);
    // The third is of a container, where nobody is known; the fourth and fifth are of the first thread.
    expect(threads).toEqual(['4711', '7', `8@${ns >>> 0}`, '', '', '-1']);
  });
});
