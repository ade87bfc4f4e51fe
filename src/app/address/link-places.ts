/** Links without names, which an open trace alone needs: the start page does not load them. */
import { partsOf } from './link.ts';

/** Parts of a link without names: times, the tab, and rows of threads and CPUs. Other rows have names, filters may. */
const PLACES = {
  view: /^-?\d+~-?\d+$/,
  range: /^-?\d+~-?\d+$/,
  at: /^-?\d+$/,
  call: /^1$/,
  tab: /^[a-z]+$/,
  row: /^(thread|cpu):\d+:\d+$/,
  path: /^thread:\d+:\d+$/,
  'path-at': /^-?\d+$/,
  'path-call': /^1$/,
  criterion: /^[a-z-]+$/,
  fold: /^1$/,
} as const;

/** The link with nothing that was recorded: it names no trace, and leads where the whole one does. */
export function placesOf(link: string): string {
  const all = partsOf(link);
  const kept = Object.entries(PLACES).filter(([name, form]) => form.test(all.get(name) ?? ''));
  // Without a trace it would be no link.
  return `#${new URLSearchParams([['trace', 'part'], ...kept.map(([name]) => [name, all.get(name) ?? ''])])}`;
}
