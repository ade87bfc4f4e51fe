/** Questions that an open trace can answer, by what its hosts recorded. Pure. */
import { matcherOf } from '../../engine/base/glob.ts';
import type { RecordedEvents } from '../../engine/protocol/events.ts';
import { callBegun } from '../../engine/trace/event-kinds.ts';
import { QUESTIONS, type Question } from './questions.ts';

export interface AnsweredQuestion extends Pick<Question, 'id' | 'question' | 'where'> {
  /** Events that no host recorded; empty: it is answered, at least for some hosts. */
  readonly missing: readonly string[];
  /** Hosts for which it is not, where it is for others. */
  readonly notOn: readonly number[];
}

/** Subject of `session.ask('recorded')`: the events of the kernel that each question takes. */
export const RECORDED_NEEDS = QUESTIONS.map(({ kernel }) => kernel);

/** Contents of the open trace that names of events do not say. */
export interface Contents {
  /** States of threads are known. */
  readonly hasKernel: boolean;
  /** There are call stacks, whatever recorded them: contexts of events of the kernel may have them. */
  readonly hasStacks: boolean;
  /** Names of events begin and end pieces of work. */
  readonly hasPairs: boolean;
}

/** @param recorded the answer about `RECORDED_NEEDS` */
export function answeredQuestions(
  recorded: readonly RecordedEvents[],
  { hasKernel, hasStacks, hasPairs }: Contents,
): readonly AnsweredQuestion[] {
  return QUESTIONS.map(({ id, question, where: withKernel, whereAlone, programs, record }, at) => {
    const where = hasKernel ? withKernel : (whereAlone ?? withKernel);
    const isAlone = !hasKernel && whereAlone !== undefined;
    const isThere = id === 'stacks' && hasStacks;
    // Of a server without events of its own the kernel's are taken.
    const needsPairs = id === 'requests' && !hasPairs;
    const lacking = recorded.map(({ host, missing, names }) => ({
      host,
      missing: [
        ...(isAlone ? [] : missing[at]),
        ...((
          needsPairs
            ? !isAlone && names.some((name) => callBegun(name) !== '')
            : isThere || hasAny(names, programs)
        )
          ? []
          : (record.programs ?? []).slice(0, 1)),
      ],
    }));
    const without = lacking.filter(({ missing }) => missing.length > 0);
    const isAnswered = without.length < lacking.length;
    // What one host lacks another may have: the least is missing where it takes the least.
    const least = without.reduce((a, b) => (b.missing.length < a.missing.length ? b : a), without[0]);
    return {
      ...{ id, question, where },
      missing: isAnswered ? [] : (least?.missing ?? []),
      notOn: isAnswered ? without.map(({ host }) => host) : [],
    };
  });
}

function hasAny(names: readonly string[], patterns: readonly string[] | undefined): boolean {
  return patterns === undefined || patterns.map(matcherOf).some((matches) => names.some(matches));
}
