/** The timeline alone on synthetic rows. Options by query: theme, threads, hosts, intervals, length (ns), delay, read (share), streams. */
import '../src/app/theme/tokens.css';
import '../src/app/theme/base.css';
import { render } from 'preact';
import { createSyntheticSource } from '../test/support/timeline/synthetic-source.ts';
import { benchFrames } from './frame-bench.ts';
import { watchPalette } from '../src/app/draw/palette.ts';
import { PaletteContext } from '../src/app/draw/swatch.tsx';
import type { FrameStats } from '../src/app/timeline/scene.ts';
import { Timeline, createViewModel } from '../src/app/timeline/timeline.tsx';

const query = new URLSearchParams(location.search);
const number = (name: string) => (query.has(name) ? { value: Number(query.get(name)) } : undefined);
document.documentElement.dataset.theme = query.get('theme') ?? 'light';

const source = createSyntheticSource({
  ...(number('threads') && { threads: number('threads')?.value }),
  ...(number('hosts') && { hosts: number('hosts')?.value }),
  ...(number('intervals') && { intervalsPerThread: number('intervals')?.value }),
  ...(number('length') && { lengthNs: number('length')?.value }),
  ...(number('delay') && { delayMs: number('delay')?.value }),
  ...(number('read') && { readShare: number('read')?.value }),
  streams: query.has('streams'),
});
const view = createViewModel(source);
const palette = watchPalette(document.documentElement);
const frames: FrameStats[] = [];
const KEYS: Readonly<Record<string, () => unknown>> = {
  w: view.zoomIn,
  s: view.zoomOut,
  a: view.panLeft,
  d: view.panRight,
  f: view.fitSelection,
  ArrowRight: view.nextInterval,
  ArrowLeft: view.previousInterval,
  ArrowUp: view.rowUp,
  ArrowDown: view.rowDown,
  Escape: view.escape,
};

window.addEventListener('keydown', (event) => void KEYS[event.key]?.());
render(
  <PaletteContext.Provider value={palette}>
    <Timeline source={source} view={view} onFrame={(stats) => frames.push(stats)} />
  </PaletteContext.Provider>,
  document.body.querySelector('#app') ?? document.body,
);

/** For screenshots and the frame bench. */
Object.assign(window, { timeline: { source, view, frames, bench: () => benchFrames(view, frames) } });
