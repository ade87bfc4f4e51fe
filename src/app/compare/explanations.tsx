/** Explanations of group B by calling contexts, threads and metrics, one sentence each. */
import { TextButton } from '../controls/button.tsx';
import { useSignal } from '@preact/signals';
import { capitalised } from '../../engine/base/first-letter.ts';
import type { Groups } from '../../engine/layers/executions/ranking/groups.ts';
import {
  causeOf,
  causeSets,
  numbersOf,
  partsText,
  threadWords,
} from '../../engine/layers/executions/ranking/cause-words.ts';
import { NORMAL } from '../../engine/layers/executions/ranking/contrast.ts';
import { withPoolCounts } from '../../engine/layers/executions/ranking/compared.ts';
import type { RankedMetric, Ranking, RankedThread } from '../../engine/layers/executions/ranking/ranking.ts';
import { Segmented } from '../controls/segmented.tsx';
import { formatDuration } from '../format/numbers.ts';
import { listed, plural, visibleText } from '../format/text.ts';
import type { ComparedProps } from './compare-page.ts';
import { GroupHelps } from './group-helps.tsx';
import { contrastText, LockReasons, ReasonLine } from './lock-reasons.tsx';
import { meanText } from './histogram-columns.tsx';

const MOST = 8;

const SHOWN = [
  { id: 'explains', title: 'What explains B' },
  { id: 'helps', title: 'What would help B' },
] as const;

export function Explanations({ page, comparison }: ComparedProps) {
  const { compare } = page;
  const shown = useSignal<'explains' | 'helps'>('explains');
  const [groups, found] = [compare.rested.value, compare.ranking.value];
  // Executions of another trace, or without theirs, cannot be replayed.
  const canHelp = comparison.others === 0 && page.view !== undefined && !comparison.answer.isElapsed;
  const isHelp = canHelp && shown.value === 'helps';
  return (
    <section class="compare-why" aria-label="What explains B">
      <div class="compare-why-head">
        {canHelp ? (
          <Segmented
            label="About B"
            options={SHOWN}
            chosen={shown.value}
            onChoose={(id) => (shown.value = id)}
          />
        ) : (
          <h3>What explains B</h3>
        )}
        {found && !isHelp && (
          <span class="muted">
            {`${found.difference < 0 ? 'B is faster: ' : ''}${formatDuration(Math.abs(found.difference))} ${found.difference < 0 ? 'less' : 'more'} than in A on average`}
          </span>
        )}
        <span class="grow" />
        {!isHelp && (
          <>
            <span class="faint nowrap">Difference of means</span>
            <span class="faint nowrap">Effect, SD</span>
          </>
        )}
      </div>
      <div class="compare-why-list" role="group" aria-label="Explanations" tabIndex={0}>
        {groups && isHelp && groups.b.length > 0 ? (
          <GroupHelps page={page} comparison={comparison} groups={groups} />
        ) : groups && found ? (
          <Reasons page={page} comparison={comparison} groups={groups} found={found} />
        ) : (
          <NoReasons page={page} isKnown={groups !== undefined} />
        )}
      </div>
    </section>
  );
}

/** Text in place of the list: nothing is slow, or a group is empty. */
function NoReasons({
  page: { compare },
  isKnown,
}: Pick<ComparedProps, 'page'> & { readonly isKnown: boolean }) {
  if (!isKnown) return <p class="muted">Adding up</p>;
  if (compare.rule.value.kind !== 'slow' || compare.brushes.value.length > 0)
    return <p class="muted">One of the groups is empty.</p>;
  return (
    <p>
      Nothing stands out: no execution takes much longer than the others.{' '}
      <TextButton text="Look at the slowest tenth" onClick={() => (compare.rule.value = { kind: 'tenth' })} />
    </p>
  );
}

interface ReasonsProps extends ComparedProps {
  readonly groups: Groups;
  readonly found: Ranking;
}

