/** The Selection tab: the selected interval, the focused row, the selected range. */
import { TextButton } from '../controls/button.tsx';
import './selection.css';
import { type ReadonlySignal, useComputed } from '@preact/signals';
import type { StackAtEnd } from '../../engine/protocol/profile.ts';
import type { IntervalInfo } from '../../engine/protocol/rows.ts';
import { firstName } from '../../engine/trace/event-kinds.ts';
import { useApp } from '../context/app-context.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { shortFunction, sourceText } from '../format/function-name.ts';
import { formatDuration, formatShare } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import type { LocksPage } from '../locks/locks-page.ts';
import { IntervalDetails, RangePairs } from './interval-details.tsx';
import { MissingEvents } from '../recording/missing-events.tsx';
import { Pair } from '../controls/pair.tsx';
import { detailedRow, RowDetails } from './row-details.tsx';
import { rowById, type TimeRange, type ViewModel } from '../timeline/timeline.tsx';

export function SelectionPanel(page: LocksPage) {
  const { view, path } = page;
  const { experiment } = useApp();
  const selected = view.selected.value;
  const wait = useComputed(() => {
    const { kind, info } = view.selected.value ?? {};
    return kind === 'interval' ? info : undefined;
  });
  const range = view.range.value;
  const row = selected && rowById(experiment.rows.value, selected.row);
  const hasKernel = experiment.info.value?.hasKernel ?? true;
  const focused = detailedRow(experiment.rows.value, view);
  const isEmpty = selected === undefined && range === undefined;
  return (
    <div class="selection">
      {selected?.info !== undefined && row !== undefined && (
        <IntervalDetails view={view} path={path} interval={selected.info} row={row} />
      )}
      <StacksOfWait wait={wait} />
      {focused !== undefined && <RowDetails key={focused.id} page={page} row={focused} />}
      {range !== undefined && <RangeDetails view={view} range={range} />}
      {isEmpty && !hasKernel && (
        <MissingEvents
          missing={[firstName('switch'), firstName('waking')]}
          what="This trace has no kernel events, so what threads did and waited for is not known."
        />
      )}
      {isEmpty && focused === undefined && hasKernel && (
        <div class="empty-state">
          <h3>Nothing is selected</h3>
          <p>
            Click an interval on the timeline to see what it is, who ended it, and what came before and after.
            Drag on the ruler to select a range; the statistics then cover it alone.
          </p>
        </div>
      )}
    </div>
  );
}

function RangeDetails({ view, range }: { readonly view: ViewModel; readonly range: TimeRange }) {
  const { drawer } = useApp();
  const length = range.to - range.from;
  const all = view.extent.value;
  return (
    <section class="selection-part" aria-label="Range">
      <header class="selection-head">
        <h3>
          Range of <span class="nowrap">{formatDuration(length)}</span>
        </h3>
        <TextButton class="button outlined" text="Fit" onClick={() => view.setRange(range)} />
        <TextButton text="Clear" onClick={() => view.selectRange(undefined)} />
      </header>
      <dl class="pairs">
        <RangePairs view={view} range={range} />
        <Pair name="Share">{formatShare(length / (all.to - all.from))} of the trace</Pair>
      </dl>
      <p>
        <TextButton class="link" text="Statistics of this range" onClick={() => drawer.show('statistics')} />
      </p>
    </section>
  );
}

interface StacksOfWaitProps {
  /** The selected wait, if one is selected. */
  readonly wait: ReadonlySignal<IntervalInfo | undefined>;
}

/** The call stacks at both ends of a wait, where the trace has them. */
function StacksOfWait({ wait }: StacksOfWaitProps) {
  const { session, experiment } = useApp();
  const answer = useLiveAnswer(
    () => {
      // Asked again when rows come: stacks come with them, and new names of frames.
      void experiment.rows.value;
      return wait.value;
    },
    async (asked, signal) => {
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
