/** The part of Info that measures this computer with what is open. */
import { TextButton } from '../controls/button.tsx';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { formatCount, formatShare } from '../format/numbers.ts';
import { isOver } from '../opening/reading.ts';
import type { ViewModel } from '../timeline/timeline.tsx';

/** Readings with each number of workers, of which the median is shown; fewer if one takes longer than `PATIENT_MS`. */
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
    // The first reading compiles code and is not counted.
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
        <TextButton
          text="Measure"
          disabled={isBusy || files.length === 0 || !isOver(experiment.progress.value)}
          onClick={() => void measure()}
        />
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

/** Median time of reading what is open. */
interface ReadingSpeed {
  readonly workers: number;
  readonly ms: number;
}

interface ComputerSpeed {
  readonly events: number;
  /** Recorded bytes of the events. */
  readonly bytes: number;
  /** Readings, fewest workers first. */
  readonly readings: readonly ReadingSpeed[];
  /** ms between frames while the view moves; empty until measured. */
  readonly frames: readonly number[];
}

const HEADINGS = ['Workers', 'Time, ms', 'Million events/s', 'MB/s', 'Speed-up', 'Efficiency'] as const;

/** A line for each number of workers, with speed-up and efficiency against one worker by wall time (Reumont-Locke et al. 2019). @internal */
export function readingLines({ events, bytes, readings }: ComputerSpeed): readonly (readonly string[])[] {
  const one = readings.find(({ workers }) => workers === 1);
  return readings.map(({ workers, ms }) => {
    const speedUp = one === undefined ? NaN : one.ms / ms;
    return [
      String(workers),
      ms.toFixed(0),
      (events / ms / 1e3).toFixed(2),
      (bytes / ms / 1e3).toFixed(1),
      speedUp.toFixed(2),
      formatShare(speedUp / workers),
    ];
  });
}

/** "Frames: 16.7 ms (median), 17.1 ms (95 %)"; '' before they are measured. @internal */
export function frameLine({ frames }: ComputerSpeed): string {
  if (frames.length === 0) return '';
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share: number) => `${sorted[Math.floor(share * (sorted.length - 1))].toFixed(1)} ms`;
  return `Frames while the view moves: ${at(0.5)} apart (median), ${at(0.95)} (95 %)`;
}

/** The results as Markdown, with the browser and the number of processors that it reports. @internal */
export function speedMarkdown(speed: ComputerSpeed, browser: string, processors: number): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `Wakepath reads ${formatCount(speed.events)} events. ${processors} processors; ${browser}`,
    '',
    line(HEADINGS),
    line(HEADINGS.map(() => '---:')),
    ...readingLines(speed).map(line),
    '',
    frameLine(speed),
  ].join('\n');
}

/** Numbers of workers to measure: powers of two, and all processors. @internal */
export function workerCounts(processors: number): readonly number[] {
  const counts: number[] = [];
  for (let count = 1; count < processors; count *= 2) counts.push(count);
  return [...counts, processors];
}
