/** List of changes that would help the thread of the shown path, each with the time that it saves by a replay of the range. */
import { useComputed, useSignal } from '@preact/signals';
import { BLOCKED } from '../../engine/graph/path-codes.ts';
import { blockedValue, STATE_BLOCKED_S, STATE_UNKNOWN } from '../../engine/linux/events/values.ts';
import { useApp } from '../context/app-context.ts';
import { useLatestAnswer } from '../experiment/live-answer.ts';
import { DRAW_STYLES } from '../draw/draw-codes.ts';
import { formatCount, formatDuration, formatShare, sentenceText } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import type { PathAnswer } from '../../engine/protocol/paths.ts';
import type {
  WhatIfAnswer,
  WhatIfLane,
  WhatIfLine,
  WhatIfRequest,
  WhatIfTarget,
} from '../../engine/protocol/what-if.ts';
import { changeWords, savingWords } from '../../engine/words/change-words.ts';
import { plain } from '../../engine/words/sentence.ts';
import type { PathState } from './path-state.ts';
import { codeOfPart, STATE_OF_LABEL } from './path-words.ts';

const HALF = 0.5;
/** Largest factor of the slider. */
const MOST_FACTOR = 2;

interface Question extends Pick<WhatIfRequest, 'factor' | 'lockNames' | 'target'> {
  /** Undefined: there is nothing to replay. */
  readonly path: PathAnswer | undefined;
}

export function WhatHelps({ path }: { readonly path: PathState }) {
  const { session } = useApp();
  const factor = useSignal(HALF);
  const chosen = useSignal<WhatIfTarget | undefined>(undefined);
  const question = (): Question => {
    return { path: path.answer.value, factor: factor.value, lockNames: path.lockNames.value };
  };
  const replay = async ({ path: of, ...change }: Question, signal: AbortSignal) => {
    if (of === undefined) return undefined;
    const request = { row: of.row, range: { from: of.from, to: of.to }, ...change };
    return { path: of, ...change, answer: await session.ask('whatIf', request, { signal }) };
  };
  const found = useLatestAnswer(question, replay);
  const then = useLatestAnswer(() => {
    const asked = { ...question(), target: chosen.value };
    return asked.target === undefined ? { ...asked, path: undefined } : asked;
  }, replay);
  const lines = useComputed(() =>
    found.value?.path === path.answer.value ? found.value?.answer : undefined,
  );
  const answer = lines.value;
  const latest = then.value;
  const isLatest =
    latest?.target === chosen.value && latest?.path === path.answer.value && latest?.factor === factor.value;
  const limits = isLatest ? latest?.answer : undefined;
  return (
    <div class="what-helps">
      <label class="what-helps-factor">
        <span>What is changed takes</span>
        <input
          type="range"
          min="0"
          max={MOST_FACTOR}
          step="0.05"
          value={factor.value}
          aria-valuetext={factorWords(factor.value)}
          onInput={({ currentTarget }) => (factor.value = Number(currentTarget.value))}
        />
        <span class="nowrap">{factorWords(factor.value)}</span>
      </label>
      {answer === undefined ? (
        <p class="muted">Replaying</p>
      ) : (
        <>
          {answer.lines.length === 0 && <p class="muted">No single change would save 1 % of this time.</p>}
          <ol>
            {answer.lines.map((line) => (
              <Line
                key={`${line.kind} ${line.name}`}
                line={line}
                length={answer.to - answer.from}
                isChosen={isSame(chosen.value, line)}
                onChoose={() => (chosen.value = isSame(chosen.value, line) ? undefined : line)}
                then={isSame(chosen.value, line) ? limits : undefined}
              />
            ))}
          </ol>
          <p class="faint">
            A model, from careful to hopeful: the order in which locks were got and queues served is kept.
            {answer.leftOut > 0 &&
              ` ${formatCount(answer.leftOut)} signals and stretches of time stay as they were: there are too many.`}
          </p>
        </>
      )}
    </div>
  );
}

function isSame(a: WhatIfTarget | undefined, b: WhatIfTarget): boolean {
  return a?.kind === b.kind && a.name === b.name;
}

