/**
 * Track events of Perfetto's SDK (`track_event/track_event.proto`) and marks that programs write into ftrace: begins and
 * ends of slices, instants, and values of counters.
 */
import {
  CLOCKS,
  INTERNED_DATA,
  TRACK_DESCRIPTOR,
  TRACK_EVENT,
  TRACK_EVENT_TYPE,
} from '../../trace/perfetto-fields.ts';
import type { LeaveOut } from './ftrace.ts';
import type { ProgramEvents, ProgramFields, ProgramThread } from './program-events.ts';
import { eachNumber, type Id, idOf, type Sequence } from './sequences.ts';
import type { PerfettoThreads } from './threads.ts';
import { ANNOTATION, COUNTER_DESCRIPTOR, LEGACY_EVENT } from './track-fields.ts';
import type { Message } from './wire.ts';

/** Tracks that a track may lie in. */
const MOST_PARENTS = 16;
/** Arguments of an event that are kept, and characters of one. */
const MOST_ARGUMENTS = 16;
const MOST_TEXT = 200;

interface Track {
  readonly name: string;
  readonly parent: Id;
  readonly pid: number;
  readonly tid: number;
  readonly counter: { readonly factor: bigint; readonly isIncremental: boolean } | undefined;
}

/** Events by what they do: on the track of a thread, and on others. */
const NAMES = {
  begin: ['perfetto:slice_begin', 'perfetto:async_begin'],
  end: ['perfetto:slice_end', 'perfetto:async_end'],
  instant: ['perfetto:instant', 'perfetto:instant'],
} as const;

/** Contents of a `TrackEvent`. */
interface TrackEvent {
  type: number;
  name: string;
  categories: string[];
  track: Id;
  flows: string[];
  arguments: string[];
  value: bigint | undefined;
  double: number | undefined;
  extraTracks: Id[];
  extraValues: bigint[];
  absoluteUs: bigint | undefined;
  legacy: LegacyEvent | undefined;
}

interface LegacyEvent {
  readonly phase: string;
  readonly durationUs: bigint;
  readonly id: Id | undefined;
  readonly pid: number;
  readonly tid: number;
}

export class TrackEvents {
  readonly #events: ProgramEvents;
  readonly #threads: PerfettoThreads;
  readonly #leaveOut: LeaveOut;
  readonly #tracks = new Map<Id, Track>();

  constructor(events: ProgramEvents, threads: PerfettoThreads, leaveOut: LeaveOut) {
    this.#events = events;
    this.#threads = threads;
    this.#leaveOut = leaveOut;
  }

