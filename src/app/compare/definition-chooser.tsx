/** Chooser of the executions that are compared: kinds that the trace suggests, or two events that the reader names. */
import { TextButton } from '../controls/button.tsx';
import { useComputed, useSignal } from '@preact/signals';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import type { ExecutionDefinition } from '../../engine/layers/executions/definition.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { parseTime } from '../format/time-entry.ts';
import '../layers/layers.css';
import { Check, Checks, Mistake, Names, TextField } from '../layers/fields.tsx';
import { fieldsOf } from '../overlays/overlay-choice.ts';
import { Bars } from '../widgets/histogram/brushed-histogram.tsx';
import type { CompareState } from './compare-state.ts';
import { definitionMistake, definitionText, proposalText } from './definition-words.ts';
import { durationBins } from './metric-columns.ts';

const EVENT_NAMES = 'execution-events';
const PROCESS_NAMES = 'execution-processes';
const RECORD = "lttng enable-event --userspace 'app:request_begin,app:request_end'";

interface ChooserProps {
  readonly compare: CompareState;
  onChoose(definition: ExecutionDefinition): void;
}

export function DefinitionChooser({ compare, onChoose }: ChooserProps) {
  const { session } = useApp();
  // Asked only when the chooser is shown, since events are read for it.
  const proposed = useLiveAnswer(
    () => compare.overlays.value,
    (known, signal) => (known === undefined ? undefined : session.ask('executionProposals', {}, { signal })),
  );
  const proposals = proposed.value;
  return (
    <div class="compare-chooser">
      <p class="muted">
        An execution is what a program does between two of its events: a request, a frame, a transaction.
      </p>
      {proposals === undefined && <p>Looking for what the trace suggests</p>}
      {proposals?.length === 0 && (
        <p>
          No two events of this trace are called as a begin and its end are. Name two below, or record some of
          your program: <code>{RECORD}</code> <CopyButton title="Copy" text={() => RECORD} />
        </p>
      )}
      <ul>
        {proposals?.map((proposal) => (
          <li key={JSON.stringify(proposal.definition)}>
            <button onClick={() => onChoose(proposal.definition)}>
              <span>
                <span class="mono">{definitionText(proposal.definition)}</span>
                <span class="muted">{proposalText(proposal)}</span>
              </span>
              <span class="compare-preview">
                <Bars counts={durationBins(proposal.durations)} colour="var(--grp-a)" />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <OwnDefinition events={compare.overlays.value?.events ?? []} onChoose={onChoose} />
    </div>
  );
}

interface OwnDefinitionProps extends Pick<ChooserProps, 'onChoose'> {
  readonly events: readonly EventShape[];
}

function OwnDefinition({ events, onChoose }: OwnDefinitionProps) {
  const begin = useSignal('');
  const end = useSignal('');
  const process = useSignal('');
  const least = useSignal('');
  const key = useSignal<readonly string[]>([]);
  const acrossThreads = useSignal(false);
  const mistake = useSignal<string | undefined>(undefined);
  const { experiment } = useApp();
  const processes = useComputed(() => processNames(experiment.rows.value));
  const fields = fieldsOf(events, begin.value, end.value);
  const submit = (event: Event) => {
    event.preventDefault();
    const minNs = least.value.trim() === '' ? 0 : parseTime(least.value);
    const definition: ExecutionDefinition = {
      begin: begin.value.trim(),
      end: end.value.trim(),
      key: key.value.filter((field) => fields.common.includes(field)),
      acrossThreads: acrossThreads.value,
      where: process.value.trim() === '' ? [] : [{ field: 'process', value: process.value.trim() }],
      minNs: minNs ?? 0,
    };
    mistake.value =
      minNs === undefined || minNs < 0
        ? 'How long at least is a time such as 1 ms.'
        : definitionMistake(definition, events);
    if (mistake.value === undefined) onChoose(definition);
  };
  return (
    <form class="layer-form" onSubmit={submit} aria-label="Other executions">
      <h3>Others</h3>
      <Names id={EVENT_NAMES} names={events.map((event) => event.name)} />
      <TextField title="Begins with" text={begin} list={EVENT_NAMES} placeholder="app:request_begin" />
      <TextField
        title="Ends with"
        text={end}
        list={EVENT_NAMES}
        placeholder="app:request_end, or the first again: a period"
      />
      <Checks title="Same in both" names={fields.common} chosen={key} />
      <Names id={PROCESS_NAMES} names={processes.value} />
      <TextField title="In process" text={process} list={PROCESS_NAMES} placeholder="any: where it begins" />
      <TextField title="At least" text={least} placeholder="1 ms: shorter ones are left out" />
      <Check title="May end in another thread than it began in" isOn={acrossThreads} />
      <Mistake text={mistake.value} />
      <TextButton class="button outlined" text="Compare these" type="submit" />
    </form>
  );
}

/** Names of the processes: a process has the name of its main thread, which may be its only row. */
function processNames(rows: readonly RowInfo[]): string[] {
  return [
    ...new Set(rows.filter(({ pid, tid = pid }) => pid !== undefined && tid === pid).map(({ name }) => name)),
  ];
}
