/** Findings of the open trace: asked for rule by rule when somebody looks, once reading is over. */
import { effect, signal } from '@preact/signals';
import { inOrder } from '../../engine/answers/summary/order.ts';
import type { Finding, MissedFindings, RestOfFindings } from '../../engine/protocol/summary.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { unlessAborted } from '../experiment/live-answer.ts';
import { isReading } from '../opening/progress-row.tsx';

/** Share of a rule that its progress tells at most: it is over with its answer. */
const MOST_OF_A_RULE = 0.99;

export type SummaryState = ReturnType<typeof createSummaryState>;

export function createSummaryState(
  session: Pick<SessionApi, 'ask'>,
  { rows, progress: reading, hasFiles }: Pick<Experiment, 'rows' | 'progress' | 'hasFiles'>,
) {
  /** Most severe first. */
  const findings = signal<readonly Finding[]>([]);
  /** Others that are only added up. */
  const rest = signal<readonly RestOfFindings[]>([]);
  /** Sentences about all that was not looked at. */
  const leftOut = signal<readonly string[]>([]);
  /** Findings that may be missing, by rule. */
  const missed = signal<readonly MissedFindings[]>([]);
  /** Share of the rules that were asked, 0 to 1; undefined: it has not begun. */
  const progress = signal<number | undefined>(undefined);
  const isWanted = signal(false);
  let asking: AbortController | undefined;
  /** The session knew too little when it was asked. */
  let isEarly = false;

  /** Asks all rules: shown findings stay until all are known again; the first time they are shown as they come. */
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
        // What it lacked may have come before its answer: they come by ports of their own.
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
    // Rows of layers come when these are known.
    void rows.value;
    const files = hasFiles.value;
    if (!isWanted.value || isReading(reading.value)) return;
    // With its files more is known of a kept trace.
    if (asked === files && !isEarly) return;
    asked = files;
    void ask();
  });
  return {
    ...{ findings, rest, leftOut, missed, progress },
    /** Somebody looks at it. */
    want: () => void (isWanted.value = true),
    dispose: () => {
      stop();
      asking?.abort();
    },
  };
}
