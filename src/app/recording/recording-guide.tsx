/** The dialog "How to record a trace": from questions to the commands of a tracer. */
import './recording.css';
import { useSignal } from '@preact/signals';
import { CopyButton } from '../controls/copy-button.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import type { Recorder } from '../../engine/protocol/session.ts';
import { QUESTIONS } from './questions.ts';
import { recordingNotes, recordingPlan, type Span } from './recording-plan.ts';

const RECORDERS: readonly { readonly id: Recorder; readonly title: string }[] = [
  { id: 'perf', title: 'perf' },
  { id: 'trace-cmd', title: 'trace-cmd' },
  { id: 'perfetto', title: 'Perfetto' },
  { id: 'lttng', title: 'LTTng' },
];

const DROPPED: Readonly<Record<Recorder, string>> = {
  perf: 'the file perf.data',
  'trace-cmd': 'the file trace.dat',
  perfetto: 'the file my-trace.pftrace',
  lttng: 'the folder my-trace',
};

const SPANS: readonly { readonly id: Span; readonly title: string }[] = [
  { id: 'while', title: 'While a program runs' },
  { id: 'snapshot', title: 'Keep only the last moments' },
  { id: 'rotation', title: 'For hours' },
];

interface GuideProps {
  /** Ids of the questions that are chosen at first. */
  readonly asked?: readonly string[] | undefined;
  /** Tracer that is chosen at first. */
  readonly recorder?: Recorder | undefined;
  onClose(): void;
}

export function RecordingGuide({ onClose, ...at }: GuideProps) {
  const asked = useSignal<ReadonlySet<string>>(new Set(at.asked ?? ['waits', 'calls']));
  const recorder = useSignal<Recorder>(at.recorder ?? 'perf');
  const chosenSpan = useSignal<Span>('while');
  // Other recorders have only one kind of recording.
  const hasSpans = recorder.value === 'lttng' || recorder.value === 'perf';
  const span = hasSpans ? chosenSpan.value : 'while';
  const toggle = (id: string) => {
    const next = new Set(asked.peek());
    if (!next.delete(id)) next.add(id);
    asked.value = next;
  };
  const plan = recordingPlan(asked.value, span, recorder.value);
  return (
    <Dialog label="How to record a trace" class="recording-guide" onClose={onClose}>
      <DialogHead title="How to record a trace" onClose={onClose} />
      <div class="recording-body">
        <fieldset class="recording-questions">
          <legend>What do you want to know?</legend>
          {QUESTIONS.map(({ id, question, where, note }) => (
            <label key={id}>
              <input type="checkbox" checked={asked.value.has(id)} onChange={() => toggle(id)} />
              <span>{question}</span>
              <span class="faint">{where}</span>
              {asked.value.has(id) && <span class="recording-note muted">{note}</span>}
            </label>
          ))}
        </fieldset>
        <section class="recording-plan" aria-label="Commands">
          <Segmented
            label="Tracer"
            options={RECORDERS}
            chosen={recorder.value}
            onChoose={(id) => (recorder.value = id)}
          />
          {hasSpans && (
            <Segmented
              label="For how long"
              options={SPANS}
              chosen={span}
              onChoose={(id) => (chosenSpan.value = id)}
            />
          )}
          {plan === '' ? (
            <p class="muted">
              {asked.value.size === 0 ? 'Choose a question.' : 'Only LTTng records what answers this.'}
            </p>
          ) : (
            <>
              <pre class="mono" tabIndex={0}>
                {plan}
              </pre>
              <div class="line">
                <CopyButton title="Copy the commands" text={() => plan} />
              </div>
              {recordingNotes(asked.value, span, recorder.value).map((note) => (
                <p key={note} class="muted">
                  {note}
                </p>
              ))}
              <p class="muted">Then drop {DROPPED[recorder.value]} on this page.</p>
            </>
          )}
        </section>
      </div>
    </Dialog>
  );
}