  descriptor(message: Message, time: bigint | undefined): void {
    let uuid: Id = 0;
    let parent: Id = 0;
    let name = '';
    let pid = 0;
    let tid = 0;
    let counter: Track['counter'];
    while (message.next()) {
      if (message.field === TRACK_DESCRIPTOR.uuid) uuid = idOf(message);
      else if (message.field === TRACK_DESCRIPTOR.parent) parent = idOf(message);
      else if (message.field === TRACK_DESCRIPTOR.name || message.field === TRACK_DESCRIPTOR.staticName)
        name = message.text.slice(0, MOST_TEXT);
      else if (message.field === TRACK_DESCRIPTOR.process) pid = this.#threads.process(message.message, time);
      else if (message.field === TRACK_DESCRIPTOR.thread)
        ({ pid, tid } = this.#threads.thread(message.message, time));
      else if (message.field === TRACK_DESCRIPTOR.counter) counter = counterOf(message.message);
    }
    this.#tracks.set(uuid, { name, parent, pid, tid, counter });
  }

  /** @param timeOf time of a packet, ns of the trace's clock, or of a clock in the event itself */
  event(
    message: Message,
    sequence: Sequence,
    packetTime: bigint | undefined,
    toTrace: (time: bigint, clock: number) => bigint | undefined,
  ): void {
    const event = readEvent(message, sequence);
    const { absoluteUs } = event;
    const time =
      packetTime ?? (absoluteUs === undefined ? undefined : toTrace(absoluteUs * 1000n, CLOCKS.monotonic));
    if (time === undefined) {
      this.#leaveOut('track_event (type 11) whose clock no snapshot explains');
      return;
    }
    const extra = event.extraTracks.length > 0 ? event.extraTracks : sequence.extraTracks;
    event.extraValues.forEach((value, i) => {
      if (i < extra.length) this.#count(extra[i], sequence, value, time);
    });
    const track = this.#tracks.get(event.track);
    if (event.type === TRACK_EVENT_TYPE.counter) {
      if (event.double !== undefined) this.#countDouble(event.track, event.double, time);
      else this.#count(event.track, sequence, event.value ?? 0n, time);
    } else if (event.legacy !== undefined && event.type === 0)
      this.#legacy(event, event.legacy, sequence, time);
    else {
      const step =
        event.type === TRACK_EVENT_TYPE.begin
          ? 'begin'
          : event.type === TRACK_EVENT_TYPE.end
            ? 'end'
            : 'instant';
      const { thread, isThread } = this.#threadOf(event.track, sequence);
      this.#step(step, time, thread, isThread, event, isThread ? undefined : track?.name, event.track);
    }
  }

  /**
   * Takes the text of a mark, as Android's programs write them: `B|PID|NAME`, `E|PID`, `S|PID|NAME|COOKIE`,
   * `F|PID|NAME|COOKIE`, `C|PID|NAME|VALUE`, `I|PID|NAME` (system/core/libcutils/trace-dev.inc of Android).
   */
  mark(text: string, tid: number | undefined, time: bigint): void {
    const [kind, pid = '', name = '', more = ''] = text.trimEnd().split('|', 4);
    if (!/^[BESFCI]$/.test(kind) || (text.length > 1 && text[1] !== '|' && text.trimEnd() !== 'E')) return;
    const vpid = /^\d{1,9}$/.test(pid) ? Number(pid) : undefined;
    const thread: ProgramThread = { vtid: tid, vpid };
    const shown = name.slice(0, MOST_TEXT);
    if (kind === 'C') {
      const value = /^-?\d{1,18}$/.test(more) ? BigInt(more) : undefined;
      if (value !== undefined) this.#events.add('perfetto:counter', time, thread, { name: shown, value });
    } else if (kind === 'B' || kind === 'E' || kind === 'I') {
      const [own] = NAMES[kind === 'B' ? 'begin' : kind === 'E' ? 'end' : 'instant'];
      this.#events.add(
        own,
        time,
        thread,
        kind === 'E' ? { track_id: 0n } : { name: shown, category: '', arguments: '', track_id: 0n },
      );
    } else {
      const [, own] = NAMES[kind === 'S' ? 'begin' : 'end'];
      this.#events.add(
        own,
        time,
        { vtid: vpid, vpid },
        { name: shown, category: '', async_id: `${shown} ${more}` },
      );
    }
  }

  #step(
    step: keyof typeof NAMES,
    time: bigint,
    thread: ProgramThread,
    isThread: boolean,
    { name, categories, flows, arguments: own }: TrackEvent,
    trackName: string | undefined,
    id: Id | string,
  ): void {
    const track: ProgramFields =
      isThread && typeof id !== 'string' ? { track_id: BigInt(id) } : { async_id: String(id) };
    const more = { arguments: own.join(', '), ...track, flows: flows.join(', ') };
    const fields: ProgramFields =
      step === 'end' ? more : { name, category: categories.join(', '), track: trackName, ...more };
    this.#events.add(NAMES[step][isThread ? 0 : 1], time, thread, fields);
  }

  #legacy(event: TrackEvent, legacy: LegacyEvent, sequence: Sequence, time: bigint): void {
    const { phase, durationUs, id } = legacy;
    const found = this.#threadOf(event.track, sequence);
    const own = {
      vtid: legacy.tid > 0 ? legacy.tid : found.thread.vtid,
      vpid: legacy.pid > 0 ? legacy.pid : found.thread.vpid,
    };
    const thread = { ...found.thread, ...own };
    const steps = LEGACY[phase];
    if (steps === undefined) {
      this.#leaveOut(`track_event (type 11) of phase ${phase}`);
      return;
    }
    const { step, isAsync } = steps;
    const key = isAsync ? `${event.categories.join()} ${String(id ?? event.name)}` : event.track;
    const isThread = !isAsync;
    this.#step(step, time, thread, isThread, event, undefined, key);
    if (phase === 'X') this.#step('end', time + durationUs * 1000n, thread, isThread, event, undefined, key);
  }

  #count(id: Id, sequence: Sequence, given: bigint, time: bigint): void {
    const track = this.#tracks.get(id);
    let value = given;
    if (track?.counter?.isIncremental === true) {
      value += sequence.counters.get(id) ?? 0n;
      sequence.counters.set(id, value);
    }
    const scaled = BigInt.asIntN(64, value * (track?.counter?.factor ?? 1n));
    this.#events.add('perfetto:counter', time, this.#threadOf(id, sequence).thread, {
      name: this.#counterName(id, track),
      value: scaled,
    });
  }

  #countDouble(id: Id, value: number, time: bigint): void {
    const thousandths = Math.round(1000 * value);
    if (!Number.isSafeInteger(thousandths))
      return this.#leaveOut('track_event (type 11) of a number that is too great');
    const name = this.#counterName(id, this.#tracks.get(id));
    this.#events.add('perfetto:fraction', time, {}, { name, thousandths: BigInt(thousandths) });
  }

  #counterName(id: Id, track: Track | undefined): string {
    return track?.name ?? `counter ${String(id)}`;
  }

  /** The thread of a track: its own, or the main thread of the process that it lies in. */
  #threadOf(id: Id, sequence: Sequence): { readonly thread: ProgramThread; readonly isThread: boolean } {
    let track = this.#tracks.get(id);
    if (track === undefined && sequence.thread !== undefined && id === 0) {
      const { pid, tid } = sequence.thread;
      return { thread: this.#named(tid, pid), isThread: true };
    }
    const isThread = track !== undefined && track.tid > 0;
    for (let i = 0; i < MOST_PARENTS && track !== undefined; i++) {
      const { pid, tid } = track;
      if (tid > 0 || pid > 0) return { thread: this.#named(tid > 0 ? tid : pid, pid), isThread };
      track = this.#tracks.get(track.parent);
    }
    return { thread: {}, isThread: false };
  }

  #named(vtid: number, vpid: number): ProgramThread {
    const procname = this.#threads.nameOf(vtid);
    return { vtid, vpid: vpid > 0 ? vpid : undefined, procname: procname === '' ? undefined : procname };
  }
}

