/** Says which events a statistic lacks, with the command that records them. */
import { CopyButton } from '../controls/copy-button.tsx';

interface MissingEventsProps {
  /** First names of what is missing. */
  readonly missing: readonly string[];
  /** What cannot be told without them. */
  readonly what: string;
}

/** In place of a table: nothing can be told. */
export function MissingEvents({ missing, what }: MissingEventsProps) {
  const command = recordingCommand(missing);
  return (
    <div class="empty-state">
      <h3>Not recorded</h3>
      <p>
        {what} Missing: <span class="mono">{missing.join(', ')}</span>. Before the next recording:
      </p>
      <p class="command-line">
        <code class="mono">{command}</code>
        <CopyButton title="Copy" text={() => command} />
      </p>
    </div>
  );
}

/** Below a table: a part cannot be told. */
export function MissingNote({ missing, what }: MissingEventsProps) {
  const command = recordingCommand(missing);
  return (
    <p class="missing-note">
      <span class="ellipsis" title={command}>
        {what} Not recorded: <span class="mono">{missing.join(', ')}</span>
      </span>
      <CopyButton title="Copy the command" text={() => command} />
    </p>
  );
}

/** The events that belong to one that is missing: each tells nothing without the others. */
const PARTNERS: Readonly<Record<string, readonly string[]>> = {
  sched_waking: ['sched_waking', 'sched_wakeup', 'sched_wakeup_new'],
  irq_handler_entry: ['irq_handler_entry', 'irq_handler_exit'],
  irq_softirq_entry: ['irq_softirq_entry', 'irq_softirq_exit'],
  timer_hrtimer_expire_entry: ['timer_hrtimer_expire_entry', 'timer_hrtimer_expire_exit'],
};

/** The command of LTTng that records events, given by their first names. */
export function recordingCommand(missing: readonly string[]): string {
  if (missing.some((name) => name.startsWith('syscall_')))
    return 'lttng enable-event --kernel --syscall --all';
  return `lttng enable-event --kernel ${missing.flatMap((name) => PARTNERS[name] ?? [name]).join(',')}`;
}
