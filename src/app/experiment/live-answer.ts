/** The session's latest answer to a question that changes while it is being answered, as when a range is dragged. */
import { signal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

/** How a question is asked; the signal is aborted when nobody waits for the answer any more. */
type Ask<Question, Answer> = (question: Question, signal: AbortSignal) => Promise<Answer>;

/**
 * Asks whenever the signals that `question` reads change, one question at a time: those in between are passed over.
 * Keeps the old answer until the new one is there.
 */
export function useLiveAnswer<Question, Answer>(
  question: () => Question,
  ask: Ask<Question, Answer>,
): ReadonlySignal<Answer | undefined> {
  const { answer, put, end } = useMemo(() => createLiveAnswer(ask), []);
  useSignalEffect(() => put(question()));
  useEffect(() => end, []);
  return answer;
}

interface LiveAnswer<Question, Answer> {
  readonly answer: ReadonlySignal<Answer | undefined>;
  put(question: Question): void;
  /** Gives up what is being asked, and asks no more. */
  end(): void;
}

export function createLiveAnswer<Question, Answer>(ask: Ask<Question, Answer>): LiveAnswer<Question, Answer> {
  const answer = signal<Answer | undefined>(undefined);
  const ending = new AbortController();
  let busy = false;
  let next: { readonly question: Question } | undefined;
  const work = async (question: Question): Promise<void> => {
    busy = true;
    try {
      const found = await unlessAborted(ask(question, ending.signal), ending.signal);
      if (!ending.signal.aborted) answer.value = found;
    } finally {
      // Whatever became of this one: the next is asked.
      busy = false;
      if (next !== undefined) put(next.question);
    }
  };
  const put = (question: Question) => {
    if (ending.signal.aborted) return;
    next = busy ? { question } : undefined;
    if (!busy) void work(question);
  };
  return { answer, put, end: () => ending.abort() };
}

/** The answer; undefined where it failed after nobody waited for it any more. */
export async function unlessAborted<Answer>(
  answer: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}
