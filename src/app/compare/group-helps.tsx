/** Changes that would help the executions of group B: on request, some executions are replayed one after the other. */
import { TextButton } from '../controls/button.tsx';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { groupRequests, replayGroup } from '../../engine/answers/what-if/group-savings.ts';
import type { Groups } from '../../engine/layers/executions/ranking/groups.ts';
import type { WhatIfGroupLine } from '../../engine/protocol/what-if.ts';
import { formatCount, sentenceText } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { changeWords, savingWords } from '../../engine/words/change-words.ts';
import { plain } from '../../engine/words/sentence.ts';
import type { ComparedProps } from './compare-page.ts';

const HALF = 0.5;
const MOST_LINES = 10;

interface Replayed {
  readonly groups: Groups;
  readonly lines: readonly WhatIfGroupLine[];
  readonly done: number;
  readonly wanted: number;
  readonly isOver: boolean;
}

interface GroupHelpsProps extends ComparedProps {
  readonly groups: Groups;
}

export function GroupHelps({ page: { app, path }, comparison: { answer }, groups }: GroupHelpsProps) {
  const found = useSignal<Replayed | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), [groups]);
  const start = async (): Promise<void> => {
    const { signal } = (running.current = new AbortController());
    const change = { factor: HALF, lockNames: path?.lockNames.value };
    const chosen = groupRequests(answer, groups.b, change);
    const show = (lines: readonly WhatIfGroupLine[], done: number, isOver: boolean) =>
      (found.value = { groups, lines, done, wanted: chosen.length, isOver });
    show([], 0, false);
    const savings = await replayGroup(
      chosen,
      async (request) => (signal.aborted ? undefined : app.session.ask('whatIf', request)),
      (sofar) => signal.aborted || show(sofar.lines(), sofar.length, false),
      () => !signal.aborted,
    );
    if (found.value?.groups === groups) show(savings.lines(), savings.length, true);
  };
  const shown = found.value?.groups === groups ? found.value : undefined;
  const size = formatCount(groups.b.length);
  return (
    <div class="compare-helps">
      <div class="compare-helps-head">
        {shown === undefined ? (
          <span class="muted ellipsis">What would save most, if it took half as long?</span>
        ) : (
          <span class="muted" role="status">
            {`${formatCount(shown.done)} of ${size} replayed${shown.isOver ? '' : ` (${formatCount(shown.wanted)} will be)`}`}
          </span>
        )}
        <span class="grow" />
        {shown !== undefined && !shown.isOver ? (
          <TextButton text="Stop" onClick={() => running.current?.abort()} />
        ) : (
          <TextButton text={shown === undefined ? 'Replay' : 'Replay again'} onClick={() => void start()} />
        )}
      </div>
      {shown !== undefined && (
        <>
          {shown.isOver && shown.lines.length === 0 && (
            <p class="muted">No single change would save 1 % of their time.</p>
          )}
          <ol aria-label="Changes">
            {shown.lines.slice(0, MOST_LINES).map((line) => (
              <li key={`${line.kind} ${line.name}`} title={`Median: ${savingWords(line.median)}`}>
                <span>
                  <b>{visibleText(sentenceText(plain(changeWords(line))))}</b> half as long:{' '}
                  {formatCount(line.gain)} of {formatCount(shown.done)} gain 5 % or more.
                </span>
                <span class="nowrap">{savingWords(line.mean)} on average</span>
              </li>
            ))}
          </ol>
          <p class="faint">
            A model, from careful to hopeful: the order in which locks were got and queues served is kept.
          </p>
        </>
      )}
    </div>
  );
}
