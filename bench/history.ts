/**
 * Measures the state history alone, on synthetic thread states: bytes and time an interval, range statistics as they
 * follow a drag, and tiles as a timeline asks for them. Times in ns or ms as the names say; nothing is asserted here.
 */
import { HistoryBuilder } from '../src/engine/history/builder.ts';
import type { HistoryQuery } from '../src/engine/history/query-types.ts';
import { createQuery } from '../src/engine/history/query.ts';
import type { AttributeId, ValueScheme } from '../src/engine/history/types.ts';
import { quantile } from './measure.mjs';

const ROWS = 10_000;
/** Rows that a screen shows. */
const SCREEN_ROWS = 60;
const SCREEN_BUCKETS = 1600;
const SAMPLES = 101;

const SCHEME: ValueScheme = {
  id: 'thread',
  states: 14,
  groupOf: (value) => [5, 0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 3][value & 15] ?? 255,
  causeOf: (value) => (value >>> 4) & 15,
};

/** Figures by name, for histories of 1 and of 30 million intervals. */
export async function historyBench(): Promise<Record<string, number>> {
  return { ...(await measure(1e6, '1M')), ...(await measure(30e6, '30M')) };
}

async function measure(intervals: number, label: string): Promise<Record<string, number>> {
  let sealMs = 0;
  let sealed = performance.now();
  const builder = new HistoryBuilder({
    schemeOf: () => SCHEME,
    onSealed: () => (sealMs += performance.now() - sealed),
  });
  const begin = performance.now();
  const end = play(builder, intervals, () => (sealed = performance.now()));
  builder.finish(end);
  const totalMs = performance.now() - begin;
  let bytes = 0;
  for (const { directory, blocks } of builder.segments)
    bytes += directory.bytes.length + (blocks?.length ?? 0);
  const query = createQuery(builder);
  const attributes = query.attributes().map(({ id }) => id);
  const figures = {
    bytesPerInterval: bytes / intervals,
    nsPerInterval: (totalMs * 1e6) / intervals,
    sealNsPerInterval: (sealMs * 1e6) / intervals,
    ...(await dragTotals(query, attributes, end)),
    ...(await tiles(query, attributes, end)),
  };
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [`history.${label}.${name}`, value]),
  );
}

/** Threads that run, enter the kernel, block and are woken, one change every 500 ns; the time of the end. */
function play(builder: HistoryBuilder, intervals: number, beforeCall: () => void): number {
  const attributes = Array.from({ length: ROWS }, (_, row) =>
    builder.attribute(['threads', `${row}`, 'state'], 'state'),
  );
  const step = new Uint8Array(ROWS);
  const random = xorshift(1);
  let time = 0;
  for (let i = 0; i < intervals; i++) {
    time += 1 + (random() % 1000);
    const row = random() % ROWS;
    const attribute = attributes[row];
    // The call that meets a full segment pays for sealing it; telling the time each call would cost more than it.
    if ((i & 0xfff) === 0) beforeCall();
    builder.moveTo(time);
    switch (step[row]++ % 6) {
      case 0:
        builder.set(attribute, 1);
        break;
      case 1:
        builder.set(attribute, 2);
        break;
      case 2:
        builder.set(attribute, 3);
        break;
      case 3:
        builder.set(attribute, 2);
        break;
      case 4:
        builder.set(attribute, 6);
        break;
      default:
        builder.settle(attribute, 6 + (1 + (random() % 8)) * 16 + (random() % 50) * 512, 5);
    }
  }
  return time;
}

async function dragTotals(
  query: HistoryQuery,
  attributes: readonly AttributeId[],
  end: number,
): Promise<Record<string, number>> {
  const times: number[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    const from = (end * i) / (4 * SAMPLES);
    times.push(await msOf(() => query.totals(attributes, from, end - from / 2)));
  }
  return { totalsMsMedian: quantile(times, 0.5), totalsMsP95: quantile(times, 0.95) };
}

/** Screens of rows at widths from the whole down to 1/4096 of it, at random places. */
async function tiles(
  query: HistoryQuery,
  attributes: readonly AttributeId[],
  end: number,
): Promise<Record<string, number>> {
  const random = xorshift(2);
  const figures: Record<string, number> = {};
  for (const part of [1, 16, 256, 4096]) {
    const times: number[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      const first = random() % (attributes.length - SCREEN_ROWS);
      const from = part === 1 ? 0 : (random() / 0xffffffff) * end * (1 - 1 / part);
      const request = {
        attributes: attributes.slice(first, first + SCREEN_ROWS),
        from,
        to: from + end / part,
        bucketNs: end / part / SCREEN_BUCKETS,
      };
      times.push(await msOf(() => query.tile(request)));
    }
    figures[`tile1of${part}MsMedian`] = quantile(times, 0.5);
    figures[`tile1of${part}MsP95`] = quantile(times, 0.95);
  }
  return figures;
}

async function msOf(action: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await action();
  return performance.now() - begin;
}

/** Marsaglia's xorshift32: repeatable. */
function xorshift(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
