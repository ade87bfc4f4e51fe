import { describe, expect, it, vi } from 'vitest';
import { HistoryBuilder } from './builder.ts';
import { constantOf } from './directory.ts';
import { QueryContext } from './query-context.ts';
import { createQuery } from './query.ts';
import { type SealedBytes, Sealer } from './seal.ts';
import { MOST_VALUE } from './intervals.ts';

it('the open segment gives intervals that stay as they are when more is told', () => {
  const builder = new HistoryBuilder({ schemeOf: () => undefined, segmentIntervals: 8 });
  const attributes = ['a', 'b'].map((name) => builder.attribute([name], 'integer'));
  const tell = (...times: number[]) => {
    for (const time of times) {
      builder.moveTo(time);
      for (const attribute of attributes) builder.set(attribute, time);
    }
  };
  tell(1, 2, 3, 4, 5);
  const before = builder.openIntervals();
  const copy = structuredClone(before);
  tell(6, 7, 8, 9);
  const after = builder.openIntervals();
  expect(builder.segments.length).toBe(1);
  expect([...(after?.value ?? [])]).toEqual([7, 8, 7, 8]);
  expect([...(copy?.value ?? [])]).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
  expect(before).toEqual(copy);
});

describe('a segment', () => {
  it('holds at least as many intervals as attributes live when it begins', () => {
    const members = 600_000;
    const living: number[] = [];
    const builder = new HistoryBuilder({
      schemeOf: () => undefined,
      seal: ({ touched }) => {
        living.push(touched.length);
        return new Promise(() => undefined);
      },
    });
    const family = builder.family({ kind: 'integer', pathOf: () => [] });
    for (let i = 0; i < members; i++) builder.member(family);
    for (let time = 1; time <= 3 * members; time++) {
      builder.moveTo(time);
      builder.set(time % members, time);
    }
    expect(living).toEqual([members]);
    builder.finish(4 * members);
    expect(living).toEqual([members, members]);
  });

  it('keeps constants of any size', async () => {
    const builder = new HistoryBuilder({ schemeOf: () => undefined, segmentIntervals: 2 });
    const values = [0, 2 ** 29 - 1, 2 ** 29, 2 ** 30, 2 ** 31 + 5, 2 ** 40, MOST_VALUE];
    const attributes = values.map((_, i) => builder.attribute([`${i}`], 'integer'));
    const clock = builder.attribute(['clock'], 'integer');
    for (let time = 1; time < 20; time++) {
      builder.moveTo(time);
      if (time === 1) for (const [i, attribute] of attributes.entries()) builder.set(attribute, values[i]);
      builder.set(clock, time);
    }
    builder.finish(20);
    const query = createQuery(builder);
    for (const [i, attribute] of attributes.entries()) {
      expect(builder.segments.some(({ directory }) => constantOf(directory, i) === values[i])).toBe(true);
      expect(await query.intervals(attribute, 5, 6)).toEqual([
        { attribute, from: 1, to: 20, value: values[i] },
      ]);
    }
  });
});

/** Of one attribute, whose value is the time; segments are sealed when the test says so. */
function slowlySealed() {
  const sealer = new Sealer(() => undefined);
  const onTheWay: (() => void)[] = [];
  const builder = new HistoryBuilder({
    schemeOf: () => undefined,
    segmentIntervals: 4,
    seal: (job) =>
      new Promise<SealedBytes>((resolve) => {
        const sealed = sealer.seal(job);
        onTheWay.push(() => resolve(sealed));
      }),
  });
  const attribute = builder.attribute(['a'], 'integer');
  let time = 0;
  const tell = (): void => {
    builder.moveTo(++time);
    builder.set(attribute, time);
  };
  /** Tells so much that so many more segments are cut, and something of the next one. */
  const cut = (segments: number): void => {
    for (const enough = onTheWay.length + segments; onTheWay.length < enough;) tell();
    tell();
  };
  const ask = () => createQuery(builder).intervals(attribute, 0, Infinity);
  return { builder, attribute, onTheWay, cut, ask, now: () => time };
}

describe('segments on their way', () => {
  it('leave no hole in answers when they come out of order and more is told meanwhile', async () => {
    const { builder, onTheWay, cut, ask, now } = slowlySealed();
    cut(4);
    const snapshot = now();
    const goingOn = builder.pressure()?.then(() => cut(1));
    const asked = ask();
    for (const i of [1, 2, 3, 0]) onTheWay[i]();
    await goingOn;
    setTimeout(() => onTheWay[4]());
    const found = await asked;
    expect(found.map(({ from }) => from)).toEqual(found.map((_, i) => 1 + i));
    expect(found.at(-1)?.to).toBeGreaterThanOrEqual(snapshot);
  });

  it('are not waited for when they were cut after a question, whose answer ends before them', async () => {
    const { builder, onTheWay, cut } = slowlySealed();
    cut(1);
    const asked = builder.ready();
    cut(3);
    for (const i of [0, 1]) onTheWay[i]();
    await asked;
    expect(builder.segments.length).toBe(2);
    expect(builder.openIntervals()).toBeUndefined();
  });
});

it('a question for some intervals reads the segments that have them', async () => {
  const { builder, attribute, onTheWay, cut } = slowlySealed();
  cut(20);
  for (const seal of onTheWay) seal();
  const slice = vi.spyOn(QueryContext.prototype, 'slice');
  const query = createQuery(builder);
  const found = await query.intervals(attribute, 0, Infinity, 6);
  expect(found.map(({ from, to, value }) => [from, to, value])).toEqual(
    [1, 2, 3, 4, 5, 6].map((time) => [time, time + 1, time]),
  );
  // Those of the range, and those beside its ends.
  expect(slice.mock.calls.length).toBeLessThan(10);
  slice.mockRestore();
});

describe('intervals that many segments hold intervals of', () => {
  /** One that goes on through all segments, and one that changes all the time. */
  const queried = async () => {
    const builder = new HistoryBuilder({ schemeOf: () => undefined, segmentIntervals: 4 });
    const [lasting, changing] = ['a', 'b'].map((name) => builder.attribute([name], 'integer'));
    builder.moveTo(0);
    builder.set(lasting, 7);
    for (let time = 0; time < 100; time++) {
      builder.moveTo(time);
      builder.set(changing, time);
    }
    await builder.ready();
    const asked = vi.spyOn(builder, 'ready');
    return { query: createQuery(builder), lasting, changing, asked, segments: builder.segments.length };
  };

  it('come out whole, wherever they are asked for', async () => {
    const { query, lasting, segments } = await queried();
    expect(segments).toBeGreaterThan(10);
    const whole = [{ attribute: lasting, from: 0, to: 99, value: 7 }];
    for (const [from, to] of [
      [-Infinity, Infinity],
      [0, 1],
      [50, 51],
      [98, 200],
    ]) {
      expect(await query.intervals(lasting, from, to)).toEqual(whole);
      expect(await query.intervals(lasting, from, to, 1)).toEqual(whole);
    }
    expect(await query.at(lasting, 50)).toEqual(whole[0]);
  });

  it('are not looked for once more where the range holds all of them', async () => {
    const { query, lasting, changing, asked } = await queried();
    await query.intervals(lasting, -Infinity, Infinity);
    await query.intervals(changing, -Infinity, Infinity, 10);
    expect(asked).toHaveBeenCalledTimes(2);
  });
});