function Reasons({ page, comparison, groups, found }: ReasonsProps) {
  const { nodes, threads, metrics, unexplained } = found;
  const { pools, isElapsed } = comparison.answer;
  const counted = (text: string) => withPoolCounts(text, pools);
  const [sizeA, sizeB] = [groups.a.length, groups.b.length];
  const isWhole = (thread: RankedThread) => thread.thread === 'own' && threads.length === 1;
  const sets = causeSets(nodes, isElapsed);
  return (
    <>
      <ol aria-label="Where">
        {nodes.slice(0, MOST).map((node) => {
          const { what, where, note } = causeOf(node, isElapsed);
          const { times, explained } = numbersOf(node, sizeB, formatDuration);
          return (
            <ReasonLine
              key={node.frames.join('\n')}
              difference={signedTime(node.difference)}
              effect={node.effect}
              title={node.frames.map(visibleText).join('\n')}
            >
              <b>{counted(what)}</b>
              {where.map(({ text, isCode }) => (isCode ? <span class="mono">{text}</span> : counted(text)))}
              {`: ${times}${note === undefined ? '' : `; ${note}`}. ${explained}${counted(partsText(node, signedTime))}`}
            </ReasonLine>
          );
        })}
      </ol>
      {sets.slice(0, 1).map(({ executions, causes }) => (
        <p key="set">
          {plural(executions, 'execution')} {executions === 1 ? 'has' : 'have'} several causes at once:{' '}
          {counted(listed(causes))}.
        </p>
      ))}
      {nodes.length > 0 && unexplained.length > 0 && (
        <p class="faint">{plural(unexplained.length, 'execution')} of B that none of these explains.</p>
      )}
      <ol aria-label="In which threads">
        {threads
          .filter((thread) => !isWhole(thread))
          .slice(0, MOST)
          .map((thread) => (
            <ReasonLine key={thread.thread} difference={signedTime(thread.difference)} effect={thread.effect}>
              <b>
                {thread.thread === 'own'
                  ? 'Its own thread'
                  : counted(capitalised(threadWords(thread.thread)))}
              </b>
              : {contrastText(thread, { sizeA, sizeB })}
            </ReasonLine>
          ))}
      </ol>
      <LockReasons page={page} comparison={comparison} groups={groups} />
      <ol aria-label="Metrics">
        {metrics
          .filter(isUnusual)
          .filter(isNewAtEnd)
          // As in the histograms, fields that only identify executions are left out.
          .flatMap(({ metric, difference, effect }) => {
            const column = comparison.columns.find(({ name }) => name === metric);
            return column === undefined ? [] : [{ column, difference, effect }];
          })
          .slice(0, MOST)
          .map(({ column, difference, effect }) => (
            <ReasonLine
              key={column.name}
              difference={signed(column.format(Math.abs(difference)), difference)}
              effect={effect}
            >
              <b>{column.title}</b>: {meanText(column, groups.b)} in B, {meanText(column, groups.a)} in A.
            </ReasonLine>
          ))}
      </ol>
      <p class="faint">
        Difference of means: mean of B less mean of A. Effect, SD: that difference in standard deviations (SD)
        of the executions within the groups. From {NORMAL} on it is more than normal variation.
      </p>
    </>
  );
}

/** Whether a metric is no field that has the same value at the end as at the begin. */
function isNewAtEnd(
  { metric, meanA, meanB }: RankedMetric,
  _: number,
  all: readonly RankedMetric[],
): boolean {
  const begin = metric.replace(/^end\./, 'begin.');
  return !all.some(
    (other) =>
      other.metric !== metric && other.metric === begin && other.meanA === meanA && other.meanB === meanB,
  );
}

/** Whether a difference is more than normal variation; an effect of null means that neither group varies. */
function isUnusual({ effect }: { readonly effect: number | null }): boolean {
  return effect === null || Math.abs(effect) >= NORMAL;
}

function signedTime(ns: number): string {
  return signed(formatDuration(Math.abs(ns)), ns);
}

function signed(text: string, value: number): string {
  return value < 0 ? `−${text}` : text;
}
