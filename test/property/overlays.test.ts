/** Overlays of random begin and end events: the spans of plain pairing, however the trace is cut and read. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { blocksSha256 } from '../support/blocks-sha256.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import { hasEnd, spanScheme, textOf } from '../../src/engine/layers/contract/span-values.ts';
import type { OverlayDefinition } from '../../src/engine/layers/overlays/definition.ts';
import { MOST_LEVELS, type OverlayTables } from '../../src/engine/layers/overlays/overlay-reducer.ts';
import { overlayLayer } from '../../src/engine/layers/overlays/layer.ts';
import { runEngine, type EngineOptions } from '../support/engine-run.ts';
import { overlayTrace, pairPlainly, type PlainSpan, type SpanEvent } from '../support/overlay-trace.ts';
import { randomOf } from '../support/simulator/random.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { forAll } from '../support/for-all.ts';

const NAMES = ['app:begin', 'app:end', 'job:submit', 'job:done', 'app:other'];
const CPUS = 3;
const DEFINITIONS: readonly OverlayDefinition[] = [
  { name: 'app', begin: 'app:begin', end: 'app:end', key: [], acrossThreads: false, label: ['id', 'path'] },
  { name: 'app by id', begin: 'app:begin', end: 'app:end', key: ['id'], acrossThreads: false, label: ['id'] },
  {
    name: 'job',
    begin: 'job:submit',
    end: 'job:done',
    key: ['id', 'path'],
    acrossThreads: true,
    label: ['path'],
  },
  // One event ends a span and begins the next.
  { name: 'frame', begin: 'app:other', end: 'app:other', key: [], acrossThreads: false, label: ['id'] },
];
const analysis = overlayLayer.analysis({ definitions: DEFINITIONS, kernel: false });

/** Events in the total order: time, CPU, place in the stream. */
const events: fc.Arbitrary<readonly SpanEvent[]> = fc
  .array(
    fc.record({
      step: fc.integer({ min: 0, max: 3 }),
      cpu: fc.integer({ min: 0, max: CPUS - 1 }),
      name: fc.constantFrom(...NAMES),
      vtid: fc.integer({ min: 1, max: 3 }),
      id: fc.integer({ min: -1, max: 2 }),
      path: fc.constantFrom('/a', '/b', ''),
    }),
    { minLength: 1, maxLength: 120 },
  )
  .map((steps) => {
    let time = 1_000_000;
    const timed = steps.map(({ step, ...event }) => ({ ...event, time: (time += step) }));
    return timed
      .map((event, i) => ({ event, i }))
      .sort((a, b) => a.event.time - b.event.time || a.event.cpu - b.event.cpu || a.i - b.i)
      .map(({ event }) => event);
  });

function filesOf(all: readonly SpanEvent[], packetEvents: number): TraceFiles {
  const cpus = Array.from({ length: CPUS }, (_, cpu) => {
    const own = all.filter((event) => event.cpu === cpu);
    const count = Math.ceil(own.length / packetEvents);
    return Array.from({ length: count }, (__, i) => ({
      events: own.slice(i * packetEvents, (i + 1) * packetEvents),
    }));
  });
  return overlayTrace(NAMES, cpus);
}

/** A span without length stands between two with the same text. */
const BETWEEN_EQUAL_SPANS: readonly SpanEvent[] = [
  { cpu: 0, name: 'app:other', vtid: 1, id: -1, path: '/a', time: 1_000_000 },
  { cpu: 0, name: 'app:other', vtid: 1, id: 0, path: '/a', time: 1_000_001 },
  { cpu: 1, name: 'app:other', vtid: 1, id: -1, path: '/a', time: 1_000_001 },
];

interface Outcome {
  readonly tables: OverlayTables;
  readonly spans: readonly PlainSpan[];
  readonly hash: string;
}

async function readSpans(
  files: TraceFiles,
  options: EngineOptions,
  segmentIntervals: number,
): Promise<Outcome> {
  const builder = new HistoryBuilder({ schemeOf: () => spanScheme, segmentIntervals });
  const { outcome, experiment } = await runEngine(files, [analysis as AnyAnalysis], builder, options);
  builder.finish(outcome.spans[0].last);
  const tables = outcome.histories[0].get(analysis.id) as OverlayTables;
  const query = createQuery(builder);
  const base = Number(experiment.hosts[0].baseNs);
  const spans: PlainSpan[] = [];
  for (const { definition, tid, attributes } of tables.tracks) {
    for (const [level, attribute] of attributes.entries()) {
      for (const { from, to, value } of await query.intervals(attribute, -Infinity, Infinity)) {
        const end = hasEnd(value) ? base + to : NaN;
        spans.push({ definition, tid, level, from: base + from, to: end, text: query.text(textOf(value)) });
      }
    }
  }
  return { tables, spans: inOrder(spans), hash: await blocksSha256(builder) };
}

function inOrder(spans: readonly PlainSpan[]): PlainSpan[] {
  const place = ({ definition, tid, level }: PlainSpan) => (definition * 10 + tid) * 1000 + level;
  return [...spans].sort((a, b) => place(a) - place(b) || a.from - b.from);
}

it('overlays of random events are the spans of plain pairing, with any packets and chunks', () =>
  forAll(
    50,
    [events, fc.integer({ min: 1, max: 40 }), fc.integer()],
    async (all, packetEvents, seed) => {
      const { spans, withoutBegin } = pairPlainly(all, DEFINITIONS);
      const last = all[all.length - 1].time;
      const found = await readSpans(filesOf(all, packetEvents), {}, 1 << 16);
      // Spans without length have no interval, and neither have those below many others.
      const drawn = spans.filter(
        ({ from, to, level }) => level < MOST_LEVELS && (Number.isNaN(to) ? from < last : from < to),
      );
      expect(found.spans).toEqual(inOrder(drawn));
      found.tables.sums.forEach((sums, definition) => {
        const own = spans.filter((span) => span.definition === definition);
        const whole = own.filter(({ to }) => !Number.isNaN(to)).map(({ from, to }) => to - from);
        expect(sums).toEqual({
          spans: whole.length,
          totalNs: whole.reduce((sum, ns) => sum + ns, 0),
          maxNs: Math.max(0, ...whole),
          withoutBegin: withoutBegin[definition],
          withoutEnd: own.length - whole.length,
          tooDeep: own.filter(({ level }) => level >= MOST_LEVELS).length,
        });
      });

      const disorder = { parallel: 3, random: randomOf(seed) };
      const files = filesOf(all, packetEvents);
      const again = await readSpans(files, { chunkBytes: 1, disorder }, 1 << 16);
      expect(again).toEqual(found);
      // In segments so small that spans cross many of them.
      const cut = await readSpans(files, { chunkBytes: 1, disorder }, 8);
      expect(cut.spans).toEqual(found.spans);
    },
    [[BETWEEN_EQUAL_SPANS, 1, 0]],
  ));
