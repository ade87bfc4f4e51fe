/**
 * The text of CTF 2 metadata → the model of its trace (CTF2-SPEC-2.0, "Metadata stream"): a preamble first, at most
 * one trace class before the first data stream class, at least one data stream class; fragments come after those that
 * they name.
 */
import { compare } from '../../../base/compare.ts';
import type { ClockClass, EventClass, StreamClass, TraceModel } from '../../model.ts';
import { MAX_EVENTS } from '../limits.ts';
import {
  readModel,
  RECORD_SEPARATOR,
  refuse,
  reject,
  type Metadata,
  type Reading,
  type Source,
} from '../source.ts';
import type { Result } from '../../../base/fault.ts';
import { Binder } from './bind.ts';
import type { Draft } from './draft.ts';
import { readAlias, type ClassReading } from './field-classes.ts';
import type { Roots } from './field-location.ts';
import {
  readClockClass,
  readEventClass,
  readPreamble,
  readStreamClass,
  readTraceClass,
  type EventFragment,
  type StreamFragment,
  type TraceFragment,
} from './fragments.ts';
import { readJson, type JsonObject, type JsonValue } from './json.ts';
import { objectOf, refuseValue, required, textOf } from './properties.ts';
import { mostBegins, withCpu } from './roles.ts';

interface Stream {
  readonly fragment: StreamFragment;
  readonly clock: number | undefined;
  readonly events: Map<bigint, EventFragment>;
}

/** Reads metadata in time linear in the text, except for what aliases multiply, which is bounded. */
export function readCtf2({ text, file }: Source): Result<Metadata> {
  return readModel({ text, file, parts: findTexts(text) }, (reading) => {
    const draft = new TraceDraft(reading);
    readJsonSequence(reading.source).forEach((value, index) => {
      draft.add(objectOf(reading, value), index === 0);
    });
    return draft.model();
  });
}

/**
 * Finds the begins of the texts of a JSON text sequence (RFC 7464): each follows a record separator, which no JSON
 * text can contain. Texts before the first separator and blank ones are skipped, as the RFC allows.
 */
function findTexts(text: string): number[] {
  const begins: number[] = [];
  for (let at = text.indexOf(RECORD_SEPARATOR); at >= 0; at = text.indexOf(RECORD_SEPARATOR, at + 1)) {
    begins.push(at + 1);
  }
  return begins;
}

/** @param source its parts are the JSON texts */
function readJsonSequence(source: Source): JsonValue[] {
  const { text, parts = [] } = source;
  return parts.flatMap((begin, index) => {
    const end = index + 1 < parts.length ? parts[index + 1] - 1 : text.length;
    const piece = text.slice(begin, end);
    return piece.trim() === '' ? [] : [readJson(source, piece, begin)];
  });
}

class TraceDraft {
  readonly #reading: ClassReading;
  readonly #aliases = new Map<string, Draft>();
  readonly #clockIndexes = new Map<string, number>();
  readonly #clocks: ClockClass[] = [];
  readonly #streams = new Map<bigint, Stream>();
  #uuid: string | undefined;
  #trace: TraceFragment | undefined;

  constructor(reading: Reading) {
    this.#reading = { ...reading, aliases: this.#aliases };
  }

