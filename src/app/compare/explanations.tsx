/** Explanations of group B: calling contexts, threads and metrics, a sentence each. */
import type { Groups as RankedGroups } from '../../engine/layers/executions/ranking/groups.ts';
import type { Ranking } from '../../engine/layers/executions/ranking/ranking.ts';
import { formatCount, formatDuration } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import type { ComparedProps } from './compare-page.ts';
import { NORMAL } from './difference-tree.ts';
import { capitalised, framesOf, reasonOf, threadWords } from './explanation-words.ts';
import { type InBoth, LockReasons } from './lock-reasons.tsx';
import { metricText, metricTitle } from './metric-columns.ts';
import { ReasonLine } from './reason-line.tsx';

const MOST = 8;

export function Explanations({ page, comparison }: ComparedProps) {
  const { compare } = page;
  const [groups, found] = [compare.rested.value, compare.ranking.value];
  return (
    <section class="compare-why" aria-label="What explains B">
      <div class="compare-why-head">
        <h3>What explains B</h3>
        {found && (
          <span class="muted">
            {`${formatDuration(Math.abs(found.difference))} ${found.difference < 0 ? 'less' : 'more'} than in A on average`}
          </span>
        )}
        <span class="grow" />
        <span class="faint nowrap">Difference of means</span>
        <span class="faint nowrap">Effect, SD</span>
      </div>
      <div class="compare-why-list" role="group" aria-label="Explanations" tabIndex={0}>
        {groups && found ? (
          <Reasons page={page} comparison={comparison} groups={groups} found={found} />
        ) : (
          <p class="muted">{groups ? 'One of the groups is empty.' : 'Adding up'}</p>
        )}
      </div>
    </section>
  );
}

interface ReasonsProps extends ComparedProps {
  readonly groups: RankedGroups;
  readonly found: Ranking;
}

function Reasons({ page, comparison, groups, found }: ReasonsProps) {
  const { nodes, threads, metrics, unexplained } = found;
  const [sizeA, sizeB] = [groups.a.length, groups.b.length].map(formatCount);
  const inBoth: InBoth = ({ inA, inB }) =>
    `in ${formatCount(inB)} of ${sizeB} in B, ${formatCount(inA)} of ${sizeA} in A`;
  return (
    <>
      <ol aria-label="Where">
        {nodes.slice(0, MOST).map((node) => {
          const frames = framesOf(comparison.answer.tree, node.node);
          const { what, where } = reasonOf(frames);
          return (
            <ReasonLine
              key={node.node}
              difference={formatDuration(node.difference)}
              effect={node.effect}
              title={frames.map(visibleText).join('\n')}
            >
              <b>{what}</b>
              {where.map(({ text, isCode }) => (isCode ? <span class="mono">{text}</span> : text))}: explains{' '}
              {plural(node.explains.length, 'execution')}; {inBoth(node)}.
            </ReasonLine>
          );
        })}
      </ol>
      {nodes.length > 0 && unexplained.length > 0 && (
        <p class="faint">{plural(unexplained.length, 'execution')} of B that none of these explains.</p>
      )}
      <ol aria-label="In which threads">
        {threads.slice(0, MOST).map((thread) => (
          <ReasonLine
            key={thread.thread}
            difference={formatDuration(thread.difference)}
            effect={thread.effect}
          >
            <b>{thread.thread === 'own' ? 'Its own thread' : capitalised(threadWords(thread.thread))}</b>:{' '}
            {formatDuration(thread.meanB)} in B on average,{' '}
            {thread.meanA === 0 ? 'none' : formatDuration(thread.meanA)} in A; {inBoth(thread)}.
          </ReasonLine>
        ))}
      </ol>
      <LockReasons page={page} comparison={comparison} groups={groups} inBoth={inBoth} />
      <ol aria-label="Metrics">
        {metrics
          .filter(isUnusual)
          .slice(0, MOST)
          .map(({ metric, meanA, meanB, difference, effect }) => (
            <ReasonLine
              key={metric}
              difference={signed(metricText(metric, Math.abs(difference)), difference)}
              effect={effect}
            >
              <b>{metricTitle(metric)}</b>: {metricText(metric, meanB)} in B, {metricText(metric, meanA)} in
              A.
            </ReasonLine>
          ))}
      </ol>
    </>
  );
}

/** More than normal variation; null: neither group varies. */
function isUnusual({ effect }: { readonly effect: number | null }): boolean {
  return effect === null || Math.abs(effect) >= NORMAL;
}

function signed(text: string, value: number): string {
  return value < 0 ? `−${text}` : text;
}
