/** Note that names the events that a statistic lacks, with the command that records them. */
import type { ComponentChildren } from 'preact';
import type { Recorder } from '../../engine/protocol/session.ts';
import { namesFor, recorderOf, recordingCommand } from '../../engine/words/recording-commands.ts';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';

interface MissingEventsProps {
  /** Names of missing events, the main ones first. */
  readonly missing: readonly string[];
  /** Sentence that says what is not known without them. */
  readonly what: string;
}

function useRecorder(): Recorder {
  return recorderOf(useApp().experiment.info.value?.hosts ?? []);
}

/** Note in place of a table. */
export function MissingEvents({ missing, what }: MissingEventsProps) {
  const recorder = useRecorder();
  const command = recordingCommand(missing, recorder);
  return (
    <div class="empty-state">
      <h3>Not recorded</h3>
      <p>
        {what} Missing: <span class="mono">{namesFor(recorder, missing).join(', ')}</span>. Before the next
        recording:
      </p>
      <p class="command-line">
        <code class="mono">{command}</code>
        <CopyButton title="Copy" text={() => command} />
      </p>
    </div>
  );
}

/** A table, with a note below it if a part is not known. */
export function WithMissingNote({
  children,
  ...lacking
}: MissingEventsProps & { readonly children: ComponentChildren }) {
  return (
    <div class="with-note">
      {children}
      <MissingNote {...lacking} />
    </div>
  );
}

function MissingNote({ missing, what }: MissingEventsProps) {
  const recorder = useRecorder();
  const names = namesFor(recorder, missing);
  if (names.length === 0) return null;
  const command = recordingCommand(missing, recorder);
  return (
    <p class="missing-note">
      <span class="ellipsis" title={command}>
        {what} Not recorded: <span class="mono">{names.join(', ')}</span>
      </span>
      <CopyButton title="Copy the command" text={() => command} />
    </p>
  );
}
