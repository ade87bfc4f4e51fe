/**
 * A history at one moment, segment by segment, for algorithms that walk through time and cannot await every step: they
 * open what is in memory synchronously, and load a segment when it is not.
 */
import type { HostNs } from '../base/units.ts';
import { isContinued, runRowOf } from './directory.ts';
import type { IntervalCursor, Slice } from './interval-cursor.ts';
import { rowIn, rowTable, type QueryContext, type Section } from './query-context.ts';
import type { AttributeId } from './types.ts';

/** Results of `HistorySnapshot.open`. */
export const NO_INTERVALS = 0;
/** The cursor stands before the first interval. */
const INTERVALS = 1;
/** The cursor stands before the first interval, which continues an interval of the segment before. */
export const CONTINUED_INTERVALS = 2;
export const NOT_LOADED = 3;

export interface HistorySnapshot {
  /** Segments in time order; their times do not overlap. */
  readonly segments: readonly { readonly from: HostNs; readonly to: HostNs }[];
  /** Brings a segment into memory; others may be released. What cannot be read is unknown. */
  load(segment: number): Promise<void>;
  /** Opens a cursor over all intervals of an attribute in a segment. */
  open(segment: number, attribute: AttributeId, cursor: IntervalCursor): number;
}

/** Maximum number of segments whose blocks are held. */
const MOST_HELD = 8;

export async function takeSnapshot(context: QueryContext): Promise<HistorySnapshot> {
  const segments = await context.sections(-Infinity, Infinity);
  const held = new Map<number, Slice>();
  return {
    segments,
    async load(segment) {
      const section = segments[segment];
      const slice = await context.slice(section, rowsOf(section), section.from, section.to);
      held.delete(segment);
      held.set(segment, slice);
      for (const oldest of held.keys()) {
        if (held.size <= MOST_HELD) break;
        held.delete(oldest);
      }
    },
    open(segment, attribute, cursor) {
      const section = segments[segment];
      const row = rowIn(section, attribute);
      if (row < 0) return NO_INTERVALS;
      const slice = held.get(segment) ?? sliceAtHand(context, section, row);
      if (slice === undefined) return NOT_LOADED;
      cursor.open(slice, row, section.from, section.to, context.overrules(attribute));
      return continues(section, row) ? CONTINUED_INTERVALS : INTERVALS;
    },
  };
}

function continues(section: Section, row: number): boolean {
  if (section.kind === 'open') return section.intervals.continued[row] === 1;
  return isContinued(section.segment.directory, row);
}

function* rowsOf(section: Section): Iterable<number> {
  const { attribute } = rowTable(section);
  for (let row = 0; row < attribute.length; row++) yield row;
}

/** Slice that needs no blocks: the open segment, or a constant row. */
function sliceAtHand(context: QueryContext, section: Section, row: number): Slice | undefined {
  if (section.kind === 'open') return section;
  const { directory } = section.segment;
  if (runRowOf(directory, row) >= 0) return undefined;
  return context.sealedSlice(section, []);
}
