/** The session's latest answer to a question that changes while it is being answered, as when a range is dragged. */
import { signal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

/**
 * Asks whenever the signals that `question` reads change, one question at a time: those in between are passed over.
 * Keeps the old answer until the new one is there.
 */
export function useLiveAnswer<Question, Answer>(
  question: () => Question,
  ask: (question: Question) => Promise<Answer>,
): ReadonlySignal<Answer | undefined> {
  const { answer, put } = useMemo(() => createLiveAnswer(ask), []);
  useSignalEffect(() => put(question()));
  return answer;
}

interface LiveAnswer<Question, Answer> {
  readonly answer: ReadonlySignal<Answer | undefined>;
  put(question: Question): void;
}

export function createLiveAnswer<Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
): LiveAnswer<Question, Answer> {
  const answer = signal<Answer | undefined>(undefined);
  let busy = false;
  let next: { readonly question: Question } | undefined;
  const work = async () => {
    busy = true;
    while (next !== undefined) {
      const { question } = next;
      next = undefined;
      answer.value = await ask(question);
    }
    busy = false;
  };
  const put = (question: Question) => {
    next = { question };
    if (!busy) void work();
  };
  return { answer, put };
}
