/** Contract of a query: what answers one kind of question about the open trace. */
import type { AnswerOf, QueryKind, RequestOf } from '../../protocol/queries.ts';
import type { OpenTrace } from './open-trace.ts';
import type { DisplayNs } from '../../base/units.ts';
import type { HistoryRecords } from '../../history/persist.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import type { IntervalInfo } from '../../protocol/rows.ts';
import type { FoundOf, InfoOf, LayerWord, WantedOf } from '../../registry.ts';

/** Sources that answers are made from. */
export interface QueryContext {
  readonly trace: OpenTrace;
  /** undefined: the trace is still being read. */
  readonly layers?: OpenLayers;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** Called with the share of the work that is done, 0 to 1, where an answer takes many steps. */
  readonly onProgress?: (share: number) => void;
}

export interface Query<Request, Answer> {
  readonly answer: (context: QueryContext, request: Request) => Answer | Promise<Answer>;
  /** The answer while nothing is open. */
  readonly nothing: (request: Request) => Answer | Promise<Answer>;
  /** Whether the caller owns the buffers of the answer, so that a worker transfers them instead of copying them. */
  readonly isTransferred?: boolean;
}

/** A query that may leave `nothing` out: its answer is undefined then. */
export type Answering<Request, Answer> = Omit<Query<Request, Answer>, 'nothing'> &
  Partial<Pick<Query<Request, Answer>, 'nothing'>>;

/** The entry of a kind in the table of queries. */
export type QueryOf<K extends QueryKind> = Answering<RequestOf<K>, AnswerOf<K>> &
  (undefined extends AnswerOf<K> ? unknown : Pick<Query<RequestOf<K>, AnswerOf<K>>, 'nothing'>);

/** The answer to a question of a kind. */
export type AnswerTo<K extends QueryKind> = (
  context: QueryContext,
  request: RequestOf<K>,
) => Promise<AnswerOf<K>>;

/** The answer to a question while nothing is open. */
export async function nothingOf<Request, Answer>(
  { nothing }: Answering<Request, Answer>,
  request: Request,
): Promise<Answer> {
  return nothing === undefined ? (undefined as Answer) : nothing(request);
}

/** The layers of an open trace, as answers see them (`SessionLayers` of `open/layers`). */
export interface OpenLayers {
  /** Key of the trace whose layers they are. */
  readonly key: string;
  /** Records that are kept of that trace. */
  readonly records: HistoryRecords;
  /** Resolves when all layers that are read by default have been read; answers over several layers wait for it. */
  readonly begun: Promise<void>;
  /** Changes what is shown of a layer; false: it cannot be read, or another change was asked for since. */
  change<Word extends LayerWord>(word: Word, wanted: WantedOf<Word>): Promise<boolean>;
  /** Current settings, tables and state of a layer; undefined: it was not read. */
  info<Word extends LayerWord>(word: Word): InfoOf<Word> | undefined;
  /** Finds what a layer could show. */
  find<Word extends LayerWord>(word: Word): Promise<FoundOf<Word> | undefined>;
  /** History of a layer's rows on a host; undefined: there is none. */
  history(word: string, host: number): HistoryQuery | undefined;
  /** Interval of a layer's row at a time, or the one before or after it; undefined: the row belongs to no layer. */
  interval(row: string, timeNs: DisplayNs, step?: -1 | 0 | 1): Promise<IntervalInfo | undefined> | undefined;
}
