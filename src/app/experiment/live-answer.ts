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
  const work = async (question: Question): Promise<void> => {
    busy = true;
    try {
      answer.value = await ask(question);
    } finally {
      // Whatever became of this one: the next is asked.
      busy = false;
      if (next !== undefined) put(next.question);
    }
  };
  const put = (question: Question) => {
    next = busy ? { question } : undefined;
    if (!busy) void work(question);
  };
  return { answer, put };
}
