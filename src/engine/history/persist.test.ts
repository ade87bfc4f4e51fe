import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ATTRIBUTES,
  type CallPlan,
  callPlans,
  PlanPlayer,
  TEST_SCHEME,
} from '../../../test/support/history-calls.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import { HistoryBuilder } from './builder.ts';
import { blocksSha256 } from '../../../test/support/blocks-sha256.ts';
import { UNKNOWN } from './groups.ts';
import { type HistoryRecords, HistoryWriter } from './persist.ts';
import type { HistoryQuery, Interval, Totals } from './query-types.ts';
import type { Segment } from './directory.ts';
import { createQuery } from './query.ts';
import { blockLoader, openHistory, type StoredHistory } from './stored-history.ts';
import { GROUP_UNKNOWN, STATES, type ValueScheme } from './types.ts';
import { forAll } from '../../../test/support/for-all.ts';

class Records implements HistoryRecords {
  readonly values = new Map<string, unknown>();
  #left: number;

  constructor(writes = Infinity) {
    this.#left = writes;
  }

  async write(records: readonly { readonly name: string; readonly value: unknown }[]): Promise<Result<void>> {
    if (this.#left-- <= 0) return fail({ code: 'store-full', place: {} });
    for (const { name, value } of records) this.values.set(name, structuredClone(value));
    return ok(undefined);
  }

  async read(name: string): Promise<unknown> {
    return this.values.get(name);
  }

  copies(): boolean {
    return true;
  }
}

type Plan = CallPlan & { readonly scheme?: ValueScheme };

interface Written {
  readonly builder: HistoryBuilder;
  readonly writer: HistoryWriter;
  readonly end: number;
  readonly finished: Result<void>;
}

/** Plays a plan into a history whose written blocks do not stay in memory. */
async function write(
  plan: Plan,
  records: HistoryRecords,
  onFault?: (fault: Fault) => void,
): Promise<Written> {
  const writer = new HistoryWriter(records, { prefix: 'h/', memoryBytes: 0, onFault });
  const builder = new HistoryBuilder({
    schemeOf: () => plan.scheme ?? TEST_SCHEME,
    segmentIntervals: plan.segmentIntervals,
    outlineLevel: plan.outlineLevel,
    onSealed: (segment) => writer.add(segment),
  });
  const player = new PlanPlayer(plan, [builder]);
  player.play();
  builder.finish(player.time + 3);
  await writer.pressure();
  return { builder, writer, end: player.time + 3, finished: await writer.finish(builder) };
}

function stateAt(interval: Interval | undefined): number | undefined {
  return interval && interval.value % STATES;
}

function sumOf({ ns }: Totals, place: number): number {
  return ns.subarray(place * STATES, (place + 1) * STATES).reduce((sum, time) => sum + time, 0);
}

const OPTIONS = { prefix: 'h/', schemeOf: () => TEST_SCHEME };

async function open(
  records: HistoryRecords,
  onFault?: (fault: Fault) => void,
  scheme: ValueScheme = TEST_SCHEME,
): Promise<StoredHistory> {
  const opened = await openHistory(records, { prefix: 'h/', schemeOf: () => scheme, onFault });
  if (!opened.ok) throw new Error(opened.fault.found);
  return opened.value;
}

async function everything(query: HistoryQuery, plan: CallPlan, end: number): Promise<unknown> {
  const attributes = query.attributes().map(({ id }) => id);
  const bucketNs = Math.max(1, (end - plan.start) / 50);
  const isId = (id: number) => ATTRIBUTES[id].kind === 'id';
  const drawn = { from: plan.start, to: end, bucketNs };
  return {
    extent: query.extent(),
    paths: query.attributes(),
    intervals: await Promise.all(attributes.map((id) => query.intervals(id, plan.start, end))),
    totals: await query.totals(attributes, plan.start, end),
    tile: await query.tile({ attributes: attributes.filter((id) => !isId(id)), ...drawn }),
    idTile: await query.idTile({ attributes: attributes.filter(isId), ...drawn }),
    load: await query.load({ attributes, ...drawn }),
  };
}

/** A plan that always makes several segments with blocks. */
const LONG_PLAN: CallPlan = {
  attributes: 3,
  start: 0,
  segmentIntervals: 100,
  calls: Array.from({ length: 1000 }, (_, i) => ({
    attribute: (i * 7) % 3,
    after: 1 + ((i * 13) % 50),
    op: i % 11 === 0 ? 'settle' : 'set',
    state: (i * 5) % 14,
    cause: i % 16,
  })),
};

/** State 0 is drawn as unknown. */
const PLAN_WITH_UNKNOWN: Plan = {
  ...LONG_PLAN,
  scheme: {
    ...TEST_SCHEME,
    groupOf: (value) => ((value & 15) === UNKNOWN ? GROUP_UNKNOWN : TEST_SCHEME.groupOf(value)),
  },
};

/** A plan whose history was stored, perhaps damaged, and opened. */
async function reopened(plan: Plan = LONG_PLAN, damage?: (values: Map<string, unknown>) => void) {
  const records = new Records();
  const { builder, end } = await write(plan, records);
  damage?.(records.values);
  const faults: Fault[] = [];
  const onFault = (fault: Fault) => faults.push(fault);
  const source = await open(records, onFault, plan.scheme);
  const query = createQuery(source, { load: source.load, onFault });
  return { records, builder, end, source, query, faults };
}

function damageAt(values: ReadonlyMap<string, unknown>, name: string, at?: number): void {
  const bytes = values.get(name) as Uint8Array | undefined;
  if (bytes !== undefined) bytes[at ?? bytes.length >> 1] ^= 4;
}

describe('a stored history', () => {
  it('answers as the one in memory, with the same bytes', () =>
    forAll(50, [callPlans(300)], async (plan) => {
      const inMemory = await write(plan, new Records(0));
      const records = new Records();
      const { finished, builder, end } = await write(plan, records);
      expect(finished.ok).toBe(true);
      const source = await open(records);
      const { load } = source;
      const expected = await everything(createQuery(inMemory.builder), plan, end);
      expect(await everything(createQuery(source, { load }), plan, end)).toEqual(expected);
      expect(await everything(createQuery(builder, { load: blockLoader(records, 'h/') }), plan, end)).toEqual(
        expected,
      );
      expect(await blocksSha256(source, load)).toBe(await blocksSha256(inMemory.builder));
    }));

  it('keeps no more loaded blocks than its budget', async () => {
    const { end, source, query: roomy } = await reopened();
    const query = createQuery(source, { load: source.load, budgetBytes: 0 });
    expect(await everything(query, LONG_PLAN, end)).toEqual(await everything(roomy, LONG_PLAN, end));
  });

  it('reads a segment once for all who ask for it at the same time', async () => {
    const { builder, source } = await reopened();
    const loaded: number[] = [];
    const load = (segment: number) => {
      loaded.push(segment);
      return source.load(segment);
    };
    const query = createQuery(source, { load });
    const { from, to } = builder.segments[1].directory;
    const whole = await query.intervals(0, from, to);
    const middles = whole.slice(1, -1).map((interval) => (interval.from + interval.to) / 2);
    const asked = createQuery(source, { load });
    loaded.length = 0;
    expect(await Promise.all(middles.map((time) => asked.at(0, time)))).toEqual(whole.slice(1, -1));
    expect(loaded.toSorted((a, b) => a - b)).toEqual([...new Set(loaded)]);
  });

  it('reads the rest when a block is damaged, and tells where', async () => {
    const { builder, end, query, faults } = await reopened(LONG_PLAN, (values) =>
      damageAt(values, 'h/blocks/2'),
    );
    const damaged = builder.segments[2].directory;
    const before = await query.totals([0], 0, damaged.from);
    const { query: truth } = await reopened();
    expect(before.ns).toEqual((await truth.totals([0], 0, damaged.from)).ns);
    expect(await query.at(0, damaged.from + 5)).toBeUndefined();
    expect(await query.at(0, end - 2)).toEqual(await truth.at(0, end - 2));
    expect(faults).toEqual([
      {
        code: 'store-damaged',
        place: { file: 'segment 2', byte: 0 },
        found: expect.stringContaining('checksum') as string,
      },
    ]);
  });

  it('asks again for blocks that could not be read, and tells of them once', async () => {
    const { builder, source, faults } = await reopened();
    let isBusy = true;
    const load = (segment: number) => (isBusy ? Promise.resolve(undefined) : source.load(segment));
    const query = createQuery(source, { load, onFault: (f) => faults.push(f) });
    const { from } = builder.segments[2].directory;
    expect(await query.at(0, from + 5)).toBeUndefined();
    expect(await query.at(0, from + 5)).toBeUndefined();
    expect(faults).toMatchObject([{ code: 'store-damaged', found: 'no such record' }]);
    isBusy = false;
    expect(await query.at(0, from + 5)).toBeDefined();
  });

  it('goes on after a segment whose directory is damaged', async () => {
    const { builder, query, faults } = await reopened(LONG_PLAN, (values) =>
      damageAt(values, 'h/directory/1', 20),
    );
    expect(await query.at(0, builder.segments[1].directory.from + 1)).toBeUndefined();
    expect(await query.at(0, builder.segments[3].directory.from + 1)).toBeDefined();
    expect(faults).toMatchObject([{ code: 'store-damaged', place: { file: 'h/directory/1' } }]);
  });

  it('says unknown or the truth, whatever is damaged or gone', async () => {
    const truth = (await write(PLAN_WITH_UNKNOWN, new Records(0))).builder;
    const whole = createQuery(truth);
    const count = truth.segments.length;
    const damages = fc.array(
      fc.tuple(fc.nat(count - 1), fc.constantFrom('blocks', 'directory'), fc.boolean()),
      { minLength: 1, maxLength: 5 },
    );
    const { to: end } = truth.extent();
    await forAll(40, [damages, fc.nat(end), fc.nat(end)], async (damaged, one, other) => {
      const { query, faults } = await reopened(PLAN_WITH_UNKNOWN, (values) => {
        for (const [segment, kind, isGone] of damaged) {
          const name = `h/${kind}/${segment}`;
          if (isGone) values.delete(name);
          else damageAt(values, name);
        }
      });
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      for (const id of [0, 1, 2]) {
        for (let time = from; time < to; time += 1 + ((to - from) >> 6)) {
          const said = stateAt(await query.at(id, time));
          if (said !== UNKNOWN) expect(said).toBe(stateAt(await whole.at(id, time)));
        }
      }
      const [said, inWhole] = await Promise.all([query, whole].map((one) => one.totals([0, 1, 2], from, to)));
      for (let i = 0; i < said.ns.length; i++)
        if (i % STATES !== UNKNOWN) expect(said.ns[i]).toBeLessThanOrEqual(inWhole.ns[i]);
      for (const id of [0, 1, 2]) expect(sumOf(said, id)).toBeGreaterThanOrEqual(sumOf(inWhole, id));
      const unknown = said.ns.filter((_, i) => i % STATES === UNKNOWN);
      const known = inWhole.ns.filter((_, i) => i % STATES === UNKNOWN);
      if (unknown.some((ns, i) => ns > known[i])) expect(faults.length).toBeGreaterThan(0);
    });
  });

  it('draws what a damaged block held as unknown', async () => {
    const { builder, end, query } = await reopened(PLAN_WITH_UNKNOWN, (values) =>
      values.delete('h/blocks/2'),
    );
    const { from, to, attribute, runBegin, runStart } = builder.segments[2].directory;
    for (const [row, id] of attribute.entries()) {
      const begin = runBegin[runStart[row]];
      expect(await query.intervals(id, begin, to)).toContainEqual({
        attribute: id,
        from: begin,
        to,
        value: 0,
      });
      const tile = await query.tile({ attributes: [id], from: begin, to, bucketNs: 1 });
      const spans = Array.from(tile.value, (value, i) => [value, tile.begin[i], tile.end[i]]);
      expect(spans).toEqual([[0, begin, to]]);
    }
    expect(to).toBeLessThan(end);
    expect(from).toBeGreaterThan(0);
  });

  it('shows the whole from its outline alone, and reads the segments for what is finer', async () => {
    const { builder, end, source } = await reopened({ ...LONG_PLAN, outlineLevel: 4 });
    const request = { attributes: [0, 1, 2], from: 0, to: end, bucketNs: 1024 };
    const expected = await createQuery(builder).tile(request);
    const query = createQuery(source, { load: () => Promise.reject(new Error('no block is needed')) });
    expect(await query.tile(request)).toEqual(expected);
    expect(source.segments).toEqual([]);
    await query.totals([0], 0, end);
    expect(source.segments.length).toBe(builder.segments.length);
  });

  it('does without an outline that is damaged, and without names that cannot be read', async () => {
    const { end, query, faults } = await reopened({ ...LONG_PLAN, outlineLevel: 4 }, (values) => {
      (values.get('h/outline') as Uint8Array[])[1][20] ^= 1;
      values.set('h/attributes', new TextEncoder().encode('no tree'));
    });
    const request = { attributes: [0, 1, 2], from: 0, to: end, bucketNs: 1024 };
    const without = createQuery((await write(LONG_PLAN, new Records(0))).builder);
    expect(await query.tile(request)).toEqual(await without.tile(request));
    expect(query.attributes()).toEqual([]);
    expect(faults).toMatchObject([{ place: { file: 'h/outline/1' } }, { place: { file: 'attributes' } }]);
  });

  it.each([
    ['of another format', 'h/history', { format: 99, segments: 1, tree: '{}' }],
    ['not complete', 'h/history', undefined],
    ['without attributes', 'h/attributes', undefined],
  ])('is refused when it is %s', async (_, name, value) => {
    const { records } = await reopened();
    records.values.set(name, value);
    const fault = { code: 'store-damaged' };
    expect(await openHistory(records, OPTIONS)).toMatchObject({ ok: false, fault });
  });

  it('stays in memory when writing fails, and says so once', async () => {
    const faults: Fault[] = [];
    const { builder, finished, end } = await write(LONG_PLAN, new Records(0), (fault) => faults.push(fault));
    expect(finished.ok).toBe(false);
    expect(faults.map(({ code }) => code)).toEqual(['store-full']);
    expect(await createQuery(builder).at(0, end - 2)).toBeDefined();
  });
});

describe('a stored history of 100,000 ids', () => {
  const IDS = 100_000;
  const lengthOf = (id: number) => 1 + ((id * 7919) % 1000);

  /** One attribute that has each id once, the greatest first, without gaps from 0 on. */
  async function writeIds(): Promise<{ readonly records: Records; readonly ends: readonly number[] }> {
    const records = new Records();
    const writer = new HistoryWriter(records, { prefix: 'h/' });
    const onSealed = (segment: Segment) => writer.add(segment);
    const builder = new HistoryBuilder({ schemeOf: () => undefined, segmentIntervals: 40_000, onSealed });
    const stack = builder.attribute(['cpus', '0', 'stack'], 'id');
    const ends: number[] = [];
    let time = 0;
    for (let id = IDS; id > 0; id--) {
      builder.moveTo(time);
      builder.set(stack, id);
      ends.push((time += lengthOf(id)));
    }
    builder.finish(time);
    expect((await writer.finish(builder)).ok).toBe(true);
    return { records, ends };
  }

  it('tells each of them, and draws them from levels of detail', async () => {
    const { records, ends } = await writeIds();
    const source = await open(records);
    const loaded: number[] = [];
    const load = (segment: number) => (loaded.push(segment), source.load(segment));
    const query = createQuery(source, { load });
    const [stack] = [query.find(['cpus', '0', 'stack']) ?? -1];
    const whole = { attributes: [stack], from: 0, to: ends[IDS - 1], bucketNs: ends[IDS - 1] / 500 };
    const tile = await query.idTile(whole);
    expect(loaded).toEqual([]);
    expect(Array.from(tile.value)).toContain(-1);
    expect(tile.longest.length).toBeGreaterThan(500);
    const from = tile.begin[0];
    for (let bucket = 0; bucket < tile.longest.length; bucket += 97) {
      const begin = from + bucket * tile.bucketNs;
      const [longest] = longestIn(ends, begin, begin + tile.bucketNs);
      expect(tile.longest[tile.mix[0] + bucket]).toBe(longest);
      expect(tile.heldNs[tile.mix[0] + bucket]).toBe(Math.min(begin + tile.bucketNs, ends[IDS - 1]) - begin);
    }
    for (let place = 1; place < IDS; place += 997)
      expect(await query.at(stack, ends[place] - 1)).toEqual({
        attribute: stack,
        from: ends[place - 1],
        to: ends[place],
        value: IDS - place,
      });
    expect(new Set(loaded)).toEqual(new Set([0, 1, 2]));
  });

  /** The id that has most of [from, to), the last of equal ones. */
  function longestIn(ends: readonly number[], from: number, to: number): readonly [id: number, ns: number] {
    let longest: readonly [number, number] = [0, 0];
    ends.forEach((end, place) => {
      const ns = Math.min(end, to) - Math.max(ends[place - 1] ?? 0, from);
      if (ns > 0 && ns >= longest[1]) longest = [IDS - place, ns];
    });
    return longest;
  }
});
