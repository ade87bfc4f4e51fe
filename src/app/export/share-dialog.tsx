/** Dialog that saves a finding as one file: the current view, the notes, and a part of the trace. */
import { TextButton } from '../controls/button.tsx';
import './export.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Fault } from '../../engine/base/fault.ts';
import type { CutSize } from '../../engine/protocol/export.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { download } from '../browser/download.ts';
import { useApp } from '../context/app-context.ts';
import { Segmented } from '../controls/segmented.tsx';
import { unlessAborted, useLatestAnswer } from '../experiment/live-answer.ts';
import { formatBytes, formatRange, formatShare } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import type { Notes } from '../notes/notes.ts';
import { FaultCard } from '../opening/fault-card.tsx';
import { rangeOf, type ViewModel } from '../timeline/timeline.tsx';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';

interface ShareDialogProps {
  readonly view: ViewModel;
  readonly notes: Notes;
  /** Fragment of the address of the current view, with names or without. */
  link(withoutTexts: boolean): string;
  onClose(): void;
}

const NOT_WRITTEN: Fault = { code: 'file-unreadable', place: {}, found: 'nothing was written' };

export function ShareDialog(props: ShareDialogProps) {
  const { experiment } = useApp();
  const isSideBySide = experiment.info.value?.sideBySide === true;
  const { onClose } = props;
  return (
    <Dialog label="Share this finding" class="share-dialog" onClose={onClose}>
      <DialogHead title="Share this finding" onClose={onClose} />
      {isSideBySide || !experiment.hasFiles.value ? (
        <p class="share-body">
          {isSideBySide
            ? 'Recordings side by side cannot be shared: show them one after the other first.'
            : 'The packets are read from the files of the trace: drop its folder here again to share a part of it.'}
        </p>
      ) : (
        <Finding {...props} />
      )}
    </Dialog>
  );
}

function Finding({ view, notes, link, onClose }: ShareDialogProps) {
  const { session, experiment } = useApp();
  const writing = useSignal<AbortController | undefined>(undefined);
  const share = useSignal(0);
  const fault = useSignal<Fault | undefined>(undefined);
  const isMasked = useSignal(false);
  const choices = choicesOf(view);
  const chosen = useSignal(choices[0].id);
  const { range } = choices.find(({ id }) => id === chosen.value) ?? choices[0];
  const size = useLatestAnswer(
    () => chosen.value,
    async (id, signal) => {
      const asked = choices.find((choice) => choice.id === id) ?? choices[0];
      return { id, size: await session.ask('cutSize', { range: asked.range }, { signal }) };
    },
  );
  useEffect(() => () => writing.peek()?.abort(), []);
  const save = async () => {
    const stop = (writing.value = new AbortController());
    [share.value, fault.value] = [0, undefined];
    const { signal } = stop;
    const withoutTexts = isMasked.peek();
    const request = {
      what: 'finding',
      range,
      link: link(withoutTexts),
      notes: notes.all.peek(),
      withoutTexts,
    } as const;
    const onProgress = (done: number) => void (share.value = done);
    const written = await unlessAborted(session.ask('exported', request, { signal, onProgress }), signal);
    if (signal.aborted) return;
    writing.value = undefined;
    if (written?.file === undefined) fault.value = written?.fault ?? NOT_WRITTEN;
    else {
      download(written.file, `${withoutTexts ? 'finding' : experiment.name.peek()}.wakepath.zip`);
      onClose();
    }
  };
  const known = size.value?.id === chosen.value ? size.value.size : undefined;
  const hosts = experiment.info.value?.hosts.length ?? 1;
  return (
    <>
      <div class="share-body">
        <p>
          One file with this view, {plural(notes.all.value.length, 'note')} and the part of the trace from{' '}
          {formatRange(range.from, range.to)}. Anyone who drops it on this page sees the same.
        </p>
        <Segmented
          label="Part of the trace"
          options={choices}
          chosen={chosen.value}
          onChoose={(id) => (chosen.value = id)}
        />
        <p role="status">
          {known === undefined
            ? 'Looking for what is needed…'
            : `${formatBytes(known.bytes)}${Number.isNaN(known.events) ? '' : ` with ${plural(known.events, 'event')}`} before packing, ${partText(known, experiment.info.value)}.`}
        </p>
        <p>
          It holds whole packets, and the first ones of the trace, which name threads and open files. States
          that began before the part may be unknown in it.
          {hosts > 1 && ' The clocks of the hosts are compared again, by the packets of this part alone.'}
        </p>
        <label>
          <input
            type="checkbox"
            checked={isMasked.value}
            onChange={(event) => (isMasked.value = event.currentTarget.checked)}
          />{' '}
          Leave out names, arguments and the environment
        </label>
        <p>
          {isMasked.value ? (
            'Every recorded text is replaced by another one of the same size; equal texts stay equal. Numbers stay: ids of threads and processes, addresses, sizes, times. Names of events stay, and so do your notes.'
          ) : (
            <>
              <strong>
                The file holds names of programs, threads, files and hosts, with arguments and all else that
                was recorded in that time.
              </strong>{' '}
              Give it only to people who may see that.
            </>
          )}
        </p>
        {fault.value !== undefined && <FaultCard fault={fault.value} />}
      </div>
      <div class="line share-foot">
        <TextButton
          text={writing.value === undefined ? 'Save the file' : `Saving ${formatShare(share.value)}`}
          class="button primary"
          disabled={writing.value !== undefined || known === undefined}
          onClick={() => void save()}
        />
        <TextButton text="Cancel" onClick={onClose} />
      </div>
    </>
  );
}

/** "94 % of the trace" */
function partText({ bytes, events }: CutSize, info: ExperimentInfo | undefined): string {
  if (info === undefined) return 'a part of the trace';
  const share = Number.isNaN(events) ? bytes / info.bytes : events / info.events;
  return share >= 1 ? 'all of the trace' : `${formatShare(share)} of the trace`;
}

/** Ranges to choose from; the selected range, if there is one, comes first. */
function choicesOf(view: ViewModel) {
  const selected = view.range.peek() ?? view.selected.peek();
  const all = view.extent.peek();
  const seen = rangeOf(view.viewport.peek());
  const inView = { from: Math.max(seen.from, all.from), to: Math.min(seen.to, all.to) };
  return [
    ...(selected === undefined
      ? []
      : [{ id: 'selection', title: 'Selection', range: { from: selected.from, to: selected.to } }]),
    { id: 'view', title: 'What is in view', range: inView },
    { id: 'all', title: 'Everything', range: all },
  ];
}
