/** The Path tab: why a thread waited. The answer comes first, then the proof. */
import { IconButton, TextButton } from '../controls/button.tsx';
import './path.css';
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { NO_STATE } from '../../engine/graph/path-codes.ts';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { FlameGraph } from '../widgets/flame/flame-graph.tsx';
import { flameTree, type FlameTree } from '../widgets/flame/flame-tree.ts';
import {
  formatCount,
  formatDuration,
  formatExact,
  formatMs,
  formatRange,
  sentenceText,
  unbroken,
} from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { WithDamageBanner } from '../context/damage-banner.tsx';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { IntervalInfo } from '../../engine/protocol/rows.ts';
import type { PathAnswer, PathSegments } from '../../engine/protocol/paths.ts';
import { DRAW_LOCK } from '../draw/draw-codes.ts';
import { Swatch } from '../draw/swatch.tsx';
import { exactTime, focusRows, rowById, type ViewModel } from '../timeline/timeline.tsx';
import { NoPath } from './no-path.tsx';
import { PathCriteria } from './path-criteria.tsx';
import { pathSentence } from './path-sentence.ts';
import { pathVerdict, type Verdict } from '../../engine/answers/paths/path-owners.ts';
import type { ExplainedPath, PathState } from './path-state.ts';
import { PathTable } from './path-table.tsx';
import { WhatHelps } from './what-helps.tsx';
import { causeOfSegment, codeOfPart, stateOfSegment, wordOfSegment, type StatedPath } from './path-words.ts';

interface PathPanelProps {
  readonly view: ViewModel;
  readonly path: PathState;
}

export function PathPanel({ view, path }: PathPanelProps) {
  const info = useApp().experiment.info.value;
  return path.target.value === undefined || info === undefined ? (
    <NoPath path={path} view={view} />
  ) : (
    <AskedPath path={path} view={view} info={info} />
  );
}

interface AskedPathProps extends PathPanelProps {
  readonly info: ExperimentInfo;
}

function AskedPath({ view, path, info }: AskedPathProps) {
  const answer = path.answer.value;
  const shown = useSignal<'table' | 'proof'>('table');
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const panel = root.current;
    return () => {
      // The focused button may go with the path, so the rows take the focus.
      if (panel?.contains(document.activeElement)) focusRows();
    };
  }, []);
  return (
    <div class="path-panel" data-shown={shown.value} ref={root}>
      <section class="path-answer" aria-label="Answer">
        <WithDamageBanner needs={['states', 'signals']} />
        {answer === undefined ? (
          <NoAnswer path={path} />
        ) : (
          <Answer view={view} path={path} info={info} answer={answer} />
        )}
        {answer !== undefined && (
          <div class="path-actions">
            <TextButton
              text="Fit"
              class="button outlined"
              disabled={answer.from === answer.to}
              onClick={() => view.fit(answer)}
            />
            <Step view={view} direction={-1} />
            <Step view={view} direction={1} />
            <CopyButton title="Copy segments" text={() => pathText(stated(answer, path.explained.value))} />
            <TextButton text="Leave" title="Leave the path" onClick={() => path.leave()} />
            <TextButton
              text={shown.value === 'table' ? 'Show waits' : 'Show times'}
              class="button path-turn"
              onClick={() => (shown.value = shown.value === 'table' ? 'proof' : 'table')}
            />
          </div>
        )}
        <PathCriteria view={view} path={path} answer={answer} />
      </section>
      <section class="path-time" aria-label="Time on the path">
        <PathTable answer={path.explained} info={info} onShow={view.goToSegment} />
      </section>
      <Proof view={view} path={path} answer={answer} />
    </div>
  );
}

const PROOFS = [
  { id: 'waits', title: 'Waits for' },
  { id: 'helps', title: 'What would help' },
] as const;

