/** Findings of the open trace, asked for rule by rule once reading is over and the tab is shown. */
import { effect, signal } from '@preact/signals';
import { inOrder } from '../../engine/answers/summary/order.ts';
import type { Finding, MissedFindings, RestOfFindings } from '../../engine/protocol/summary.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { unlessAborted } from '../experiment/live-answer.ts';
import { isReading } from '../opening/progress-row.tsx';

/** Largest progress of a rule before its answer comes. */
const MOST_OF_A_RULE = 0.99;

export type SummaryState = ReturnType<typeof createSummaryState>;

export function createSummaryState(
  session: Pick<SessionApi, 'ask'>,
  { rows, progress: reading, hasFiles }: Pick<Experiment, 'rows' | 'progress' | 'hasFiles'>,
) {
  /** Most severe first. */
  const findings = signal<readonly Finding[]>([]);
  /** Sums of further findings. */
  const rest = signal<readonly RestOfFindings[]>([]);
  /** Sentences about what was not examined. */
  const leftOut = signal<readonly string[]>([]);
  /** Findings that may be missing, by rule. */
  const missed = signal<readonly MissedFindings[]>([]);
  /** Share of the rules that were asked, 0 to 1; undefined: it has not begun. */
  const progress = signal<number | undefined>(undefined);
  const isWanted = signal(false);
  let asking: AbortController | undefined;
  /** Whether the session lacked something when it was asked. */
  let isEarly = false;

  /** Asks all rules. The first findings are shown as they come; later, old ones stay until all new ones are known. */
  const ask = async (): Promise<void> => {
    asking?.abort();
    isEarly = false;
    const { signal: stopped } = (asking = new AbortController());
    const isFirst = progress.peek() === undefined;
    let found: readonly Finding[] = [];
    const others: RestOfFindings[] = [];
    const notLookedAt = new Set<string>();
    const missing: MissedFindings[] = [];
    const show = (share: number) => {
      findings.value = found;
      rest.value = [...others];
      leftOut.value = [...notLookedAt];
      missed.value = [...missing];
      progress.value = share;
    };
    for (let rule = 0, rules = 1; rule < rules; rule++) {
      const before = rows.peek();
      const onProgress = (share: number) => {
        if (isFirst && !stopped.aborted) progress.value = (rule + Math.min(share, MOST_OF_A_RULE)) / rules;
      };
      const question = session.ask('summary', { rule }, { signal: stopped, onProgress });
      const answer = await unlessAborted(question, stopped);
      if (stopped.aborted) return;
      if (answer === undefined) {
        // What the session lacked may have come before the answer, by another port.
        if (before !== rows.peek()) return ask();
        isEarly = true;
        return;
      }
      rules = answer.rules;
      found = inOrder([...found, ...answer.findings]);
      if (answer.rest !== undefined) others.push(answer.rest);
      if (answer.leftOut !== undefined) notLookedAt.add(answer.leftOut);
      if (answer.missing !== undefined) missing.push(answer.missing);
      if (isFirst || rule + 1 === rules) show((rule + 1) / rules);
    }
  };
  let asked: boolean | undefined;
  const stop = effect(() => {
    // Asked again when rows of layers come.
    void rows.value;
    const files = hasFiles.value;
    if (!isWanted.value || isReading(reading.value)) return;
    // With its files, more is known of a kept trace.
    if (asked === files && !isEarly) return;
    asked = files;
    void ask();
  });
  return {
    ...{ findings, rest, leftOut, missed, progress },
    /** Called when the tab is shown. */
    want: () => void (isWanted.value = true),
    dispose: () => {
      stop();
      asking?.abort();
    },
  };
}
