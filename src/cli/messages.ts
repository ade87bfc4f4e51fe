/** Messages on stderr: faults, progress, timing. */
import type { RunOutcome, RunProgress } from '../engine/analysis/driver.ts';
import { faultText } from '../engine/base/fault-text.ts';
import { type Fault, isWarning } from '../engine/base/fault.ts';
import type { OpenTrace } from '../engine/answers/context/open-trace.ts';
import { printError, rewriteLine, sentenceText } from './output.ts';

/** Exit codes (docs/inspect.md). */
const EXIT_FINE = 0;
const EXIT_WARNED = 1;
export const EXIT_REFUSED = 2;
export const EXIT_FAILED = 3;

/** Prints faults and gives the exit code that they mean: refused where reading stopped, else warned under --strict. */
export function reportFaults(faults: readonly Fault[], strict: boolean): number {
  // Its own lines are ends of lines, and what comes from the trace has none.
  for (const line of faults.flatMap((fault) => faultText(fault).split('\n'))) printError(line);
  if (faults.some((fault) => !isWarning(fault))) return EXIT_REFUSED;
  return faults.length > 0 && strict ? EXIT_WARNED : EXIT_FINE;
}

/** Prints what `summary` says of losses, by which the numbers of other commands are too low. */
export async function reportLosses({ trace }: { readonly trace: OpenTrace }): Promise<void> {
  const { discardedEvents, discardedPackets } = trace.recorded();
  if (discardedEvents + discardedPackets === 0) return;
  const { lossSentences } = await import('../engine/answers/summary/summary.ts');
  for (const sentence of await lossSentences({ trace })) printError(sentenceText(sentence));
}

/** Contents of a line of progress. */
type Shown = Pick<RunProgress, 'bytes' | 'totalBytes' | 'events' | 'seconds'>;

/** Time between two lines of progress, ms. */
const PROGRESS_MS = 100;

/** A line that rewrites itself; nothing where stderr is no terminal. */
export function createProgressLine(): { show(progress: Shown): void; clear(): void } {
  let shown = 0;
  return {
    show({ bytes, totalBytes, events, seconds }) {
      const now = performance.now();
      if (!process.stderr.isTTY || now - shown < PROGRESS_MS) return;
      shown = now;
      const share = totalBytes === 0 ? 1 : bytes / totalBytes;
      const rate = (value: number): string => (value / 1e6 / Math.max(seconds, 0.001)).toFixed(1);
      const text = `${(share * 100).toFixed(0)} %  ${events} events  ${rate(bytes)} MB/s  ${rate(events)} M events/s`;
      rewriteLine(text);
    },
    clear() {
      if (shown > 0) rewriteLine('');
    },
  };
}

/**
 * Prints what `--timing` asks for: time per stage (ms, summed over workers), shares of busy time, rates, memory.
 * @param workers 0: all was done in this thread
 */
export function printTiming(outcome: RunOutcome, bytes: number, workers: number): void {
  const { times, seconds, events, heldBackMs } = outcome;
  const stages = Object.entries(times).map(([stage, ms]) => `${stage} ${ms.toFixed(0)} ms`);
  printError(`${stages.join(', ')}, total ${(seconds * 1000).toFixed(0)} ms`);
  if (workers > 0) {
    const share = (ms: number): string => `${((ms / (1000 * seconds)) * 100).toFixed(0)} %`;
    const busy = share((times.decode + times.map + times.seal) / workers);
    printError(
      `workers busy ${busy}, merging and reducing ${share(times.reduce)}, chunks held back ${share(heldBackMs)} of the time`,
    );
  }
  const peak = process.resourceUsage().maxRSS / 1024;
  printError(
    `${(events / 1e6 / seconds).toFixed(2)} M events/s, ${(bytes / 1e6 / seconds).toFixed(1)} MB/s, peak memory ${peak.toFixed(0)} MB`,
  );
}