/** "no time", "50 % of its time", "1.50 times as long". */
function factorWords(factor: number): string {
  if (factor === 0) return 'no time';
  return factor <= 1 ? `${Math.round(100 * factor)} % of its time` : `${factor.toFixed(2)} times as long`;
}

interface LanesProps {
  readonly now: WhatIfLane;
  readonly then: WhatIfLane;
  /** Length after the change by the optimistic replay, ns. */
  readonly hopeful: number;
}

/** The path, and below it the one after the change, at one scale. */
function Lanes({ now, then, hopeful }: LanesProps) {
  const longest = Math.max(now.length, then.length, hopeful, 1);
  const share = (ns: number): string => `${(100 * ns) / longest}%`;
  const lane = (title: string, { length, segments }: WhatIfLane, mark?: number) => (
    <>
      <span>{title}</span>
      <div class="what-helps-lane" role="img" aria-label={`${title}: path of ${formatDuration(length)}`}>
        {segments.map(({ worker, text, isOwn, label, cause, from, to }) => (
          <span
            key={from}
            data-own={isOwn}
            title={`${visibleText(`${worker} ${text}`)}, ${formatDuration(to - from)}`}
            style={{ width: share(to - from), '--state': colourOf(label, cause) }}
          >
            {to - from > NAMED_SHARE * longest && visibleText(worker)}
          </span>
        ))}
        {mark !== undefined && <i style={{ left: share(mark) }} title={`Hopeful: ${formatDuration(mark)}`} />}
      </div>
      <span class="nowrap">{formatDuration(length)}</span>
    </>
  );
  return (
    <div class="what-helps-lanes">
      {lane('Now', now)}
      {lane('Then', then, hopeful < then.length ? hopeful : undefined)}
    </div>
  );
}

/** Share of a lane from which on a segment shows the name of its worker. */
const NAMED_SHARE = 0.12;

/** Colour of the state of a segment; CSS. */
function colourOf(label: number, cause: number): string {
  const value =
    label === BLOCKED ? blockedValue(STATE_BLOCKED_S, cause, -1) : (STATE_OF_LABEL[label] ?? STATE_UNKNOWN);
  return `var(--st-${DRAW_STYLES[codeOfPart(value)].token})`;
}

interface LineProps {
  readonly line: WhatIfLine;
  /** ns of the range. */
  readonly length: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly then: WhatIfAnswer | undefined;
}

function Line({ line, length, isChosen, onChoose, then }: LineProps) {
  const { saved, gone } = line;
  const words = visibleText(sentenceText(plain(changeWords(line))));
  const title = `${words} takes ${formatDuration(line.ns)} in all; gone: ${savingWords(gone)}`;
  const [low, high] = [Math.min(saved.careful, saved.hopeful), Math.max(saved.careful, saved.hopeful)];
  const percent = (ns: number): number => Math.min(100, (100 * Math.abs(ns)) / Math.max(1, length));
  const from = low < 0 ? percent(high) : percent(low);
  const to = low < 0 ? percent(low) : percent(high);
  return (
    <li>
      <button aria-expanded={isChosen} title={title} onClick={onChoose}>
        <span class="ellipsis">{words}</span>
        <span class="what-helps-bar" data-longer={low < 0}>
          <span style={{ width: `${from}%` }} />
          <span style={{ width: `${to - from}%` }} />
        </span>
        <span class="nowrap">{savingWords(saved)}</span>
      </button>
      {isChosen && <p class="muted">{then === undefined ? 'Replaying' : limitWords(then)}</p>}
      {isChosen && then?.lanes !== undefined && (
        <Lanes {...then.lanes} hopeful={then.to - then.from - (then.lines.at(0)?.saved.hopeful ?? 0)} />
      )}
    </li>
  );
}

/** Text of the time after the change, by the pessimistic replay, and of what most of it is. */
function limitWords({ from, to, lines, limits }: WhatIfAnswer): string {
  const left = to - from - (lines.at(0)?.saved.careful ?? 0);
  const most = limits
    .slice(0, 2)
    .map(({ text, ns }) => `${visibleText(text)} (${formatShare(ns / Math.max(1, left))})`);
  return `Then ${formatDuration(left)}${most.length === 0 ? '' : `, most of it: ${most.join(', ')}`}.`;
}
