/** Questions that the open trace answers, and how to record what it lacks. */
import { TextButton } from '../controls/button.tsx';
import './recording.css';
import type { HostInfo, Recorder } from '../../engine/protocol/session.ts';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { hasStacks } from '../experiment/stack-rows.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { namesFor } from '../../engine/words/recording-commands.ts';
import { hostName, visibleText } from '../format/text.ts';
import { type AnsweredQuestion, answeredQuestions, RECORDED_NEEDS, QUESTIONS } from './questions.ts';

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
  const { recorder } = hosts[0];
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
          <Answered key={each.id} hosts={hosts} {...each} missing={namesIn(recorder, each)} />
        ))}
      </ul>
      <Lacks hosts={hosts} />
      {lacking.length > 0 && (
        <div class="line">
          <TextButton
            text="How to record what is missing"
            class="button outlined"
            onClick={() => (dialog.value = { kind: 'recording', asked: lacking, recorder })}
          />
        </div>
      )}
    </section>
  );
}

/** Names of the missing events in the recorder's terms. */
function namesIn(recorder: Recorder, { id, missing }: AnsweredQuestion): readonly string[] {
  const { others } = QUESTIONS.find((each) => each.id === id)?.record ?? {};
  if (others === undefined || missing.length === 0) return missing;
  return id === 'stacks' && recorder === 'perf' ? ['-g'] : namesFor(recorder, missing);
}

/** Events and options that recorders other than LTTng did not use, each with its command. */
function Lacks({ hosts }: { readonly hosts: readonly HostInfo[] }) {
  const found = hosts.flatMap(({ name, lacks }) => lacks.map((lack) => ({ host: name, ...lack })));
  if (found.length === 0) return null;
  return (
    <>
      <h3>What it lacks</h3>
      <ul class="lacks">
        {found.map(({ host, what, without, command }) => (
          <li key={`${host} ${what}`}>
            <span>
              {hosts.length > 1 && `${visibleText(host)}: `}
              <span class="mono">{what}</span> <span class="muted">{without}</span>
            </span>
            <code class="mono faint">{command}</code>
            <CopyButton title="Copy" text={() => command} />
          </li>
        ))}
      </ul>
    </>
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