/** Phases of the older form (`TRACE_EVENT_PHASE_…` of Chromium's trace_event_common.h). */
const LEGACY: Readonly<
  Record<string, { readonly step: keyof typeof NAMES; readonly isAsync: boolean } | undefined>
> = {
  B: { step: 'begin', isAsync: false },
  E: { step: 'end', isAsync: false },
  X: { step: 'begin', isAsync: false },
  I: { step: 'instant', isAsync: false },
  i: { step: 'instant', isAsync: false },
  R: { step: 'instant', isAsync: false },
  S: { step: 'begin', isAsync: true },
  F: { step: 'end', isAsync: true },
  b: { step: 'begin', isAsync: true },
  e: { step: 'end', isAsync: true },
  n: { step: 'instant', isAsync: true },
};

function readEvent(message: Message, sequence: Sequence): TrackEvent {
  const event: TrackEvent = {
    type: 0,
    name: '',
    categories: [],
    track: sequence.track,
    flows: [],
    arguments: [],
    value: undefined,
    double: undefined,
    extraTracks: [],
    extraValues: [],
    absoluteUs: undefined,
    legacy: undefined,
  };
  while (message.next()) {
    switch (message.field) {
      case TRACK_EVENT.type:
        event.type = message.low;
        break;
      case TRACK_EVENT.name:
        event.name = message.text.slice(0, MOST_TEXT);
        break;
      case TRACK_EVENT.nameId:
        event.name = sequence.name(INTERNED_DATA.eventNames, idOf(message));
        break;
      case TRACK_EVENT.track:
        event.track = idOf(message);
        break;
      case TRACK_EVENT.category:
        eachNumber(message, (id) =>
          addTo(event.categories, sequence.name(INTERNED_DATA.categories, idOf(id))),
        );
        break;
      case TRACK_EVENT.categoryText:
        addTo(event.categories, message.text);
        break;
      case TRACK_EVENT.flow:
      case TRACK_EVENT.endedFlow:
        eachFixed(message, (id) => addTo(event.flows, `0x${id.toString(16)}`));
        break;
      case TRACK_EVENT.flowOld:
      case TRACK_EVENT.endedFlowOld:
        eachNumber(message, (id) => addTo(event.flows, `0x${id.bigint.toString(16)}`));
        break;
      case TRACK_EVENT.annotation:
        addTo(event.arguments, annotation(message.message, sequence));
        break;
      case TRACK_EVENT.counter:
        event.value = BigInt.asIntN(64, message.bigint);
        break;
      case TRACK_EVENT.doubleCounter:
        event.double = message.double;
        break;
      case TRACK_EVENT.extraTracks:
        eachNumber(message, (id) => event.extraTracks.push(idOf(id)));
        break;
      case TRACK_EVENT.extraValues:
        eachNumber(message, (value) => event.extraValues.push(BigInt.asIntN(64, value.bigint)));
        break;
      case TRACK_EVENT.absoluteUs:
        event.absoluteUs = message.bigint;
        break;
      case TRACK_EVENT.legacy:
        event.legacy = readLegacy(message.message, event, sequence);
        break;
    }
  }
  return event;
}

