/** Measurements of this computer, as lines of a table. Pure. */
import { formatCount, formatShare } from '../format/numbers.ts';

/** Median time of reading what is open. */
export interface ReadingSpeed {
  readonly workers: number;
  readonly ms: number;
}

export interface ComputerSpeed {
  readonly events: number;
  /** Bytes of the events, as they were recorded. */
  readonly bytes: number;
  /** Readings, with the fewest workers first. */
  readonly readings: readonly ReadingSpeed[];
  /** ms from frame to frame while the view moves; none yet. */
  readonly frames: readonly number[];
}

export const HEADINGS = [
  'Workers',
  'Time, ms',
  'Million events/s',
  'MB/s',
  'Speed-up',
  'Efficiency',
] as const;

/** A line for each number of workers. Speed-up and efficiency as against one worker, by wall time (Reumont-Locke et al. 2019). */
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

/** "Frames: 16.7 ms (median), 17.1 ms (95 %)"; '' before they are measured. */
export function frameLine({ frames }: ComputerSpeed): string {
  if (frames.length === 0) return '';
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share: number) => `${sorted[Math.floor(share * (sorted.length - 1))].toFixed(1)} ms`;
  return `Frames while the view moves: ${at(0.5)} apart (median), ${at(0.95)} (95 %)`;
}

/** All of it as Markdown, with the browser and the number of processors that it names. */
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

/** Numbers of workers that are tried: powers of two, and all processors. */
export function workerCounts(processors: number): readonly number[] {
  const counts: number[] = [];
  for (let count = 1; count < processors; count *= 2) counts.push(count);
  return [...counts, processors];
}
