/** Details of a lock: how threads waited for it, what its holders did, its longest wait, the matrix of its waits. */
import { IconButton, TextButton } from '../controls/button.tsx';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { useChoices } from '../controls/choices.ts';
import { formatDuration, formatExact, formatShare } from '../format/numbers.ts';
import { PartsBar } from '../widgets/table/bars.tsx';
import { BlockingMatrix } from './blocking-matrix.tsx';
import { LONGEST_NAME } from './lock-names.ts';
import { holdParts, lockSentences, lockTitle } from './lock-words.ts';
import type { LocksPage } from './locks-page.ts';
import type { NamedLock } from './locks-state.ts';
import { LOCK_CHOICE, useWaitFilter } from './wait-filter.ts';
import { WaitActions, WaitSentence } from './wait-words.tsx';

interface LockDetailProps {
  readonly page: LocksPage;
  readonly lock: NamedLock;
}

export function LockDetail({ page, lock }: LockDetailProps) {
  const { locks, app } = page;
  const choices = useChoices();
  const filter = useWaitFilter(locks);
  const answer = useLiveAnswer(
    () => ({ lock: lock.id, known: locks.answer.value }),
    ({ lock: id }) => app.session.ask('lock', { lock: id }),
  ).value;
  return (
    <>
      <header class="lock-title">
        <LockTitle page={page} lock={lock} />
        <span class="grow" />
        <TextButton text="Places" onClick={() => filter.showPlaces(lock.id)} />
        <TextButton text="List waits" onClick={() => filter.showLock(lock.id)} />
        <IconButton icon="close" label="All locks" onClick={() => choices.choose(LOCK_CHOICE, undefined)} />
      </header>
      {answer?.longestWait && (
        <section class="lock-longest" aria-label="Longest wait">
          <p>
            Longest wait: <WaitSentence page={page} wait={answer.longestWait} />
          </p>
          <WaitActions page={page} wait={answer.longestWait} />
        </section>
      )}
      {lockSentences(lock).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <HoldLegend lock={lock} />
      {answer && (
        <BlockingMatrix
          title="Who made whom wait for it"
          matrix={answer.matrix}
          threads={locks.threads.value}
          onChoose={filter.showCell}
        />
      )}
    </>
  );
}

/** The name of the lock, which a click turns into a text field. */
function LockTitle({ page: { locks }, lock }: LockDetailProps) {
  const isEdited = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.select(), [isEdited.value]);
  const keep = () => {
    const name = field.current?.value;
    if (name !== undefined && isEdited.peek() && name !== lock.shownName) locks.names.give(lock.id, name);
    isEdited.value = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') keep();
    else if (event.key === 'Escape') isEdited.value = false;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <span class="lock-mark" style={{ background: lock.mark }} />
      {isEdited.value ? (
        <span class="field">
          <input
            ref={field}
            aria-label="Name of the lock"
            maxLength={LONGEST_NAME}
            defaultValue={lock.shownName}
            placeholder={lock.name}
            onKeyDown={onKeyDown}
            onBlur={keep}
          />
        </span>
      ) : (
        <>
          <h4 class="ellipsis" title={lockTitle(lock)}>
            {lock.shownName}
          </h4>
          <TextButton class="link" text="Rename" onClick={() => (isEdited.value = true)} />
        </>
      )}
    </>
  );
}

function HoldLegend({ lock }: { readonly lock: NamedLock }) {
  const parts = (holdParts(lock) ?? []).filter(({ ns }) => ns > 0);
  const total = lock.hold.totalNs;
  if (parts.length === 0 || total === 0) return null;
  return (
    <section class="lock-holds" aria-label="While it was held">
      <h4>
        While it was held <span class="faint">{formatDuration(total)}</span>
      </h4>
      <PartsBar parts={parts} total={total} />
      <ul>
        {[...parts]
          .sort((a, b) => b.ns - a.ns)
          .map(({ label, colour, unknown, ns }) => (
            <li key={label} title={formatExact(ns)}>
              <span class={unknown ? 'lock-mark unknown' : 'lock-mark'} style={{ '--part': colour }} />
              {label}
              <span class="muted">{formatShare(ns / total)}</span>
            </li>
          ))}
      </ul>
    </section>
  );
}
