/** Parts that it takes to answer one kind of question about the trace that is open. */
import type { AnswerOf, QueryKind, RequestOf } from '../../protocol/queries.ts';
import type { OpenLayers } from './open-layers.ts';
import type { OpenTrace } from './open-trace.ts';

/** Sources of an answer. */
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
  /** The buffers of the answer belong to the caller: a worker transfers them instead of copying them. */
  readonly isTransferred?: boolean;
}

/** One that may leave `nothing` out: its answer is undefined then. */
export type Answering<Request, Answer> = Omit<Query<Request, Answer>, 'nothing'> &
  Partial<Pick<Query<Request, Answer>, 'nothing'>>;

/** The entry of a kind in the table of queries. */
export type QueryOf<K extends QueryKind> = Answering<RequestOf<K>, AnswerOf<K>> &
  (undefined extends AnswerOf<K> ? unknown : Pick<Query<RequestOf<K>, AnswerOf<K>>, 'nothing'>);

/** The answer to a question while nothing is open. */
export async function nothingOf<Request, Answer>(
  { nothing }: Answering<Request, Answer>,
  request: Request,
): Promise<Answer> {
  return nothing === undefined ? (undefined as Answer) : nothing(request);
}
