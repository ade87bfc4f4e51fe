/** Questions that the open trace answers, and how to record what it lacks. */
import './recording.css';
import type { HostInfo } from '../../engine/protocol/session.ts';
import { useApp } from '../context/app-context.ts';
import { Icon } from '../controls/icon.tsx';
import { hasStacks } from '../experiment/stack-rows.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { hostName } from '../format/text.ts';
import { type AnsweredQuestion, answeredQuestions, RECORDED_NEEDS } from './answered.ts';

export function TraceAnswers({ hosts }: { readonly hosts: readonly HostInfo[] }) {
  const { session, experiment, dialog } = useApp();
  const recorded = useLiveAnswer(
    () => experiment.info.value?.hosts.length,
    async (_, signal) => ({
      events: await session.ask('recorded', { needs: RECORDED_NEEDS }, { signal }),
      overlays: await session.ask('overlays', {}, { signal }),
    }),
  );
  const { events = [], overlays } = recorded.value ?? {};
  if (events.length === 0) return null;
  const answered = answeredQuestions(events, {
    hasKernel: experiment.info.value?.hasKernel === true,
    hasStacks: hasStacks(experiment.rows.value),
    hasPairs: (overlays?.suggestions.length ?? 0) > 0,
  });
  const lacking = answered.filter(({ missing }) => missing.length > 0).map(({ id }) => id);
  return (
    <section class="answers" aria-label="What this trace answers">
      <h3>What this trace answers</h3>
      <ul>
        {answered.map((each) => (
          <Answered key={each.id} hosts={hosts} {...each} />
        ))}
      </ul>
      {lacking.length > 0 && (
        <div class="line">
          <button
            class="button outlined"
            onClick={() => (dialog.value = { kind: 'recording', asked: lacking })}
          >
            How to record what is missing
          </button>
        </div>
      )}
    </section>
  );
}

function Answered({
  question,
  where,
  missing,
  notOn,
  hosts,
}: AnsweredQuestion & { hosts: readonly HostInfo[] }) {
  const isAnswered = missing.length === 0;
  return (
    <li class={isAnswered ? '' : 'muted'}>
      <Icon name={isAnswered ? 'check' : 'close'} />
      <span>{question}</span>
      <span class="faint">
        {!isAnswered ? (
          <>
            not recorded: <span class="mono">{missing.join(', ')}</span>
          </>
        ) : (
          where +
          (notOn.length > 0 ? `, not on ${notOn.map((host) => hostName(hosts, host)).join(', ')}` : '')
        )}
      </span>
    </li>
  );
}
