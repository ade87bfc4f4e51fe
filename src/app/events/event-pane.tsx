/** Details of one event, beside the table: where it was recorded, every field with type and meaning, its bytes. */
import { IconButton } from '../controls/button.tsx';
import type { ReadonlySignal } from '@preact/signals';
import { cutText } from '../../engine/base/visible-text.ts';
import type { EventDetails, EventRow, EventScope } from '../../engine/protocol/events.ts';
import type { EventField, ScopeFields } from '../../engine/export/event-fields.ts';
import { useApp } from '../context/app-context.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { formatCount } from '../format/numbers.ts';
import { hostName, plural, visibleCharacters, visibleText } from '../format/text.ts';
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import { addressMeaning, fieldMeaning } from './field-meaning.ts';
import { quoted } from './show-events.ts';

const TITLES: Readonly<Record<EventScope, string>> = {
  payload: 'Payload',
  context: 'Event context',
  common: 'Stream context',
  header: 'Event header',
  packet: 'Packet context',
  packetHeader: 'Packet header',
};
/** Scopes in the order in which they are shown and copied. */
const SCOPES = Object.keys(TITLES) as readonly EventScope[];

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
      {SCOPES.map((scope) => (
        <Scope
          key={scope}
          {...{ title: TITLES[scope], event, onFilter }}
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
        <IconButton
          icon="filter"
          label={`Filter by this value of ${visibleText(name)}`}
          title="Filter by this value"
          onClick={() => onFilter(filter)}
        />
      )}
    </div>
  );
}

/** Notes on a field: label of its value, value in another base, meaning. */
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

/** The value in base 16 and two's complement; undefined: one digit, which is the same in both bases. */
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
      {/* May be wider than the pane, so it can be focused and scrolled by keys. */}
      <pre class="event-bytes mono" tabIndex={0}>
        {hexDump(few, offset)}
      </pre>
      {length > few.length && <p class="faint">{formatCount(length - few.length)} more are not shown.</p>}
    </section>
  );
}

/** Bytes in a line of a hex dump. */
const A_LINE = 8;

/**
 * Lines of eight bytes: where they are in the file, the bytes, and the characters of ASCII among them.
 * @param offset of the first byte
 * @internal
 */
export function hexDump(bytes: Uint8Array, offset: number): string {
  const last = offset + bytes.length;
  const digits = Math.max(8, last.toString(16).length);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += A_LINE) {
    const line = Array.from(bytes.subarray(at, at + A_LINE));
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = line
      .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
      .join('');
    lines.push(
      `${(offset + at).toString(16).padStart(digits, '0')}  ${hex.padEnd(3 * A_LINE - 1)}  ${ascii}`,
    );
  }
  return lines.join('\n');
}

/** Names of the fields of every event: payload fields with these names are written with their scope. */
const KNOWN = new Set(['name', 'cpu', 'host', 'time', 'tid', 'pid', 'thread', 'process']);
const WORDS = new Set(['and', 'or', 'not', 'in']);

/** Longest value in a filter, since the length of filters is limited. */
const LONGEST = 1000;

/**
 * @param json the value: a whole number, or a text in quotes
 * @returns undefined: the field cannot be compared
 * @internal
 */
export function filterWith(
  filter: string,
  scope: EventScope,
  field: string,
  json: string,
): string | undefined {
  const name = nameIn(scope, field);
  if (name === undefined || json.length > LONGEST || !/^(?:-?\d+$|")/.test(json)) return undefined;
  const value = json.startsWith('"') ? quoted(JSON.parse(json) as string) : json;
  return filter.trim() === '' ? `${name}=${value}` : `${inBrackets(filter.trim())} and ${name}=${value}`;
}

/** Name of the field in filters; undefined: filters cannot name it. */
function nameIn(scope: EventScope, field: string): string | undefined {
  if (!/^[^\s=<>!(),"&|]+$/.test(field)) return undefined;
  if (scope === 'context' || scope === 'common') return `context.${field}`;
  if (scope !== 'payload') return undefined;
  return KNOWN.has(field) || WORDS.has(field) ? `payload.${field}` : field;
}

/** The filter in brackets if it has an `or`, which binds less than `and`. */
function inBrackets(filter: string): string {
  return /\bor\b|\|\|/.test(filter) ? `(${filter})` : filter;
}

/** A line with time (ns since the first event), CPU and name, then one for each field. @internal */
export function eventText({ timeNs, cpu, name }: EventRow, details: EventDetails): string {
  const lines = SCOPES.flatMap((scope) =>
    details[scope].fields.map((field) => {
      const labels = field.labels.length === 0 ? '' : ` (${field.labels.join(', ')})`;
      return `${field.name} = ${field.text}${labels}`;
    }),
  );
  return [`${timeNs} ns${cpu < 0 ? '' : `, CPU ${cpu}`}: ${name}`, ...lines].join('\n');
}

/** An object; `time` is ns since the first event. Numbers have all of their digits. @internal */
export function eventJson({ timeNs, cpu, name }: EventRow, details: EventDetails): string {
  const objectOf = ({ fields }: ScopeFields) =>
    `{${fields.map((field) => `${JSON.stringify(field.name)}:${field.json}`).join(',')}}`;
  const scopes = SCOPES.filter((scope) => details[scope].fields.length > 0);
  const parts = [
    `"time":${timeNs}`,
    ...(cpu < 0 ? [] : [`"cpu":${cpu}`]),
    `"name":${JSON.stringify(name)}`,
    ...scopes.map((scope) => `"${scope}":${objectOf(details[scope])}`),
  ];
  return `{${parts.join(',')}}`;
}
