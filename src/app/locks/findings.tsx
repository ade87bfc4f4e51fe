/** Problems, above the tables: deadlocks, lock orders that could cause one, convoys, and what is not visible. */
import { TextButton } from '../controls/button.tsx';
import type { ComponentChildren } from 'preact';
import type { Convoy, Deadlock, Inversion, LockOrder, LocksAnswer } from '../../engine/protocol/locks.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { formatCount, formatRange, unbroken } from '../format/numbers.ts';
import { listed, plural, visibleText } from '../format/text.ts';
import { FaultCard } from '../opening/fault-card.tsx';
import { exactTime } from '../timeline/timeline.tsx';
import { type LocksPage, showThread } from './locks-page.ts';

/** Most convoys that are listed. */
const MOST_CONVOYS = 20;

export function Findings({ page, answer }: { readonly page: LocksPage; readonly answer: LocksAnswer }) {
  const { deadlocks, inversions, convoys, problems, faults, recordCommand } = answer;
  const count = deadlocks.length + inversions.length + convoys.length + problems.length + faults.length;
  if (count === 0 && recordCommand === undefined) return null;
  return (
    <div class="locks-findings">
      {deadlocks.map((deadlock, i) => (
        <DeadlockCard key={i} page={page} deadlock={deadlock} />
      ))}
      {inversions.map((inversion, i) => (
        <InversionCard key={i} page={page} inversion={inversion} />
      ))}
      {convoys.length > 0 && <Convoys page={page} convoys={convoys} />}
      {recordCommand !== undefined && <NoHolders command={recordCommand} />}
      {faults.map((fault, i) => (
        <FaultCard key={i} fault={fault} />
      ))}
      {problems.length > 0 && <Problems problems={problems} />}
    </div>
  );
}

interface CardProps {
  readonly label: string;
  /** Also shown while the card is folded. */
  readonly summary: ComponentChildren;
  readonly severe?: boolean;
  /** Shows its place; absent: it has several. */
  readonly onShow?: () => void;
  readonly children?: ComponentChildren;
}

/** Card of a finding, unfolded if it is severe. */
function Card({ label, summary, severe = false, onShow, children }: CardProps) {
  return (
    <section class={severe ? 'notice severe' : 'notice'} aria-label={label}>
      <Icon name="warning" />
      {children ? (
        <details class="grow" open={severe}>
          <summary>{summary}</summary>
          {children}
        </details>
      ) : (
        <div class="grow">{summary}</div>
      )}
      {onShow && <TextButton class="button outlined" text="Show" onClick={onShow} />}
    </section>
  );
}

const ENDS: Readonly<Record<Deadlock['ended'], string>> = {
  unfinished: 'none of them went on after it',
  failed: 'it ended when one of them gave up its wait',
};

function DeadlockCard({ page, deadlock }: { readonly page: LocksPage; readonly deadlock: Deadlock }) {
  const { from, to, ended, threads, locks } = deadlock;
  return (
    <Card
      label="Deadlock"
      severe
      onShow={() => showThread(page, threads[0], { from, to })}
      summary={
        <>
          <b>Deadlock of {listed(threads.map((thread) => threadText(page, thread)))}</b>,{' '}
          {placeText(from, to)}: {ENDS[ended]}.
        </>
      }
    >
      {threads.map((thread, i) => (
        <span key={i}>
          {threadText(page, thread)} waits for {page.locks.nameOf(locks[i])}, which{' '}
          {threadText(page, threads[(i + 1) % threads.length])} holds.{' '}
        </span>
      ))}
    </Card>
  );
}

function InversionCard({ page, inversion }: { readonly page: LocksPage; readonly inversion: Inversion }) {
  const { locks, orders } = inversion;
  // The order that was taken least often is likely the mistake.
  const rarest = orders.reduce(
    (least, order) => (timesOf(order) < timesOf(least) ? order : least),
    orders[0],
  );
  const [first] = rarest?.by ?? [];
  return (
    <Card
      label="Lock order"
      onShow={
        first && (() => showThread(page, first.thread, { from: first.firstNs, to: first.firstNs + 1e6 }))
      }
      summary={
        <>
          <b>{listed(locks.map((lock) => page.locks.nameOf(lock)))} are taken in different orders</b>, which
          can become a deadlock.
        </>
      }
    >
      <ul class="lock-orders">
        {orders.map((order) => (
          <li key={`${order.first} ${order.second}`}>
            {page.locks.nameOf(order.first)} then {page.locks.nameOf(order.second)} by{' '}
            {listed(
              order.by.map(
                ({ thread, times, firstNs }) =>
                  `${threadText(page, thread)} (${plural(times, 'time')}, first at ${unbroken(exactTime(firstNs, page.view.timeStyle.value))})`,
              ),
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function timesOf({ by }: LockOrder): number {
  return by.reduce((sum, { times }) => sum + times, 0);
}

function Convoys({ page, convoys }: { readonly page: LocksPage; readonly convoys: readonly Convoy[] }) {
  const largest = [...convoys].sort((a, b) => b.handOvers - a.handOvers || a.from - b.from);
  const [first, ...others] = largest;
  return (
    <Card
      label="Convoy"
      onShow={() => page.view.fit(first)}
      summary={
        <>
          <ConvoyText page={page} convoy={first} />
          {others.length > 0 && ` ${plural(others.length, 'other convoy', 'other convoys')}.`}
        </>
      }
    >
      {others.length > 0 && (
        <ul class="lock-orders">
          {others.slice(0, MOST_CONVOYS).map((convoy) => (
            <li key={`${convoy.lock} ${convoy.from}`}>
              <button class="link" onClick={() => page.view.fit(convoy)}>
                <ConvoyText page={page} convoy={convoy} />
              </button>
            </li>
          ))}
          {others.length > MOST_CONVOYS && <li>and {formatCount(others.length - MOST_CONVOYS)} more</li>}
        </ul>
      )}
    </Card>
  );
}

function ConvoyText({ page, convoy }: { readonly page: LocksPage; readonly convoy: Convoy }) {
  const { lock, from, to, maxWaiters, handOvers } = convoy;
  return (
    <span>
      <b>Convoy on {page.locks.nameOf(lock)}</b> {placeText(from, to)}: somebody always waited, up to{' '}
      {plural(maxWaiters, 'thread')} at once, over {plural(handOvers, 'hand-over')}.
    </span>
  );
}

function NoHolders({ command }: { readonly command: string }) {
  return (
    <Card
      label="Holders"
      summary={
        <>
          <b>Who holds these futexes is not visible:</b> record the program’s own lock calls too.{' '}
          <code>{visibleText(command)}</code> <CopyButton title="Copy" text={() => command} />
        </>
      }
    />
  );
}

function Problems({ problems }: Pick<LocksAnswer, 'problems'>) {
  return (
    <details class="locks-problems">
      <summary>
        Problems <span class="faint">{formatCount(problems.reduce((sum, { count }) => sum + count, 0))}</span>
      </summary>
      <ul>
        {problems.map(({ text, count }) => (
          <li key={text}>
            {visibleText(text)} <span class="muted">{formatCount(count)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function threadText({ locks }: LocksPage, thread: number): string {
  return locks.threads.value[thread]?.shownName ?? 'an unknown thread';
}

function placeText(from: number, to: number): string {
  return `from ${unbroken(formatRange(from, to))}`;
}
