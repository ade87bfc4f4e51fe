/** A session's `ask` that answers as a test wants. */
import type { AnswerOf, QueryKind, RequestOf } from '../../../src/engine/protocol/queries.ts';
import type { SessionApi } from '../../../src/engine/protocol/session.ts';

/** By kind of question. */
export type Answers = {
  readonly [K in QueryKind]?: (request: RequestOf<K>) => AnswerOf<K> | Promise<AnswerOf<K>>;
};

/** `ask` refuses kinds that `answers` does not have. */
export function answering(answers: Answers): Pick<SessionApi, 'ask'> {
  return {
    async ask(kind, request) {
      const answer = answers[kind];
      if (answer === undefined) throw new Error(`the test has no answer to "${kind}"`);
      return answer(request);
    },
  };
}
