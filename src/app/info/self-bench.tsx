/** The part of Info that measures this computer with what is open. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { isOver } from '../opening/reading.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import {
  type ComputerSpeed,
  frameLine,
  HEADINGS,
  type ReadingSpeed,
  readingLines,
  speedMarkdown,
  workerCounts,
} from './computer-speed.ts';

/** Readings with each number of workers, of which the median counts, unless one takes longer than is patient. */
const ROUNDS = 3;
const PATIENT_MS = 5000;
const FRAMES = 90;

export function SelfBench({ view }: { readonly view: ViewModel }) {
  const { session, experiment } = useApp();
  const measured = useSignal<ComputerSpeed | undefined>(undefined);
  const doing = useSignal('');
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  const { files, info } = experiment;
  const processors = Math.max(1, navigator.hardwareConcurrency);
  const measure = async () => {
    const { events = 0, bytes = 0 } = info.peek() ?? {};
    const readings: ReadingSpeed[] = [];
    const show = (frames: readonly number[]) =>
      void (measured.value = { events, bytes, readings: [...readings], frames });
    measured.value = undefined;
    // The first reading compiles code.
    doing.value = 'Warming up';
    await session.readingTime(files, 1);
    for (const workers of workerCounts(processors)) {
      doing.value = `Reading with ${workers} of ${processors} workers`;
      const times: number[] = [];
      while (times.length < ROUNDS && (times[0] ?? 0) < PATIENT_MS) {
        if (isGone.current) return;
        const ms = await session.readingTime(files, workers);
        if (ms === undefined) return void (doing.value = 'The files of the trace could not be read again');
        times.push(ms);
      }
      readings.push({ workers, ms: times.sort((a, b) => a - b)[times.length >> 1] });
      show([]);
    }
    doing.value = 'Moving the view';
    show(await framesOf(view));
    doing.value = '';
  };
  const speed = measured.value;
  const isBusy = doing.value !== '' && files.length > 0;
  return (
    <section class="self-bench" aria-label="Speed of this computer">
      <div class="line">
        <h3>Speed of this computer</h3>
        <button
          class="button"
          disabled={isBusy || files.length === 0 || !isOver(experiment.progress.value)}
          onClick={() => void measure()}
        >
          Measure
        </button>
        {speed !== undefined && !isBusy && (
          <CopyButton title="Copy table" text={() => speedMarkdown(speed, navigator.userAgent, processors)} />
        )}
        <span class="faint" role="status">
          {files.length === 0 ? 'Needs the files of the trace: drop its folder here again.' : doing}
        </span>
      </div>
      {speed !== undefined && (
        <>
          <div class="info-streams">
            <table>
              <thead>
                <tr>
                  {HEADINGS.map((heading) => (
                    <th key={heading} class="numeric">
                      {heading}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {readingLines(speed).map((cells) => (
                  <tr key={cells[0]}>
                    {cells.map((cell, column) => (
                      <td key={HEADINGS[column]} class="numeric">
                        {cell}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p class="muted">{frameLine(speed)}</p>
        </>
      )}
      <p class="info-note">
        Reads the open trace again, from its files to all rows and statistics, with one worker and with more;
        no result is kept. A trace of a million events or more tells more than an example.
      </p>
    </section>
  );
}

/** ms between frames while the view moves over the trace and back. */
async function framesOf(view: ViewModel): Promise<number[]> {
  const before = view.viewport.peek();
  view.zoomBy(0.5);
  const times: number[] = [];
  for (let frame = 0; frame <= FRAMES; frame++) {
    view.panBy(frame < FRAMES / 2 ? 0.01 : -0.01);
    times.push(await new Promise<number>((resolve) => requestAnimationFrame(resolve)));
  }
  view.setViewport(before);
  return times.slice(1).map((time, i) => time - times[i]);
}
