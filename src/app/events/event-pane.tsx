/** All that one event says, beside the table: where it was recorded, every field with its type and meaning, its bytes. */
import type { ReadonlySignal } from '@preact/signals';
import { cutText } from '../../engine/base/visible-text.ts';
import type { EventDetails, EventRow, EventScope } from '../../engine/protocol/events.ts';
import type { EventField, ScopeFields } from '../../engine/export/event-fields.ts';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatCount } from '../format/numbers.ts';
import { hostName, plural, visibleCharacters, visibleText } from '../format/text.ts';
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import { eventJson, eventText } from './event-copy.ts';
import { addressMeaning, fieldMeaning } from './field-meaning.ts';
import { filterWith } from './filter-with.ts';
import { hexDump } from './hex-dump.ts';

const SCOPES: readonly (readonly [EventScope, string])[] = [
  ['payload', 'Payload'],
  ['context', 'Event context'],
  ['common', 'Stream context'],
  ['header', 'Event header'],
  ['packet', 'Packet context'],
  ['packetHeader', 'Packet header'],
];

/** Characters shown of a value, and bytes of an event. */
const MOST_CHARACTERS = 500;
const MOST_BYTES = 512;

interface EventPaneProps {
  readonly view: ViewModel;
  /** undefined: none is known. */
  readonly event: ReadonlySignal<EventRow | undefined>;
  readonly filter: string;
  onFilter(filter: string): void;
}

export function EventPane({ view, event, filter, onFilter }: EventPaneProps) {
  const { session } = useApp();
  const answer = useLiveAnswer(
    () => event.value,
    async (asked, signal) => {
      const details = asked && (await session.ask('eventDetails', asked.place, { signal }));
      return asked && { event: asked, details };
    },
  ).value;
  return (
    <aside class="event-pane" aria-label="Active event">
      {answer === undefined && <p class="muted">Choose an event to see its fields.</p>}
      {answer && <Head view={view} {...answer} />}
      {answer && answer.details === undefined && <p class="muted">Its bytes cannot be read any more.</p>}
      {answer?.details && (
        <Details name={answer.event.name} details={answer.details} {...{ filter, onFilter }} />
      )}
    </aside>
  );
}

interface DetailsProps extends Pick<EventPaneProps, 'filter' | 'onFilter'> {
  readonly name: string;
  readonly details: EventDetails;
}

function Details({ name: event, details, filter, onFilter }: DetailsProps) {
  return (
    <>
      {SCOPES.map(([scope, title]) => (
        <Scope
          key={scope}
          {...{ title, event, onFilter }}
          of={details[scope]}
          filterOf={({ name, json }) => filterWith(filter, scope, name, json)}
        />
      ))}
      <Bytes of={details.bytes} />
    </>
  );
}

interface HeadProps {
  readonly view: ViewModel;
  readonly event: EventRow;
  readonly details: EventDetails | undefined;
}

function Head({ view, event, details }: HeadProps) {
  const { experiment } = useApp();
  const hosts = experiment.info.value?.hosts ?? [];
  const { name, timeNs, host, cpu, thread, stream, place } = event;
  const where = [
    exactTime(timeNs, view.timeStyle.value),
    hosts.length > 1 && hostName(hosts, host),
    cpu >= 0 && `CPU ${cpu}`,
    thread && `${visibleText(thread.name)} ${thread.tid}`,
  ].filter((part) => typeof part === 'string');
  return (
    <>
      <h3 class="ellipsis" title={visibleText(name)}>
        {visibleText(name)}
      </h3>
      <p class="event-where muted">
        {where.join(', ')}
        <br />
        {visibleText(stream)}, packet {formatCount(place.packet)}, event {formatCount(place.event)}
      </p>
      {details !== undefined && (
        <div class="event-actions">
          <CopyButton title="Copy as text" text={() => eventText(event, details)} />
          <CopyButton title="Copy as JSON" text={() => eventJson(event, details)} />
        </div>
      )}
    </>
  );
}

interface ScopeProps {
  readonly title: string;
  /** Its name. */
  readonly event: string;
  readonly of: ScopeFields;
  /** The filter that accepts the field's value alone; undefined: it cannot be compared. */
  filterOf(field: EventField): string | undefined;
  onFilter(filter: string): void;
}

function Scope({ title, event, of: { fields, total }, filterOf, onFilter }: ScopeProps) {
  if (total === 0) return null;
  return (
    <section aria-label={title}>
      <h4>
        {title} <span class="faint">{plural(total, 'field')}</span>
      </h4>
      {fields.map((field, i) => (
        <Field key={i} event={event} field={field} filter={filterOf(field)} onFilter={onFilter} />
      ))}
      {total > fields.length && <p class="faint">{formatCount(total - fields.length)} more are not shown.</p>}
    </section>
  );
}

interface FieldProps {
  readonly event: string;
  readonly field: EventField;
  readonly filter: string | undefined;
  onFilter(filter: string): void;
}

function Field({ event, field, filter, onFilter }: FieldProps) {
  const { name, type, text } = field;
  const notes = notesOf(event, field);
  return (
    <div class="event-field">
      <span class="mono ellipsis muted" title={visibleText(name)}>
        {visibleText(name)}
      </span>
      <span class="event-value">
        <span class="mono">{shown(text)}</span>
        {notes.length > 0 && <span class="muted"> {notes.join(' · ')}</span>}
      </span>
      <span class="faint mono ellipsis" title={type}>
        {type}
      </span>
      {filter !== undefined && (
        <button
          class="button only-icon"
          title="Filter by this value"
          aria-label={`Filter by this value of ${visibleText(name)}`}
          onClick={() => onFilter(filter)}
        >
          <Icon name="filter" />
        </button>
      )}
    </div>
  );
}

/** Notes on a field: the label of its value, the value in another base, and its meaning. */
function notesOf(event: string, { name, text, json, labels, bits }: EventField): string[] {
  const value = bits === undefined ? undefined : BigInt(json);
  const found = [
    ...labels.map(visibleText),
    value !== undefined && text !== json && json,
    value !== undefined && !text.startsWith('0x') && hexOf(value, bits ?? 64),
    value === undefined ? addressMeaning(name, json) : fieldMeaning(event, name, value)?.words,
  ];
  return found.filter((note) => typeof note === 'string');
}

/** The value in base 16 and two's complement; undefined: one digit, the same in both bases. */
function hexOf(value: bigint, bits: number): string | undefined {
  return value >= 0n && value < 10n ? undefined : `0x${BigInt.asUintN(bits, value).toString(16)}`;
}

function shown(text: string): string {
  return visibleCharacters(cutText(text, MOST_CHARACTERS));
}

function Bytes({ of: { offset, length, bytes } }: { readonly of: EventDetails['bytes'] }) {
  const few = bytes.subarray(0, MOST_BYTES);
  return (
    <section aria-label="Bytes">
      <h4>
        Bytes{' '}
        <span class="faint">{`${formatCount(length)} from byte ${formatCount(offset)} of the file`}</span>
      </h4>
      {/* Wider than the pane where that is narrow: keys scroll it. */}
      <pre class="event-bytes mono" tabIndex={0}>
        {hexDump(few, offset)}
      </pre>
      {length > few.length && <p class="faint">{formatCount(length - few.length)} more are not shown.</p>}
    </section>
  );
}
