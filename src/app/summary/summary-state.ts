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

export class SummaryState {
  /** Most severe first. */
  readonly findings = signal<readonly Finding[]>([]);
  /** Others that are only added up. */
  readonly rest = signal<readonly RestOfFindings[]>([]);
  /** Sentences about all that was not looked at. */
  readonly leftOut = signal<readonly string[]>([]);
  /** Findings that may be missing, by rule. */
  readonly missed = signal<readonly MissedFindings[]>([]);
  /** Share of the rules that were asked, 0 to 1; undefined: it has not begun. */
  readonly progress = signal<number | undefined>(undefined);
  readonly #session: Pick<SessionApi, 'ask'>;
  readonly #rows: Experiment['rows'];
  readonly #isWanted = signal(false);
  readonly #stop: () => void;
  #asking: AbortController | undefined;
  /** The session knew too little when it was asked. */
  #isEarly = false;

  constructor(
    session: Pick<SessionApi, 'ask'>,
    { rows, progress, hasFiles }: Pick<Experiment, 'rows' | 'progress' | 'hasFiles'>,
  ) {
    this.#session = session;
    this.#rows = rows;
    let asked: boolean | undefined;
    this.#stop = effect(() => {
      // Rows of layers come when these are known.
      void rows.value;
      const files = hasFiles.value;
      if (!this.#isWanted.value || isReading(progress.value)) return;
      // With its files more is known of a kept trace.
      if (asked === files && !this.#isEarly) return;
      asked = files;
      void this.#ask();
    });
  }

  /** Somebody looks at it. */
  want(): void {
    this.#isWanted.value = true;
  }

  dispose(): void {
    this.#stop();
    this.#asking?.abort();
  }

  /** Asks all rules: shown findings stay until all are known again; the first time they are shown as they come. */
  async #ask(): Promise<void> {
    this.#asking?.abort();
    this.#isEarly = false;
    const { signal } = (this.#asking = new AbortController());
    const isFirst = this.progress.peek() === undefined;
    let findings: readonly Finding[] = [];
    const rest: RestOfFindings[] = [];
    const leftOut = new Set<string>();
    const missed: MissedFindings[] = [];
    const show = (share: number) => {
      this.findings.value = findings;
      this.rest.value = [...rest];
      this.leftOut.value = [...leftOut];
      this.missed.value = [...missed];
      this.progress.value = share;
    };
    for (let rule = 0, rules = 1; rule < rules; rule++) {
      const rows = this.#rows.peek();
      const onProgress = (share: number) => {
        if (isFirst && !signal.aborted)
          this.progress.value = (rule + Math.min(share, MOST_OF_A_RULE)) / rules;
      };
      const asked = this.#session.ask('summary', { rule }, { signal, onProgress });
      const answer = await unlessAborted(asked, signal);
      if (signal.aborted) return;
      if (answer === undefined) {
        // What it lacked may have come before its answer: they come by ports of their own.
        if (rows !== this.#rows.peek()) return this.#ask();
        this.#isEarly = true;
        return;
      }
      rules = answer.rules;
      findings = inOrder([...findings, ...answer.findings]);
      if (answer.rest !== undefined) rest.push(answer.rest);
      if (answer.leftOut !== undefined) leftOut.add(answer.leftOut);
      if (answer.missing !== undefined) missed.push(answer.missing);
      if (isFirst || rule + 1 === rules) show((rule + 1) / rules);
    }
  }
}
