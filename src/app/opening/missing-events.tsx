/** Says which events a statistic lacks, with the command that records them. */
import type { ComponentChildren } from 'preact';
import { type EventKind, firstName, isKind } from '../../engine/trace/event-kinds.ts';
import { CopyButton } from '../controls/copy-button.tsx';

interface MissingEventsProps {
  /** First names of what is missing. */
  readonly missing: readonly string[];
  /** Sentence on what is not known without them. */
  readonly what: string;
}

/** Note in place of a table: nothing is known. */
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

/** A table, with a note below it where a part is not known. */
export function WithMissingNote({
  children,
  ...told
}: MissingEventsProps & { readonly children: ComponentChildren }) {
  return (
    <div class="with-note">
      {children}
      {told.missing.length > 0 && <MissingNote {...told} />}
    </div>
  );
}

function MissingNote({ missing, what }: MissingEventsProps) {
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

/** The events that belong to one that is missing: each says nothing without the others. */
const PARTNERS: readonly (readonly EventKind[])[] = [
  ['waking', 'wakeup', 'wakeup-new'],
  ['irq-entry', 'irq-exit'],
  ['softirq-entry', 'softirq-exit'],
  ['hrtimer-entry', 'hrtimer-exit'],
];

/** The commands of LTTng that record events, given by their first names. @internal */
export function recordingCommand(missing: readonly string[]): string {
  const isCall = (name: string): boolean => isKind('syscall-entry', name) || isKind('syscall-exit', name);
  const partners = (name: string) => PARTNERS.find(([first]) => isKind(first, name))?.map(firstName);
  const others = missing.filter((name) => !isCall(name)).flatMap((name) => partners(name) ?? [name]);
  const commands = [
    ...(missing.some(isCall) ? ['lttng enable-event --kernel --syscall --all'] : []),
    ...(others.length > 0 ? [`lttng enable-event --kernel ${others.join(',')}`] : []),
  ];
  return commands.join(' && ');
}
