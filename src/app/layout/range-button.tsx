/** Button that shows the visible range, and opens a form to type one and to choose how times are written. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { DisplayNs } from '../../engine/base/units.ts';
import { commandsOf } from '../commands/command.ts';
import { useApp } from '../context/app-context.ts';
import { closerOf, Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import { TextButton } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { formatExact, formatRange } from '../format/numbers.ts';
import { parseTime } from '../format/time-entry.ts';
import { rangeOf, type TimeMode, type TimeRange, type ViewModel } from '../timeline/timeline.tsx';

const MODES: readonly { readonly id: TimeMode; readonly title: string }[] = [
  { id: 'relative', title: 'From the begin' },
  { id: 'utc', title: 'UTC' },
  { id: 'local', title: 'Local time' },
];

export function RangeButton({ view }: { readonly view: ViewModel }) {
  const { commands } = useApp();
  const open = useSignal<object | undefined>(undefined);
  const show = () => (open.value = {});
  useEffect(() => {
    const command = commandsOf('Move and zoom')('range', 'Type the range to show…', 'G', show);
    return commands.add([command]);
  }, []);
  // A computed text, so that panning renders no component.
  const text = useComputed(() => {
    const { from, to } = rangeOf(view.viewport.value);
    return formatRange(from, to);
  });
  return (
    <>
      <button class="button outlined range-button" title="Visible range" onClick={show}>
        <Icon name="clock" />
        <span>{text}</span>
      </button>
      {open.value && <RangeForm key={open.value} view={view} onClose={closerOf(open)} />}
    </>
  );
}

function RangeForm({ view, onClose }: { readonly view: ViewModel; onClose(): void }) {
  const visible = rangeOf(view.viewport.peek());
  const from = useSignal(formatExact(visible.from));
  const to = useSignal(formatExact(visible.to));
  const problem = useComputed(() => problemOf(parseTime(from.value), parseTime(to.value), view.extent.value));
  const hasClock = view.timeStyle.value.originNs !== '';

  const submit = (event: Event) => {
    event.preventDefault();
    const [begin, end] = [parseTime(from.value), parseTime(to.value)];
    if (begin === undefined || end === undefined || problem.value !== '') return;
    view.setRange({ from: begin, to: end });
    onClose();
  };
  return (
    <Dialog label="Visible range" onClose={onClose}>
      <DialogHead title="Visible range" onClose={onClose} />
      <form class="range-form" onSubmit={submit}>
        <label>
          From
          <span class="field">
            <input autofocus value={from} onInput={(event) => (from.value = event.currentTarget.value)} />
          </span>
        </label>
        <label>
          To
          <span class="field">
            <input value={to} onInput={(event) => (to.value = event.currentTarget.value)} />
          </span>
        </label>
        <p class={problem.value === '' ? 'faint' : 'bad'} role="status">
          {problem.value ||
            'Time since the first event: 4.2 s, 350 ms, 12 us or 17 ns. A number alone is in seconds.'}
        </p>
        <div class="line">
          <TextButton class="button primary" type="submit" disabled={problem.value !== ''} text="Show" />
          <TextButton
            type="button"
            onClick={() => {
              view.fitAll();
              onClose();
            }}
            text="Show everything"
          />
        </div>
        <div class="range-mode">
          <span class="muted">Times on the ruler</span>
          <Segmented
            label="Times on the ruler"
            options={hasClock ? MODES : MODES.slice(0, 1)}
            chosen={hasClock ? view.timeMode.value : 'relative'}
            onChoose={(mode) => (view.timeMode.value = mode)}
          />
        </div>
      </form>
    </Dialog>
  );
}

function problemOf(from: DisplayNs | undefined, to: DisplayNs | undefined, all: TimeRange): string {
  if (from === undefined) return 'From is no time: 4.2 s, 350 ms, 12 us, 17 ns.';
  if (to === undefined) return 'To is no time: 4.2 s, 350 ms, 12 us, 17 ns.';
  if (from >= to) return 'To must be later than From.';
  const isOutside = to <= all.from || from >= all.to;
  return isOutside ? `The trace has nothing there: it is from ${formatRange(all.from, all.to)}.` : '';
}
