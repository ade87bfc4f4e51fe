/** The layers of an open trace, as answers see them (`SessionLayers` of `open/layers`). */
import type { DisplayNs } from '../../base/units.ts';
import type { HistoryRecords } from '../../history/persist.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import type { IntervalInfo } from '../../protocol/rows.ts';
import type { FoundOf, InfoOf, LayerWord, WantedOf } from '../../registry.ts';

export interface OpenLayers {
  /** Key of the trace whose layers they are. */
  readonly key: string;
  /** Records that are kept of that trace. */
  readonly records: HistoryRecords;
  /** Resolves when all that is read unasked has been read: what is made of several layers waits for it. */
  readonly begun: Promise<void>;
  /** Shows something else of a layer; false: it cannot be read, or something else was wanted since. */
  change<Word extends LayerWord>(word: Word, wanted: WantedOf<Word>): Promise<boolean>;
  /** Settings, tables and state of a layer by now; undefined: it was not read. */
  info<Word extends LayerWord>(word: Word): InfoOf<Word> | undefined;
  /** Finds what a layer offers to be shown. */
  find<Word extends LayerWord>(word: Word): Promise<FoundOf<Word> | undefined>;
  /** History of a layer's rows on a host; undefined: there is none. */
  history(word: string, host: number): HistoryQuery | undefined;
  /** Interval of a layer's row at a time, or the one before or after it; undefined: the row is not a layer's. */
  interval(row: string, timeNs: DisplayNs, step?: -1 | 0 | 1): Promise<IntervalInfo | undefined> | undefined;
}
