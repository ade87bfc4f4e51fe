/** List of traces that this browser keeps, to open or to delete, with the storage that they use. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { RecentTrace, SessionApi } from '../../engine/protocol/session.ts';
import { IconButton, TextButton } from '../controls/button.tsx';
import { Pair } from '../controls/pair.tsx';
import { formatBytes, formatCount, formatDuration } from '../format/numbers.ts';
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
  // Number of the trace that is being deleted, since the focus goes with its button.
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
            <IconButton
              class="button only-icon recent-forget"
              icon="trash"
              label={`Delete ${visibleText(trace.name)} from this browser`}
              title="Delete from this browser"
              onClick={() => {
                forgotten.current = index;
                onForget(trace);
              }}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** When something was opened, ms since 1970: "today, 01:17", "yesterday", "18 Nov", "18 Nov 2025". @internal */
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

interface KeptStorageProps {
  readonly session: Pick<SessionApi, 'storage'>;
  readonly traces: readonly RecentTrace[];
  onForgetAll(): void;
}

/** Storage of this page, as the browser reports it. */
interface Room {
  readonly usedBytes: number;
  /** Quota in bytes; 0: not reported. */
  readonly quotaBytes: number;
  /** Whether the browser never deletes it by itself; undefined: not reported. */
  readonly isPersistent: boolean | undefined;
}

export function KeptStorage({ session, traces, onForgetAll }: KeptStorageProps) {
  const room = useSignal<Room | undefined>(undefined);
  const isRefused = useSignal(false);
  const read = async () => {
    const [{ usedBytes, quotaBytes }, isPersistent] = await Promise.all([
      session.storage(),
      manager()?.persisted?.(),
    ]);
    room.value = { usedBytes, quotaBytes, isPersistent };
  };
  useEffect(() => void read(), [traces]);
  const keep = async () => {
    isRefused.value = (await manager()?.persist?.()) !== true;
    await read();
  };
  if (traces.length === 0) return null;
  const sizes = traces.map(({ keptBytes }) => keptBytes);
  return (
    <details class="kept">
      <summary>{sizeWords(sum(sizes))} kept on this computer</summary>
      <dl class="pairs" aria-label="Kept traces">
        {traces.map(({ key, name, keptBytes }) => (
          <Pair key={key} name={visibleText(name)}>
            {sizeWords(keptBytes)}
          </Pair>
        ))}
      </dl>
      {room.value !== undefined && room.value.quotaBytes > 0 && (
        <p>
          The browser counts {formatBytes(room.value.usedBytes)} of {formatBytes(room.value.quotaBytes)}, with
          indexes and the page itself.
        </p>
      )}
      <p role="status">
        {room.value?.isPersistent === true
          ? 'It keeps them until you delete them.'
          : isRefused.value
            ? 'It did not agree: it may delete them when it needs room.'
            : 'It may delete them when it needs room.'}
      </p>
      <div class="line">
        {room.value?.isPersistent === false && (
          <TextButton class="button outlined" onClick={() => void keep()} text="Keep them for good" />
        )}
        <TextButton class="button outlined" onClick={onForgetAll} text="Delete all" />
      </div>
    </details>
  );
}

/** The browser's storage manager, which is missing on pages without https. */
function manager(): Partial<StorageManager> | undefined {
  return navigator.storage as StorageManager | undefined;
}

/** Sum of sizes; undefined if one of them is. */
function sum(sizes: readonly (number | undefined)[]): number | undefined {
  return sizes.reduce(
    (total, bytes) => (total !== undefined && bytes !== undefined ? total + bytes : undefined),
    0,
  );
}

function sizeWords(bytes: number | undefined): string {
  return bytes === undefined ? 'An unknown size' : formatBytes(bytes);
}
