import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../../test/support/for-all.ts';
import { createFlagPlaces, layFlags, LEAST_FLAG } from './flag-places.ts';
import { inOrder, type Note } from './note.ts';
import { xOfTime, type Viewport } from '../timeline/view/viewport.ts';

const WIDTH = 1000;
const NOTES = Array.from({ length: 50 }, (_, i): Note => {
  const from = 2000 + 40 * i;
  return { id: `${i}`, from, to: i % 3 > 0 ? from : from + 35, text: '' };
});

/** What of an element flags are written to, and how often. */
function element(children: readonly unknown[], onWrite: () => void): HTMLElement {
  const writing = <T extends object>(target: T): T =>
    new Proxy(target, {
      set(object, name, value) {
        onWrite();
        return Reflect.set(object, name, value);
      },
    });
  const style = { setProperty: onWrite };
  return writing({
    hidden: false,
    children,
    style: writing(style),
    dataset: writing({}),
    classList: { toggle: onWrite },
  }) as unknown as HTMLElement;
}

function setUp() {
  let writes = 0;
  const flags = NOTES.map(() => element([], () => writes++));
  const lane = element(flags, () => undefined);
  const placeFlags = createFlagPlaces(lane);
  const shift = (one: HTMLElement) => Number(/\((.*)px\)/.exec(one.style.transform)?.[1]);
  return {
    /** @returns writes to flags */
    place(view: Viewport) {
      writes = 0;
      placeFlags(layFlags(NOTES, view, WIDTH, undefined), view, WIDTH, (note) =>
        xOfTime(view, WIDTH, NOTES[note].to),
      );
      return writes;
    },
    /** CSS pixels of the flags that are seen. */
    seen: () => flags.flatMap((flag) => (flag.hidden ? [] : [shift(lane) + shift(flag)])),
  };
}

const viewAt = (start: number, span = WIDTH): Viewport => ({ start, fraction: 0, span });

it('flags stand where they are laid, however the view came there', () => {
  const { place, seen } = setUp();
  for (const view of [
    viewAt(2000),
    viewAt(2010),
    viewAt(3500),
    viewAt(3400, 1500),
    viewAt(2350),
    viewAt(9000),
  ]) {
    place(view);
    const laid = layFlags(NOTES, view, WIDTH, undefined).map(({ x }) => Math.round(x));
    expect(seen()).toEqual(laid);
  }
});

it('while one pans, only flags at the edges are written', () => {
  const { place, seen } = setUp();
  expect(place(viewAt(2405))).toBeGreaterThan(50);
  expect(seen().length).toBeGreaterThan(20);
  for (let start = 2406; start < 2500; start++) expect(place(viewAt(start))).toBeLessThan(15);
});

const at = (id: string, from: number, to = from): Note => ({ id, from, to, text: '' });

describe('flags', () => {
  it('stand at the begin of their notes, with the room up to the next', () => {
    const notes = [at('a', 1100), at('b', 1300, 1900)];
    expect(layFlags(notes, viewAt(1000), WIDTH, undefined)).toEqual([
      { x: 100, room: 200, notes: [0], face: 0 },
      { x: 300, room: 700, notes: [1], face: 1 },
    ]);
  });

  it('are none of notes out of sight; a stretch into the view has its own at the edge', () => {
    const notes = [at('a', 10, 999), at('b', 20, 1000), at('c', 999), at('d', 2001)];
    expect(layFlags(notes, viewAt(1000), WIDTH, undefined)).toEqual([
      { x: 0, room: WIDTH, notes: [1], face: 1 },
    ]);
  });

  it('too near to each other are one, with the text of the note gone to', () => {
    const notes = [at('a', 1100), at('b', 1110), at('c', 1129), at('d', 1130)];
    const faces = (current?: string) => layFlags(notes, viewAt(1000), WIDTH, current).map(({ face }) => face);
    expect(layFlags(notes, viewAt(1000), WIDTH, undefined).map((flag) => flag.notes)).toEqual([
      [0, 1, 2],
      [3],
    ]);
    expect([faces(), faces('b'), faces('d')]).toEqual([
      [0, 3],
      [1, 3],
      [0, 3],
    ]);
  });

  it('stay together while one pans', () => {
    const notes = Array.from({ length: 40 }, (_, i) => at(`${i}`, 1000 + 37 * i + (i % 3)));
    const whole = layFlags(notes, viewAt(1000, 2000), WIDTH, undefined).map((flag) => flag.notes);
    const panned = layFlags(notes, { start: 1333, fraction: 0.25, span: 2000 }, WIDTH, undefined);
    // But for the heap at the edge.
    expect(whole).toEqual(expect.arrayContaining(panned.slice(1).map((flag) => flag.notes)));
    expect(panned.length).toBeGreaterThan(3);
  });

  it('never overlap, and leave out nothing that is in sight', async () => {
    const time = fc.integer({ min: 900, max: 2100 });
    const stretch = fc.tuple(time, fc.constantFrom(0, 1, 50, 2000));
    await forAll(100, [fc.array(stretch)], (list) => {
      const notes = inOrder(list.map(([from, length], i) => at(`${i}`, from, from + length)));
      const flags = layFlags(notes, viewAt(1000), WIDTH, '3');
      const seen = notes.map((_, i) => i).filter((i) => notes[i].from <= 2000 && notes[i].to >= 1000);
      expect(flags.flatMap((flag) => flag.notes)).toEqual(seen);
      flags.forEach(({ x, room }, i) => {
        const end = flags[i + 1]?.x ?? WIDTH;
        expect(x + room).toBe(end);
        if (i + 1 < flags.length) expect(room).toBeGreaterThanOrEqual(LEAST_FLAG);
      });
    });
  });
});
