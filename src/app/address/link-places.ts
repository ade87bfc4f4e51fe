/** Links without names. Only an open trace needs them, so the start page does not load this file. */
import { partsOf } from './link.ts';

/** Parts of a link without names: times, the tab, and rows of threads and CPUs. Other rows contain names, and filters may. */
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

/** The link without anything that was recorded: it names no trace, and leads to the same place as the whole link. */
export function placesOf(link: string): string {
  const all = partsOf(link);
  const kept = Object.entries(PLACES).filter(([name, form]) => form.test(all.get(name) ?? ''));
  // A link needs the parameter `trace`.
  return `#${new URLSearchParams([['trace', 'part'], ...kept.map(([name]) => [name, all.get(name) ?? ''])])}`;
}
