/** Traces that this browser keeps: opened again without reading, or forgotten. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RecentTrace } from '../../engine/protocol/session.ts';
import { Icon } from '../controls/icon.tsx';
import { formatCount, formatDuration } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';

interface RecentTracesProps {
  /** Undefined while the list is being read. */
  readonly traces: readonly RecentTrace[] | undefined;
  onOpen(trace: RecentTrace): void;
  onForget(trace: RecentTrace): void;
}

export function RecentTraces({ traces, onOpen, onForget }: RecentTracesProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLUListElement>(null);
  // Number of the one that is being deleted: its button takes the focus with it.
  const forgotten = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const at = forgotten.current;
    forgotten.current = undefined;
    if (at === undefined || document.activeElement !== document.body) return;
    const left = list.current?.querySelectorAll<HTMLElement>('.recent-forget');
    (left?.item(Math.min(at, left.length - 1)) ?? heading.current)?.focus();
  }, [traces]);
  return (
    <section class="recent" aria-label="Recent traces">
      <h2 ref={heading} tabIndex={-1}>
        Recent traces <span>kept in this browser</span>
      </h2>
      {traces !== undefined && traces.length === 0 && (
        <p class="recent-empty">
          Traces that you open are listed here. They open again at once, without being read, until you or the
          browser delete them.
        </p>
      )}
      <ul ref={list} hidden={traces?.length === 0}>
        {traces?.map((trace, index) => (
          <li key={trace.key}>
            <button class="recent-open" onClick={() => onOpen(trace)}>
              <span class="recent-name ellipsis">{visibleText(trace.name)}</span>
              <span class="faint nowrap">{formatDay(trace.openedMs, Date.now())}</span>
              <span class="recent-facts">
                {plural(trace.hosts, trace.sideBySide === true ? 'recording' : 'host')},{' '}
                {plural(trace.events, 'event')}, {formatDuration(trace.lengthNs)}
                {trace.lostEvents > 0 && <span class="bad">, {formatCount(trace.lostEvents)} lost</span>}
              </span>
            </button>
            <button
              class="button only-icon recent-forget"
              aria-label={`Delete ${visibleText(trace.name)} from this browser`}
              title="Delete from this browser"
              onClick={() => {
                forgotten.current = index;
                onForget(trace);
              }}
            >
              <Icon name="trash" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * Writes when something was opened: "today, 01:17", "yesterday", "18 Nov", "18 Nov 2025". Times are ms since 1970.
 * @internal
 */
export function formatDay(thenMs: number, nowMs: number): string {
  const then = new Date(thenMs);
  const now = new Date(nowMs);
  const days = Math.round((midnight(now) - midnight(then)) / 86_400_000);
  if (days <= 0) return `today, ${then.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
  if (days === 1) return 'yesterday';
  const year = then.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return then.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year });
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
