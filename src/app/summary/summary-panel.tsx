/** The Summary tab: what stands out in the trace, each finding with buttons that show it. */
import './summary.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { countedSentences, STATE_KINDS } from '../../engine/words/machine-text.ts';
import { missedWords, restSentence } from '../../engine/answers/summary/order.ts';
import type { Finding, SentencePart } from '../../engine/protocol/summary.ts';
import { WithDamageBanner } from '../context/damage-banner.tsx';
import { Icon } from '../controls/icon.tsx';
import { quantityText, unbroken } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { isReading } from '../opening/progress-row.tsx';
import { type Example, loadExamples } from '../start/examples.ts';
import { PLACES, showPlace, type SummaryPage } from './summary-page.ts';

export function SummaryPanel(page: SummaryPage) {
  const { app, summary } = page;
  useEffect(() => summary.want(), []);
  const example = useExample(app.experiment.trace.value);
  const findings = summary.findings.value;
  const hosts = app.experiment.info.value?.hosts ?? [];
  // The finding that answers the question of an example comes first.
  const answer = example && findings.find(({ rule }) => rule === example.answer);
  const others = findings.filter((finding) => finding !== answer);
  const missed = missedWords(summary.missed.value, hosts);
  const isDone = summary.progress.value === 1;
  return (
    <div class="summary">
      <WithDamageBanner needs={['states', 'signals']} />
      {example && (
        <section aria-label="The question of the example">
          <h3 class="summary-question">{example.question}</h3>
          {answer && (
            <ul class="findings">
              <Line page={page} finding={answer} isAnswer />
            </ul>
          )}
        </section>
      )}
      <section aria-label="What stands out">
        <h3>{answer ? 'What else stands out' : 'What stands out'}</h3>
        <ul class="findings">
          {others.map((finding, i) => (
            <Line key={i} page={page} finding={finding} />
          ))}
        </ul>
        <p class="muted" role="status">
          {isDone ? doneWords(findings.length, others.length) : waitingWords(page)}
        </p>
        {isDone || summary.progress.value === undefined ? null : (
          <progress value={summary.progress.value} aria-label="Looking for what stands out" />
        )}
        {summary.rest.value.length > 0 && (
          <p class="findings-rest">{restSentence(summary.rest.value).map(partOf)}</p>
        )}
        {[...summary.leftOut.value, ...countedSentences(hosts, STATE_KINDS)].map((words) => (
          <p key={words} class="muted">
            {visibleText(words)}
          </p>
        ))}
        {isDone && missed.length > 0 && (
          <details class="muted">
            <summary>Findings may be missing, as events were not recorded</summary>
            {missed.map((words) => (
              <p key={words}>{visibleText(words)}</p>
            ))}
          </details>
        )}
      </section>
    </div>
  );
}

function doneWords(all: number, others: number): string {
  if (all === 0) return 'Nothing stands out. Statistics show where the time of threads and CPUs went.';
  return others === 0 ? 'Nothing else.' : '';
}

function waitingWords({ app }: SummaryPage): string {
  return isReading(app.experiment.progress.value)
    ? 'When the trace is read, what stands out is listed here.'
    : 'Looking for what stands out';
}

interface LineProps {
  readonly page: SummaryPage;
  readonly finding: Finding;
  /** Whether it answers the question of the example. */
  readonly isAnswer?: boolean;
}

function Line({ page, finding, isAnswer = false }: LineProps) {
  const { title, severity, sentence, share, place } = finding;
  return (
    <li class={`finding of-${severity}${isAnswer ? ' answer' : ''}`}>
      <button onClick={() => showPlace(page, place)}>
        <span class="finding-title">
          {severity === 'recording' || severity === 'stuck' ? <Icon name="warning" /> : null}
          {title}
        </span>
        <span class="finding-bar" aria-hidden="true">
          <span style={{ width: `${100 * Math.min(1, share)}%` }} />
        </span>
        <span class="finding-sentence">{sentence.map(partOf)}</span>
        <span class="finding-place">
          {PLACES[place.tab]}
          <Icon name="chevron-right" />
        </span>
      </button>
    </li>
  );
}

function partOf(part: SentencePart, i: number) {
  if (typeof part === 'string') return visibleText(part);
  return <b key={i}>{unbroken(quantityText(part))}</b>;
}

/** The example that a trace is; undefined: none. */
function useExample(trace: string | undefined): Example | undefined {
  const examples = useSignal<readonly Example[]>([]);
  useEffect(() => void loadExamples().then((list) => (examples.value = list)), []);
  return trace === undefined ? undefined : examples.value.find((example) => example.trace === trace);
}
