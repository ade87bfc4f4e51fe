/** Properties of the kinds of rows: a new kind needs an entry here to compile. */
import { byKind } from '../../../engine/answers/rows/row-writer.ts';
import type { RowInfo, RowKind } from '../../../engine/protocol/rows.ts';
import { visibleText } from '../../format/text.ts';
import { tidText } from '../../format/tid.ts';

interface RowKindTraits {
  /** Position of its rows among their siblings, lower ones first. */
  readonly order: number;
  /** Word before the name of such a row; absent: none is needed. */
  readonly word?: string;
  /** Whether the search of the top bar finds it. */
  readonly isFound?: boolean;
  /** Whether it is folded at first. */
  readonly isFolded?: boolean;
  /** Whether it belongs to a layer, and not to the states of threads and CPUs. */
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
/** Order of pinned rows: after rows of the host, before its threads. */
export const PINNED_ORDER = 4;

export function openByDefault(kind: RowKind): boolean {
  return ROW_KINDS[kind].isFolded !== true;
}

export function isLayerRow({ kind }: Pick<RowInfo, 'kind'>): boolean {
  return ROW_KINDS[kind].isOfLayer === true;
}

/** 1 for the kinds of rows that layers give, by the kind's number in a column. */
export const IS_LAYER = byKind((kind) => (isLayerRow({ kind }) ? 1 : 0));

/** "Thread worker 1234"; the name of a nameless thread has the word already. */
export function rowTitle(row: RowInfo): string {
  const { word } = ROW_KINDS[row.kind];
  const parts = [word, row.name === word ? undefined : visibleText(row.name), tidText(row)];
  return parts.filter((part) => part !== undefined).join(' ');
}
