/** Traits that the rows of a kind have in common: a new kind is one entry here, without which nothing compiles. */
import { byKind } from '../../../engine/answers/rows/row-writer.ts';
import type { RowInfo, RowKind } from '../../../engine/protocol/rows.ts';
import { visibleText } from '../../format/text.ts';
import { tidText } from '../../format/tid.ts';

interface RowKindTraits {
  /** Where its rows stand among their siblings: lower ones first. */
  readonly order: number;
  /** Word for one such row before its name; absent: its name says all. */
  readonly word?: string;
  /** The search of the top bar finds it. */
  readonly isFound?: boolean;
  /** Folded until the reader unfolds it. */
  readonly isFolded?: boolean;
  /** A layer gave it: it shows what happened beside the states of threads and CPUs. */
  readonly isOfLayer?: boolean;
}

export const ROW_KINDS: Readonly<Record<RowKind, RowKindTraits>> = {
  host: { order: 0 },
  cpu: { order: 2, isFound: true },
  stream: { order: 3, word: 'Stream', isFound: true },
  layer: { order: 3, isOfLayer: true },
  plot: { order: 3, isOfLayer: true, isFound: true },
  process: { order: 5, word: 'Process', isFound: true },
  thread: { order: 5, word: 'Thread', isFound: true },
  program: { order: 5, word: 'Program', isFound: true, isFolded: true },
  group: { order: 6 },
  resources: { order: 6, isFolded: true },
  'more-threads': { order: 6 },
  namespace: { order: 6 },
  tracer: { order: 7, isFolded: true },
  'kernel-threads': { order: 7, isFolded: true },
  'never-ran': { order: 8, isFolded: true },
};
/** Between what belongs to the host and its threads. */
export const PINNED_ORDER = 4;

export function openByDefault(kind: RowKind): boolean {
  return ROW_KINDS[kind].isFolded !== true;
}

export function isLayerRow({ kind }: Pick<RowInfo, 'kind'>): boolean {
  return ROW_KINDS[kind].isOfLayer === true;
}

/** 1 for the kinds of rows that layers give, by the kind's number in a column. */
export const IS_LAYER = byKind((kind) => (isLayerRow({ kind }) ? 1 : 0));

/** "Thread worker 1234"; one without a name is called thread already. */
export function rowTitle(row: RowInfo): string {
  const { word } = ROW_KINDS[row.kind];
  const parts = [word, row.name === word ? undefined : visibleText(row.name), tidText(row)];
  return parts.filter((part) => part !== undefined).join(' ');
}
