/** A form for events of the user's own that are about locks, with a preview of what they match. */
import { useSignal } from '@preact/signals';
import type { LockRole, ProgramLockKind, LockProvider } from '../../engine/layers/locks/providers.ts';
import { formatCount } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { Check, Mistake, Names, SelectField, TextField } from '../layers/fields.tsx';
import {
  commonFields,
  type CountedEvent,
  hasMode,
  KIND_OPTIONS,
  matchedEvents,
  matchText,
  mistakeOf,
  roleOptions,
} from './provider-words.ts';

interface ProviderFormProps {
  readonly events: readonly CountedEvent[];
  onAdd(provider: LockProvider): void;
}

const EVENT_NAMES = 'lock-event-names';
/** Events of a preview. */
const MOST_NAMED = 4;
const MODES = [
  { id: 'exclusive', title: 'exclusive (to write)' },
  { id: 'shared', title: 'shared (to read)' },
] as const;

export function ProviderForm({ events, onAdd }: ProviderFormProps) {
  const event = useSignal('');
  const kind = useSignal<ProgramLockKind>('mutex');
  const wantedRole = useSignal<LockRole>('request');
  const wantedLock = useSignal<string | undefined>(undefined);
  const status = useSignal('');
  const mutex = useSignal('');
  const mode = useSignal<LockProvider['mode']>('exclusive');
  const isShared = useSignal(false);
  const mistake = useSignal<string | undefined>(undefined);
  // Of the events given: how often they were recorded is known later than their names.
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
      <Names id={EVENT_NAMES} names={events.map((event) => event.name)} />
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
      <button class="button outlined" type="submit">
        Add the event
      </button>
    </form>
  );
}

interface PreviewProps {
  readonly event: string;
  readonly matched: readonly CountedEvent[];
}

function Preview({ event, matched }: PreviewProps) {
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
