/** The call stacks at both ends of a wait, where the trace has them. */
import type { ReadonlySignal } from '@preact/signals';
import type { IntervalInfo } from '../../engine/protocol/rows.ts';
import type { StackAtEnd, WaitStacks } from '../../engine/protocol/profile.ts';
import { useApp } from '../context/app-context.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { shortFunction, sourceText } from '../format/function-name.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';

interface StacksOfWaitProps {
  /** Reads a signal: the wait that is selected; undefined: none is. */
  readonly wait: ReadonlySignal<IntervalInfo | undefined>;
}

interface Answered {
  readonly wait: IntervalInfo;
  readonly stacks: WaitStacks | undefined;
}

export function StacksOfWait({ wait }: StacksOfWaitProps) {
  const { session, experiment } = useApp();
  const answer = useLiveAnswer(
    () => {
      // Stacks come with their rows, and again when frames have other names.
      void experiment.rows.value;
      return wait.value;
    },
    async (asked, signal): Promise<Answered | undefined> => {
      if (asked === undefined) return undefined;
      const { row, from } = asked;
      return { wait: asked, stacks: await session.ask('waitStacks', { row, timeNs: from }, { signal }) };
    },
  );
  const { wait: of, stacks } = answer.value ?? {};
  if (stacks === undefined || of === undefined || of !== wait.value) return null;
  return (
    <section class="selection-part wait-stacks" aria-label="Call stacks">
      {stacks.sleeper && <Stack title="Slept in" stack={stacks.sleeper} />}
      {stacks.waker && (
        <Stack title={`Woken by ${visibleText(of.wakerName ?? 'a thread')} in`} stack={stacks.waker} />
      )}
    </section>
  );
}

interface StackProps {
  readonly title: string;
  readonly stack: StackAtEnd;
}

function Stack({ title, stack: { lines, call, ageNs } }: StackProps) {
  return (
    <div>
      <h4>
        {title}
        {ageNs > 0 && <span class="faint"> as recorded {formatDuration(ageNs)} before</span>}
      </h4>
      <ol aria-label={title}>
        {call !== undefined && (
          <li>
            <span class="mono">{visibleText(call)}</span> <span class="faint">system call</span>
          </li>
        )}
        {lines.map(({ text, source, isInlined }, i) => (
          <li key={i} title={visibleText(text)}>
            <span class="mono">{visibleText(shortFunction(text))}</span>{' '}
            {source && <span class="faint nowrap">{sourceText(source)}</span>}
            {isInlined && <span class="faint"> inlined</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}