  add(object: JsonObject, isFirst: boolean): void {
    const type = textOf(this.#reading, required(this.#reading, object, 'type'));
    if ((type.text === 'preamble') !== isFirst)
      refuseValue(this.#reading, type, isFirst ? 'a preamble as the first fragment' : 'one preamble');
    switch (type.text) {
      case 'preamble':
        this.#uuid = readPreamble(this.#reading, object);
        return;
      case 'field-class-alias':
        this.#aliases.set(...readAlias(this.#reading, object));
        return;
      case 'trace-class':
        return this.#addTrace(object);
      case 'clock-class':
        return this.#addClock(object);
      case 'data-stream-class':
        return this.#addStream(object);
      case 'event-record-class':
        return this.#addEvent(object);
      default:
        refuseValue(this.#reading, type, 'a type of fragments');
    }
  }

  #addTrace(object: JsonObject): void {
    if (this.#trace !== undefined) this.#reject(object, 'one trace class', 'a second one');
    if (this.#streams.size > 0)
      this.#reject(object, 'the trace class before data stream classes', 'one after');
    this.#trace = readTraceClass(this.#reading, object);
  }

  #addClock(object: JsonObject): void {
    const { id, clock } = readClockClass(this.#reading, object);
    if (this.#clockIndexes.has(id))
      this.#reject(object, 'ids of clock classes that differ', `\`${id}\` again`);
    this.#clockIndexes.set(id, this.#clocks.length);
    this.#clocks.push(clock);
  }

  #addStream(object: JsonObject): void {
    const fragment = readStreamClass(this.#reading, object);
    const { id, clockId, clockAt } = fragment;
    if (this.#streams.has(id)) this.#reject(object, 'ids of data stream classes that differ', `${id} again`);
    const clock = clockId === undefined ? undefined : this.#clockIndexes.get(clockId);
    if (clockId !== undefined && clock === undefined)
      reject(this.#reading.source, clockAt, 'the id of a clock class before', `\`${clockId}\``);
    this.#streams.set(id, { fragment, clock, events: new Map() });
  }

  #addEvent(object: JsonObject): void {
    const event = readEventClass(this.#reading, object);
    const stream = this.#streams.get(event.streamId);
    if (stream === undefined)
      this.#reject(object, 'the id of a data stream class before', String(event.streamId));
    if (stream.events.has(event.id))
      this.#reject(
        object,
        'ids of event record classes that differ in a data stream class',
        `${event.id} again`,
      );
    if (stream.events.size === MAX_EVENTS) {
      const expected = `at most ${MAX_EVENTS} event record classes in a data stream class`;
      refuse(this.#reading.source, object.at, 'over-limit', expected);
    }
    stream.events.set(event.id, event);
  }

  #reject(object: JsonObject, expected: string, found: string): never {
    reject(this.#reading.source, object.at, expected, found);
  }

  model(): TraceModel {
    const { source } = this.#reading;
    if (this.#streams.size === 0) reject(source, source.text.length, 'a data stream class', 'none');
    const { namespace, name, uid, environment = [], packetHeader } = this.#trace ?? {};
    const binder = new Binder(this.#reading, this.#uuid !== undefined);
    const roots: Roots = { 'packet-header': packetHeader };
    return {
      version: '2.0',
      uuid: this.#uuid,
      namespace,
      name,
      uid,
      byteOrder: 'le',
      environment,
      packetHeader: binder.bind({ scope: 'packet-header', roots, hasClock: false }),
      clocks: this.#clocks,
      streams: [...this.#streams.values()].map((stream) => linkStream(source, binder, roots, stream)),
    };
  }
}

function linkStream(
  source: Source,
  binder: Binder,
  outer: Roots,
  { fragment, clock, events }: Stream,
): StreamClass {
  const { id, name, packetContext, eventHeader, eventContext } = fragment;
  const roots: Roots = {
    ...outer,
    'packet-context': packetContext,
    'event-header': eventHeader,
    'event-common-context': eventContext,
  };
  const site = { roots, hasClock: clock !== undefined };
  const context = binder.bind({ ...site, scope: 'packet-context' });
  // Each would update the clock that the one before has set; the packet index takes the last one for all.
  if (packetContext !== undefined && context !== undefined && mostBegins(context) > 1)
    refuse(source, packetContext.at, 'unsupported', 'one default clock timestamp in the packet context');
  return {
    id,
    name,
    packetContext: context && withCpu(context),
    eventHeader: binder.bind({ ...site, scope: 'event-header' }),
    eventContext: binder.bind({ ...site, scope: 'event-common-context' }),
    clock,
    events: [...events.values()]
      .sort((a, b) => compare(a.id, b.id))
      .map((event) => linkEvent(binder, roots, event)),
  };
}

function linkEvent(binder: Binder, outer: Roots, event: EventFragment): EventClass {
  const { id, name, logLevel, context, payload } = event;
  const roots: Roots = { ...outer, 'event-context': context, 'event-payload': payload };
  return {
    id,
    name,
    logLevel,
    context: binder.bind({ roots, hasClock: false, scope: 'event-context' }),
    payload: binder.bind({ roots, hasClock: false, scope: 'event-payload' }),
  };
}
