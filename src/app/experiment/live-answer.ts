/** Answers of the session to a question that may change while it is being answered, for example while a range is dragged. */
import { signal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

/** Asks a question; the signal is aborted when the answer is not needed any more. */
type Ask<Question, Answer> = (question: Question, signal: AbortSignal) => Promise<Answer> | Answer;

/**
 * Asks whenever the signals that `question` reads change. One question is asked at a time, then the latest one.
 * Keeps the old answer until the new one is there.
 * @param givesUp whether a new question aborts the one that is being asked
 */
export function useLiveAnswer<Question, Answer>(
  question: () => Question,
  ask: Ask<Question, Answer>,
  givesUp = false,
): ReadonlySignal<Answer | undefined> {
  const { answer, put, end } = useMemo(() => createLiveAnswer(ask, givesUp), []);
  useSignalEffect(() => put(question()));
  useEffect(() => end, []);
  return answer;
}

/** Asks as `useLiveAnswer` does, but a new question aborts the one that is being asked, for answers that take long. */
export function useLatestAnswer<Question, Answer>(question: () => Question, ask: Ask<Question, Answer>) {
  return useLiveAnswer(question, ask, true);
}

interface LiveAnswer<Question, Answer> {
  readonly answer: ReadonlySignal<Answer | undefined>;
  put(question: Question): void;
  /** Aborts the question that is being asked, and asks no more. */
  end(): void;
}

/** @param givesUp whether a new question aborts the one that is being asked */
export function createLiveAnswer<Question, Answer>(
  ask: Ask<Question, Answer>,
  givesUp = false,
): LiveAnswer<Question, Answer> {
  const answer = signal<Answer | undefined>(undefined);
  let asking: AbortController | undefined;
  let next: { readonly question: Question } | undefined;
  let isOver = false;
  const work = async (question: Question): Promise<void> => {
    const mine = (asking = new AbortController());
    try {
      const found = await unlessAborted(ask(question, mine.signal), mine.signal);
      if (!mine.signal.aborted) answer.value = found;
    } finally {
      asking = undefined;
      if (next !== undefined) put(next.question);
    }
  };
  const put = (question: Question) => {
    if (isOver) return;
    next = asking === undefined ? undefined : { question };
    if (asking === undefined) void work(question);
    else if (givesUp) asking.abort();
  };
  const end = () => {
    isOver = true;
    asking?.abort();
  };
  return { answer, put, end };
}

/** The answer; undefined if it failed after `signal` was aborted. */
export async function unlessAborted<Answer>(
  answer: Promise<Answer> | Answer,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}
