/** How much room the traces in this browser take, and for how long it keeps them; below the list of recent traces. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RecentTrace, SessionApi } from '../../engine/protocol/session.ts';
import { Pair } from '../controls/pair.tsx';
import { formatBytes } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';

interface KeptStorageProps {
  readonly session: Pick<SessionApi, 'storage'>;
  readonly traces: readonly RecentTrace[];
  onForgetAll(): void;
}

/** Storage that the browser says this page has. */
interface Room {
  readonly usedBytes: number;
  /** 0: it does not say. */
  readonly quotaBytes: number;
  /** It deletes nothing by itself; undefined: it does not say. */
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
          <button class="button outlined" onClick={() => void keep()}>
            Keep them for good
          </button>
        )}
        <button class="button outlined" onClick={onForgetAll}>
          Delete all
        </button>
      </div>
    </details>
  );
}

/** Absent where the page came by http. */
function manager(): Partial<StorageManager> | undefined {
  return navigator.storage as StorageManager | undefined;
}

/** Undefined as soon as one of them is. */
function sum(sizes: readonly (number | undefined)[]): number | undefined {
  return sizes.reduce(
    (total, bytes) => (total !== undefined && bytes !== undefined ? total + bytes : undefined),
    0,
  );
}

function sizeWords(bytes: number | undefined): string {
  return bytes === undefined ? 'An unknown size' : formatBytes(bytes);
}
