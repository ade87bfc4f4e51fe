import { expect, it } from 'vitest';
import { FlagPlaces, layFlags } from './flag-places.ts';
import type { Note } from './note.ts';
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
  const places = new FlagPlaces(lane);
  const shift = (one: HTMLElement) => Number(/\((.*)px\)/.exec(one.style.transform)?.[1]);
  return {
    /** @returns writes to flags */
    place(view: Viewport) {
      writes = 0;
      places.place(layFlags(NOTES, view, WIDTH, undefined), view, WIDTH, (note) =>
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
