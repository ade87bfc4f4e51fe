/** A small picture of some threads: one letter a bucket and row, drawn in the forms of the timeline. */

/** Letter → state token. A blank is drawn as nothing. */
const STATES: Record<string, string> = {
  u: 'user',
  k: 'kernel',
  i: 'irq',
  r: 'ready',
  t: 'thread',
  m: 'timer',
  d: 'disk',
  n: 'net',
  l: 'lock',
  '?': 'unknown',
};
const ON_CPU = new Set(['user', 'kernel', 'irq']);
const WIDTH = 336;
const HEIGHT = 56;

interface Shapes {
  /** SVG path of the full form, by state. */
  readonly bars: Map<string, string>;
  /** Base lines of waits, by state. */
  readonly lines: Map<string, string>;
}

export function Thumbnail({ rows }: { readonly rows: readonly string[] }) {
  const { bars, lines } = shapesOf(rows);
  return (
    <svg class="thumbnail" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {[...bars].map(([state, d]) => (
        <path
          key={state}
          d={d}
          class={ON_CPU.has(state) || state === 'ready' ? '' : 'wait'}
          fill={`var(--st-${state})`}
        />
      ))}
      {[...lines].map(([state, d]) => (
        <path key={state} d={d} fill={`var(--st-${state})`} />
      ))}
    </svg>
  );
}

function shapesOf(rows: readonly string[]): Shapes {
  const bars = new Map<string, string>();
  const lines = new Map<string, string>();
  const pitch = Math.floor(HEIGHT / Math.max(4, rows.length));
  const top = Math.floor((HEIGHT - pitch * rows.length) / 2);
  const add = (paths: Map<string, string>, state: string, x: number, y: number, w: number, h: number) =>
    paths.set(state, `${paths.get(state) ?? ''}M${x} ${y}h${w}v${h}h${-w}z`);

  rows.forEach((row, index) => {
    const y = top + index * pitch;
    const height = pitch - 3;
    for (const { letter, from, to } of runs(row)) {
      const state = STATES[letter];
      if (state === undefined) continue;
      const x = Math.round((from / row.length) * WIDTH);
      const width = Math.round((to / row.length) * WIDTH) - x;
      if (state === 'ready')
        add(bars, state, x, y + Math.round(height * 0.4), width, Math.round(height * 0.6));
      else add(bars, state, x, y, width, height);
      if (state !== 'ready' && !ON_CPU.has(state)) add(lines, state, x, y + height - 2, width, 2);
    }
  });
  return { bars, lines };
}

/** Stretches of one letter. */
function runs(row: string): { letter: string; from: number; to: number }[] {
  return [...row.matchAll(/(.)\1*/gsu)].map((match) => ({
    letter: match[1],
    from: match.index,
    to: match.index + match[0].length,
  }));
}
