/** What a link says of plots and overlays: what was written is read again, and what anybody may write harms nobody. */
import { describe, expect, it } from 'vitest';
import { fieldPlot, KERNEL_PLOTS, type PlotDefinition } from '../../engine/layers/plots/definition.ts';
import type { OverlayDefinition } from '../../engine/layers/overlays/definition.ts';
import { OVERLAYS_IN_LINK } from '../overlays/overlay-link.ts';
import { PLOTS_IN_LINK } from '../plots/plot-link.ts';
import { linkedDefinitions } from './linked-layer.ts';

const suggestions = KERNEL_PLOTS.map((definition) => ({ definition }));
const PAIR: OverlayDefinition = {
  name: 'work',
  begin: 'app:begin',
  end: 'app:end',
  key: ['id'],
  acrossThreads: true,
  label: ['size'],
};

const plotsOf = (words: unknown) => linkedDefinitions(PLOTS_IN_LINK, JSON.stringify(words), { suggestions });
const overlaysOf = (words: unknown) =>
  linkedDefinitions(OVERLAYS_IN_LINK, JSON.stringify(words), { suggestions: [] });

describe('layers in a link', () => {
  it('are plots that are suggested, and plots of the reader', () => {
    const shown: PlotDefinition[] = [
      KERNEL_PLOTS[2],
      fieldPlot('sched_switch', 'next_prio', 'next_tid', false),
      fieldPlot('net_dev_xmit', 'len', '', true),
    ];
    expect(plotsOf(shown.map(PLOTS_IN_LINK.words))).toEqual(shown);
    expect(plotsOf([])).toEqual([]);
  });

  it('are pairs of events', () => {
    expect(overlaysOf([OVERLAYS_IN_LINK.words(PAIR)])).toEqual([PAIR]);
  });

  it('are left out where they make no sense', () => {
    expect(linkedDefinitions(PLOTS_IN_LINK, '[', { suggestions })).toEqual([]);
    expect(linkedDefinitions(PLOTS_IN_LINK, '{"length": 1}', { suggestions })).toEqual([]);
    const long = 'x'.repeat(201);
    expect(
      plotsOf([null, 3, [], ['n'], ['n', '', 'f', ''], ['n', long, 'f', ''], ['n', 'e', 'f', 7]]),
    ).toEqual([]);
    const [name, begin, end] = ['n', 'b', 'e'];
    const nested = [[name, begin, end, [['id']], false, []]];
    expect(overlaysOf([[name, begin, end], [name, '', end, [], false, []], ...nested])).toEqual([]);
    expect(overlaysOf([[name, begin, end, Array(9).fill('k'), false, []]])).toEqual([]);
  });

  it('are so many and no more', () => {
    expect(plotsOf(Array.from({ length: 1000 }, (_, i) => ['n', 'e', `f${i}`, '', false]))).toHaveLength(64);
  });
});
