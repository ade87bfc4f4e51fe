/** A session's `ask` that answers as a test wants. */
import type { AnswerOf, QueryKind, RequestOf, SessionApi } from '../../../src/workers/session-api.ts';

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
