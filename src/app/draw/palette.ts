/** The theme's colours as numbers and strings, read from the custom properties of tokens.css when the theme changes. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { assert } from '../../engine/base/assert.ts';
import { DRAW_STYLES, isSecondTone } from './draw-codes.ts';

export interface Colour {
  readonly css: string;
  /** 0 … 1 each. */
  readonly rgb: readonly [number, number, number];
}

/** Colours of one draw code. */
interface StateColours {
  readonly solid: Colour;
  /** Under a wait. */
  readonly tint: Colour;
  /** Colour of the pattern upon the tint. */
  readonly pattern: Colour;
  /** Text upon the solid colour. */
  readonly text: Colour;
}

const ROLES = {
  canvas: '--c-canvas',
  panel: '--c-panel',
  sunken: '--c-sunken',
  line: '--c-line',
  softLine: '--c-line-soft',
  strongLine: '--c-line-strong',
  text: '--c-text',
  muted: '--c-muted',
  faint: '--c-faint',
  accent: '--c-accent',
  onAccent: '--c-on-accent',
  accentWash: '--c-accent-wash',
  select: '--c-select',
  load: '--c-load',
  loadLine: '--c-load-line',
  density: '--c-density',
  lost: '--c-lost',
  grid: '--c-grid',
  path: '--c-path',
  pathHalo: '--c-path-halo',
  note: '--c-note',
} as const;

export interface Palette extends Readonly<Record<keyof typeof ROLES, Colour>> {
  /** Indexed by draw code. */
  readonly states: readonly StateColours[];
  /** Colours of differences, from three steps less to three steps more; no difference is in the middle. */
  readonly differences: readonly Pick<StateColours, 'solid' | 'text'>[];
  /** Translucent CSS colour over what is made pale. */
  readonly scrim: string;
  /** CSS font family of text on canvases. */
  readonly font: string;
}

const DIFFERENCES = ['less-3', 'less-2', 'less-1', '0', 'more-1', 'more-2', 'more-3'];

/** Share of the colour in its second tone. */
const SECOND_TONE = 0.8;

/** The palette of `root` (the document's element), which follows its `data-theme` as long as it lives. */
export function watchPalette(root: HTMLElement): ReadonlySignal<Palette> {
  const palette = signal(readPalette(root));
  const observer = new MutationObserver(() => (palette.value = readPalette(root)));
  observer.observe(root, { attributes: true, attributeFilter: ['data-theme'] });
  return palette;
}

function readPalette(root: HTMLElement): Palette {
  const style = getComputedStyle(root);
  const colour = (name: string) => parseColour(name, style.getPropertyValue(name));
  const canvas = colour('--c-canvas');
  const text = colour('--c-text');
  const tint = (Number.parseFloat(style.getPropertyValue('--tint')) || 15) / 100;
  const roles = Object.fromEntries(Object.entries(ROLES).map(([role, name]) => [role, colour(name)]));
  return {
    ...(roles as Record<keyof typeof ROLES, Colour>),
    states: DRAW_STYLES.map(({ token, pattern }, code) => {
      const plain = colour(`--st-${token}`);
      // The second tone has more contrast to the text upon it, in both themes.
      const solid = isSecondTone(code) ? mixed(plain, text, SECOND_TONE) : plain;
      // Greys look darker than hues of the same share, and the diagonals of locks have to be visible.
      return {
        solid,
        tint: mixed(solid, canvas, isGrey(plain) ? tint * 0.75 : tint),
        pattern: mixed(solid, canvas, pattern === 'dense-diagonals' ? 0.5 : 0.3),
        text: colour(`--on-${token}`),
      };
    }),
    differences: DIFFERENCES.map((step) => ({
      solid: colour(`--diff-${step}`),
      text: colour(`--on-${step}`),
    })),
    scrim: style.getPropertyValue('--c-scrim').trim() || 'transparent',
    font: style.getPropertyValue('--font-ui').trim() || 'sans-serif',
  };
}

/** Reads '#rgb' and '#rrggbb', the only forms that tokens.css uses for these roles. */
function parseColour(name: string, text: string): Colour {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1];
  assert(hex !== undefined, `${name} is a colour like #3d9b5b, not "${text}"`);
  const long = hex.length === 3 ? [...hex].map((c) => c + c).join('') : hex;
  const part = (at: number) => Number.parseInt(long.slice(at, at + 2), 16) / 255;
  return toColour([part(0), part(2), part(4)]);
}

/** Saturation (HSV) below which a colour is a grey. */
const GREY_BELOW = 0.3;

function isGrey({ rgb }: Colour): boolean {
  const [least, most] = [Math.min(...rgb), Math.max(...rgb)];
  return most - least <= GREY_BELOW * most;
}

/** `share` of `a` over the rest of `b`. */
function mixed(a: Colour, b: Colour, share: number): Colour {
  const part = (i: 0 | 1 | 2) => a.rgb[i] * share + b.rgb[i] * (1 - share);
  return toColour([part(0), part(1), part(2)]);
}

function toColour(rgb: readonly [number, number, number]): Colour {
  return { rgb, css: `rgb(${rgb.map((v) => Math.round(v * 255)).join(' ')})` };
}
