/** The colours of tokens.css, as the page reads them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { projectDir } from '../../../test/support/shared.ts';
import { DRAW_STYLES } from './draw-codes.ts';
import { type Colour, type Palette, watchPalette } from './palette.ts';

const CSS = readFileSync(join(projectDir(), 'src/app/theme/tokens.css'), 'utf8');

/** Custom properties of a rule, `var()` not resolved. */
function propertiesOf(selector: string): Map<string, string> {
  const [, rule = ''] = CSS.split(`${selector} {`);
  return new Map(
    [...rule.split('\n}')[0].matchAll(/^\s*(--[\w-]+):([^;]*);/gm)].map(([, name, value]) => [
      name,
      value.trim(),
    ]),
  );
}

const LIGHT = propertiesOf(':root');
const THEMES = { light: LIGHT, dark: new Map([...LIGHT, ...propertiesOf(":root[data-theme='dark']")]) };

let tokens = LIGHT;

/** As a browser computes it. */
function valueOf(name: string): string {
  return (tokens.get(name) ?? '').replace(/var\((--[\w-]+)\)/g, (_, other: string) => valueOf(other));
}

beforeEach(() => {
  vi.stubGlobal('getComputedStyle', () => ({ getPropertyValue: valueOf }));
  vi.stubGlobal(
    'MutationObserver',
    class {
      observe() {}
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

function paletteOf(theme: ReadonlyMap<string, string>): Palette {
  tokens = new Map(theme);
  return watchPalette({} as HTMLElement).value;
}

/** How much of the solid colour is in a tint over the canvas; 0 … 1. */
function shareIn({ solid, tint }: { readonly solid: Colour; readonly tint: Colour }, canvas: Colour): number {
  const [part] = [0, 1, 2].sort((a, b) => difference(solid, canvas, b) - difference(solid, canvas, a));
  return difference(tint, canvas, part) / difference(solid, canvas, part);
}

function difference(a: Colour, b: Colour, part: number): number {
  return Math.abs(a.rgb[part] - b.rgb[part]);
}

describe.each(Object.entries(THEMES))('the theme %s', (_, theme) => {
  it('has a colour for every role and state', () => {
    const { states, differences, scrim, font, ...roles } = paletteOf(theme);
    expect([states.length, differences.length]).toEqual([DRAW_STYLES.length, 7]);
    expect(Object.values(roles).every(({ css }) => /^rgb\(\d+ \d+ \d+\)$/.test(css))).toBe(true);
    expect([scrim, font]).not.toContain('');
  });

  it('tints with less of what is grey, by its colour', () => {
    const greys = (palette: Palette) => {
      const shares = palette.states.map((state) => shareIn(state, palette.canvas));
      const most = Math.max(...shares);
      return [
        ...new Set(DRAW_STYLES.filter((_, code) => shares[code] < most * 0.9).map(({ token }) => token)),
      ];
    };
    const withTimer = (colour: string) => greys(paletteOf(new Map([...theme, ['--st-timer', colour]])));
    expect(withTimer('#8a8d92')).toContain('timer');
    expect(withTimer('#12807a')).not.toContain('timer');
  });

  it.each(['oklch(60% 0.1 200)', 'rgb(1 2 3)', 'teal', '#12', ''])('refuses the colour "%s"', (value) => {
    for (const name of ['--st-user', '--on-lock', '--c-load', '--diff-0'])
      expect(() => paletteOf(new Map([...theme, [name, value]]))).toThrow(name);
  });
});
