/** Dialog that chooses the events of programs that are about locks, beside those that everybody has. */
import './locks.css';
import { useSignal } from '@preact/signals';
import type { LockProvider } from '../../engine/layers/locks/providers.ts';
import type { LockProvidersAnswer } from '../../engine/protocol/locks.ts';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { plural, visibleText } from '../format/text.ts';
import { LayerDialog, useLayerInfo } from '../layers/layer-dialog.tsx';
import { ProviderForm } from './provider-form.tsx';
import { type CountedEvent, matchedEvents, matchText, providerText } from './provider-words.ts';

export function LockEventsDialog({ onClose }: { onClose(): void }) {
  const { session } = useApp();
  const own = useSignal<readonly LockProvider[]>([]);
  const counts = useSignal<ReadonlyMap<string, number>>(new Map());
  const { info: known, refresh } = useLayerInfo(
    () => session.ask('lockProviders', {}),
    (found) => {
      own.value = found.own;
      void session.ask('counts', {}).then(({ events }) => {
        counts.value = new Map(events.map(({ name, count }) => [name, count]));
      });
    },
  );
  const show = async () => {
    await session.changeLayer('lock', { own: own.value });
    return refresh();
  };
  const events = (known?.events ?? []).map((event): CountedEvent => {
    return { ...event, count: counts.value.get(event.name) ?? 0 };
  });
  return (
    <LayerDialog
      title="Lock events"
      intro="Events of a program that say who waits for a lock and who holds it."
      info={known}
      withoutFiles="Other events are read from the files of the trace: drop its folder here again to change them."
      onShow={show}
      onClose={onClose}
    >
      {known && <KnownEvents info={known} />}
      <ul class="lock-providers">
        {own.value.map((provider, i) => (
          <OwnEvent
            key={JSON.stringify(provider)}
            provider={provider}
            events={events}
            onRemove={known?.hasFiles && (() => (own.value = own.value.filter((_, other) => other !== i)))}
          />
        ))}
      </ul>
      {known?.hasFiles && (
        <ProviderForm
          events={events.filter(({ domain }) => domain !== 'kernel')}
          onAdd={(provider) => (own.value = withProvider(own.value, provider))}
        />
      )}
    </LayerDialog>
  );
}

/** The newest comes first, and so before others that match its events; equal ones are one. */
function withProvider(own: readonly LockProvider[], added: LockProvider): readonly LockProvider[] {
  const text = JSON.stringify(added);
  return [added, ...own.filter((other) => JSON.stringify(other) !== text)];
}

function KnownEvents({ info: { known, recordCommand } }: { readonly info: LockProvidersAnswer }) {
  if (recordCommand === undefined)
    return (
      <p>
        {plural(known, 'event')} of this trace {known === 1 ? 'is' : 'are'} known to be about locks.
      </p>
    );
  return (
    <p class="lock-record">
      No event of this trace is known to be about locks of programs. To record those of pthreads:{' '}
      <code>{recordCommand}</code> <CopyButton title="Copy" text={() => recordCommand} />
    </p>
  );
}

interface OwnEventProps {
  readonly provider: LockProvider;
  readonly events: readonly CountedEvent[];
  /** Absent: it cannot be changed. */
  readonly onRemove: (() => void) | false | undefined;
}

function OwnEvent({ provider, events, onRemove }: OwnEventProps) {
  return (
    <li>
      <span class="mono lock-provider-name">{visibleText(provider.event)}</span>
      <span class="faint">{matchText(matchedEvents(provider.event, events))}</span>
      {onRemove && (
        <button
          type="button"
          class="button only-icon"
          aria-label={`Remove ${visibleText(provider.event)}`}
          title="Remove"
          onClick={onRemove}
        >
          <Icon name="close" />
        </button>
      )}
      <span class="muted lock-provider-says">{providerText(provider)}</span>
    </li>
  );
}