/** The proof: waits and the longest segments, or changes that would help. */
function Proof({ view, path, answer }: PathPanelProps & { readonly answer: PathAnswer | undefined }) {
  const shown = useSignal<'waits' | 'helps'>('waits');
  return (
    <section class="path-proof" aria-label="Waits for">
      <Segmented label="Shown" options={PROOFS} chosen={shown.value} onChoose={(id) => (shown.value = id)} />
      {shown.value === 'helps' ? (
        <WhatHelps path={path} />
      ) : (
        <>
          <WaitsFor path={path} view={view} />
          {answer !== undefined && (
            <LongestSegments answer={stated(answer, path.explained.value)} view={view} />
          )}
        </>
      )}
    </section>
  );
}

function NoAnswer({ path }: { readonly path: PathState }) {
  if (!path.isUnknown.value) return <p class="muted">Following the path</p>;
  const { text = 'Nothing is known of this thread.', command = '' } =
    path.hindranceOf(path.criterion.value) ?? {};
  return (
    <>
      <Missing text={text} command={command} />
      <div class="path-actions">
        <TextButton text="Leave path" onClick={() => path.leave()} />
      </div>
    </>
  );
}

function Answer({ view, path, info, answer }: AskedPathProps & { readonly answer: PathAnswer }) {
  const own = answer.workers.findIndex(({ row }) => row === answer.row);
  const name = answer.workers[own]?.label ?? 'the thread';
  const length = formatDuration(answer.to - answer.from);
  const explained = path.explained.value;
  const wait = path.interval.value;
  const blocked = wait?.causeText !== undefined;
  const where = wait?.isCall ? ` in ${visibleText(wait.stateText)}` : '';
  return (
    <>
      <header class="path-title">
        <h3>
          {blocked ? 'Why did ' : 'Where did the time of '}
          {visibleText(name)}
          {blocked ? ' wait ' : `${where} go? `}
          <span class="nowrap">{length}</span>
          {blocked && '?'}
        </h3>
      </header>
      {explained === undefined ? (
        <p class="muted">Adding up its time</p>
      ) : (
        <>
          <VerdictLine path={explained} info={info} />
          <Sentence path={explained} wait={wait} view={view} />
        </>
      )}
      {answer.missing.map((missing) => (
        <Missing key={missing.text} {...missing} />
      ))}
    </>
  );
}

function Missing({ text, command }: PathAnswer['missing'][number]) {
  return (
    <p class="path-missing">
      {text}
      {command !== '' && (
        <>
          {' '}
          <code>{command}</code> <CopyButton title="Copy" text={() => command} />
        </>
      )}
    </p>
  );
}

function VerdictLine({ path, info }: { readonly path: ExplainedPath; readonly info: ExperimentInfo }) {
  const verdict = useMemo(() => pathVerdict(path, info.hosts), [path, info]);
  if (verdict === undefined) return null;
  return (
    <p class="path-verdict" title={verdictTitle(verdict)}>
      {unbroken(visibleText(sentenceText(verdict.sentence)))}
    </p>
  );
}

/** Most lines of the title. */
const MOST_LINES = 10;