function readLegacy(message: Message, event: TrackEvent, sequence: Sequence): LegacyEvent {
  const legacy = { phase: '', durationUs: 0n, id: undefined as Id | undefined, pid: 0, tid: 0 };
  while (message.next()) {
    if (message.field === LEGACY_EVENT.phase) legacy.phase = String.fromCharCode(message.low & 0x7f);
    else if (message.field === LEGACY_EVENT.durationUs) legacy.durationUs = BigInt.asIntN(64, message.bigint);
    else if (message.field === LEGACY_EVENT.pid) legacy.pid = message.low;
    else if (message.field === LEGACY_EVENT.tid) legacy.tid = message.low;
    else if (message.field === LEGACY_EVENT.nameId)
      event.name = sequence.name(INTERNED_DATA.eventNames, idOf(message));
    else if (IDS.has(message.field)) legacy.id = idOf(message);
  }
  return legacy;
}

const IDS: ReadonlySet<number> = new Set([
  LEGACY_EVENT.unscopedId,
  LEGACY_EVENT.localId,
  LEGACY_EVENT.globalId,
]);

/** `NAME=VALUE` of an annotation; of values within values their number. */
function annotation(message: Message, sequence: Sequence): string {
  let name = '';
  let value = '…';
  while (message.next()) {
    const { field } = message;
    if (field === ANNOTATION.name) name = message.text;
    else if (field === ANNOTATION.nameId) name = sequence.name(INTERNED_DATA.annotationNames, idOf(message));
    else if (field === ANNOTATION.boolean) value = message.low === 0 ? 'false' : 'true';
    else if (field === ANNOTATION.unsigned) value = String(message.bigint);
    else if (field === ANNOTATION.signed) value = String(BigInt.asIntN(64, message.bigint));
    else if (field === ANNOTATION.double) value = String(message.double);
    else if (field === ANNOTATION.pointer) value = `0x${message.bigint.toString(16)}`;
    else if (field === ANNOTATION.text || field === ANNOTATION.json) value = message.text;
    else if (field === ANNOTATION.textId) value = sequence.name(INTERNED_DATA.annotationTexts, idOf(message));
  }
  return `${name}=${value}`.slice(0, MOST_TEXT);
}

function counterOf(message: Message): NonNullable<Track['counter']> {
  let factor = 1n;
  let isIncremental = false;
  while (message.next()) {
    if (message.field === COUNTER_DESCRIPTOR.factor && message.number > 0) factor = message.bigint;
    else if (message.field === COUNTER_DESCRIPTOR.isIncremental) isIncremental = message.low !== 0;
  }
  return { factor, isIncremental };
}

/** Calls with each number of a fixed size of the field at hand. */
function eachFixed(message: Message, take: (number: bigint) => void): void {
  if (message.to === message.from) {
    take(message.bigint);
    return;
  }
  const { bytes, from, to } = message;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = from; at + 8 <= to; at += 8) take(view.getBigUint64(at, true));
}

function addTo(list: string[], text: string): void {
  if (list.length < MOST_ARGUMENTS) list.push(text.slice(0, MOST_TEXT));
}
