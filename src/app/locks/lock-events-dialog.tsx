/** Dialog that chooses events of programs that mean locking, beside those that are known. */
import { IconButton, TextButton } from '../controls/button.tsx';
import './locks.css';
import { useSignal } from '@preact/signals';
import type { LockProvider, LockRole, ProgramLockKind } from '../../engine/layers/locks/providers.ts';
import type { LockProvidersAnswer } from '../../engine/protocol/locks.ts';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { formatCount } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { LayerDialog, useLayerInfo } from '../layers/layer-dialog.tsx';
import { Check, Mistake, Names, SelectField, TextField } from '../layers/fields.tsx';
import {
  commonFields,
  type CountedEvent,
  hasMode,
  KIND_OPTIONS,
  matchedEvents,
  matchText,
  mistakeOf,
  providerText,
  roleOptions,
} from './provider-words.ts';

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

/** The list with a new row in front, so that it matches before others; an equal row is replaced. */
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
        <IconButton
          icon="close"
          label={`Remove ${visibleText(provider.event)}`}
          type="button"
          title="Remove"
          onClick={onRemove}
        />
      )}
      <span class="muted lock-provider-says">{providerText(provider)}</span>
    </li>
  );
}

interface ProviderFormProps {
  readonly events: readonly CountedEvent[];
  onAdd(provider: LockProvider): void;
}

const EVENT_NAMES = 'lock-event-names';
/** Most events that a preview names. */
const MOST_NAMED = 4;
const MODES = [
  { id: 'exclusive', title: 'exclusive (to write)' },
  { id: 'shared', title: 'shared (to read)' },
] as const;

/** Form for an event that the user names, with a preview of what it matches. */
function ProviderForm({ events, onAdd }: ProviderFormProps) {
  const event = useSignal('');
  const kind = useSignal<ProgramLockKind>('mutex');
  const wantedRole = useSignal<LockRole>('request');
  const wantedLock = useSignal<string | undefined>(undefined);
  const status = useSignal('');
  const mutex = useSignal('');
  const mode = useSignal<LockProvider['mode']>('exclusive');
  const isShared = useSignal(false);
  const mistake = useSignal<string | undefined>(undefined);
  // From `events`, whose counts come later than their names.
  const matched = matchedEvents(event.value.trim(), events);
  const fields = commonFields(matched);
  const chosen = (field: string) => (fields.includes(field) ? field : '');
  const roles = roleOptions(kind.value);
  const role = (roles.find(({ id }) => id === wantedRole.value) ?? roles[0]).id;
  const provider: LockProvider = {
    event: event.value.trim(),
    role,
    kind: kind.value,
    lock: chosen(wantedLock.value ?? '') || (fields[0] ?? ''),
    status: chosen(status.value),
    mutex: kind.value === 'cond' ? chosen(mutex.value) : '',
    mode: hasMode({ kind: kind.value, role }) ? mode.value : 'exclusive',
    isShared: isShared.value,
  };
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    mistake.value = mistakeOf(provider, matched);
    if (mistake.value !== undefined) return;
    onAdd(provider);
    event.value = '';
  };
  const ofFields = fields.map((id) => ({ id, title: id }));
  const orNone = [{ id: '', title: 'none' }, ...ofFields];
  return (
    <form class="layer-form" onSubmit={submit} aria-label="More events">
      <h3>More events</h3>
      <Names id={EVENT_NAMES} names={events.map(({ name }) => name)} />
      <TextField title="Event" text={event} list={EVENT_NAMES} placeholder="app:lock_*; a * is any text" />
      <Preview event={provider.event} matched={matched} />
      <SelectField title="Kind" options={KIND_OPTIONS} chosen={provider.kind} into={kind} />
      <SelectField title="Says" options={roles} chosen={provider.role} into={wantedRole} />
      {ofFields.length > 0 && (
        <>
          <SelectField title="Lock in field" options={ofFields} chosen={provider.lock} into={wantedLock} />
          <SelectField title="Result in field" options={orNone} chosen={provider.status} into={status} />
          {provider.kind === 'cond' && (
            <SelectField title="Mutex in field" options={orNone} chosen={provider.mutex} into={mutex} />
          )}
        </>
      )}
      {hasMode(provider) && <SelectField title="Mode" options={MODES} chosen={provider.mode} into={mode} />}
      <Check title="Equal values are one lock in all processes" isOn={isShared} />
      <Mistake text={mistake.value} />
      <TextButton class="button outlined" text="Add the event" type="submit" />
    </form>
  );
}

function Preview({ event, matched }: { readonly event: string; readonly matched: readonly CountedEvent[] }) {
  return (
    <div class="lock-matches" aria-live="polite">
      {event !== '' && (
        <>
          Matches {matchText(matched)}
          <ul>
            {matched.slice(0, MOST_NAMED).map(({ name, count }) => (
              <li key={name}>
                <span class="mono">{visibleText(name)}</span> <span class="faint">{formatCount(count)}</span>
              </li>
            ))}
            {matched.length > MOST_NAMED && (
              <li class="faint">and {formatCount(matched.length - MOST_NAMED)} more</li>
            )}
          </ul>
        </>
      )}
    </div>
  );
}