/** Title with a line for each subject, with all digits. */
function verdictTitle({ subjects }: Verdict): string {
  const shown = subjects.slice(0, MOST_LINES);
  const lines = shown.map(({ name, ns }) => `${formatExact(ns)}  ${visibleText(name)}`);
  const more = subjects.length - MOST_LINES;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

interface SentenceProps {
  readonly path: ExplainedPath;
  readonly wait: IntervalInfo | undefined;
  readonly view: ViewModel;
}

function Sentence({ path, wait, view }: SentenceProps) {
  const own = path.workers.findIndex(({ row }) => row === path.row);
  return (
    <p class="path-sentence">
      {pathSentence(path, own, wait).map(({ text, worker }, i) =>
        worker === undefined ? (
          <span key={i}>{unbroken(text)}</span>
        ) : (
          <button key={i} class="link" onClick={() => view.show(path.workers[worker].row ?? '')}>
            {visibleText(text)}
          </button>
        ),
      )}
    </p>
  );
}

/** The path with its states, if they are known. */
function stated(answer: PathAnswer, explained: ExplainedPath | undefined): StatedPath {
  return explained?.segments === answer.segments ? explained : answer;
}

function Step({ view, direction }: { readonly view: ViewModel; readonly direction: -1 | 1 }) {
  const label = direction < 0 ? 'Previous segment' : 'Next segment';
  return (
    <IconButton
      icon={direction < 0 ? 'arrow-left' : 'arrow-right'}
      label={label}
      title={`${label} (${direction < 0 ? '[' : ']'})`}
      onClick={() => view.stepAlongPath(direction)}
    />
  );
}

function WaitsFor({ path, view }: PathPanelProps) {
  const { experiment } = useApp();
  const tree = useComputed((): FlameTree => waitsForTree(path.explained.value));
  const open = (frame: number) => {
    const answer = path.explained.peek();
    const row = answer?.workers[answer.waitsFor.worker[frame]]?.row;
    if (row !== undefined) view.show(row);
  };
  const covers = () => {
    const { from, to, row = '' } = path.answer.peek() ?? { from: 0, to: 0 };
    const name = rowById(experiment.rows.peek(), row)?.name ?? '';
    return `${visibleText(name)}, ${formatRange(from, to)}`;
  };
  return <FlameGraph label="Waits for" {...{ tree, covers }} format={formatDuration} onOpen={open} />;
}

function waitsForTree(path: ExplainedPath | undefined): FlameTree {
  if (path === undefined) return flameTree([]);
  const { length, parent, value, text, texts, ns } = path.waitsFor;
  const words = texts.map(visibleText);
  return flameTree(
    Array.from({ length }, (_, i) => {
      const code = value[i] === NO_STATE ? 0 : codeOfPart(value[i]);
      const isLock = code === DRAW_LOCK;
      return {
        parent: parent[i],
        text: isLock ? `Waits for ${words[text[i]]}` : words[text[i]],
        code,
        value: ns[i],
      };
    }),
  );
}

/** Most segments in the list. */
const LONGEST = 20;

function LongestSegments({ answer, view }: { readonly answer: StatedPath; readonly view: ViewModel }) {
  const { segments, workers } = answer;
  const order = useMemo(() => longest(segments), [segments]);
  return (
    <div class="path-longest">
      <h4>
        Longest segments <span class="faint">of {formatCount(segments.length)}</span>
      </h4>
      <ol>
        {order.map((segment) => (
          <li key={segment}>
            <button aria-current={view.pathStep.value === segment} onClick={() => view.goToSegment(segment)}>
              <Swatch code={codeOfPart(stateOfSegment(answer, segment))} />
              <span class="ellipsis">{visibleText(workers[segments.worker[segment]].label)}</span>
              <span class="muted ellipsis" title={visibleText(causeOfSegment(answer, segment))}>
                {visibleText(wordOfSegment(answer, segment))}
              </span>
              <span class="mono faint nowrap">{exactTime(segments.from[segment], view.timeStyle.value)}</span>
              <span class="nowrap">{formatDuration(segments.to[segment] - segments.from[segment])}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Numbers of the longest segments, longest first, found in one pass, since a path may have very many. */
function longest({ length, from, to }: PathSegments): number[] {
  const order: number[] = [];
  const lengthOf = (segment: number) => to[segment] - from[segment];
  for (let i = 0; i < length; i++) {
    if (order.length === LONGEST && lengthOf(i) <= lengthOf(order[LONGEST - 1])) continue;
    let at = order.length;
    while (at > 0 && lengthOf(order[at - 1]) < lengthOf(i)) at--;
    order.splice(at, 0, i);
    order.length = Math.min(order.length, LONGEST);
  }
  return order;
}

/** Text of a path for reports, one line a segment. */
function pathText(answer: StatedPath): string {
  const { segments, workers } = answer;
  const lines = Array.from({ length: segments.length }, (_, i) => {
    const { name, tid } = workers[segments.worker[i]];
    const who = tid === undefined ? name : `${name} (${tid})`;
    return `${segments.from[i]}\t${segments.to[i]}\t${formatMs(segments.to[i] - segments.from[i])}\t${who}\t${wordOfSegment(answer, i)}\t${causeOfSegment(answer, i)}`;
  });
  return ['from, ns\tto, ns\tms\tthread\tstate\tcause', ...lines].join('\n');
}
