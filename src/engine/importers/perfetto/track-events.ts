/**
 * Track events of Perfetto's SDK (`track_event/track_event.proto`): begins and ends of slices, instants, and values of
 * counters.
 */
import {
  CLOCKS,
  INTERNED_DATA,
  TRACK_DESCRIPTOR,
  TRACK_EVENT,
  TRACK_EVENT_TYPE,
} from '../../trace/perfetto-fields.ts';
import type { CtfOutput } from '../ctf-output.ts';
import { Moment } from '../field-bytes.ts';
import { type Field, FieldEvents, textField } from '../field-events.ts';
import type { ImportRun } from '../import-run.ts';
import { type CpuStream, OrderedStreams } from './ordered-streams.ts';
import type { Sequence } from './sequences.ts';
import type { PerfettoThreads } from './threads.ts';
import { ANNOTATION, COUNTER_DESCRIPTOR, LEGACY_EVENT } from './track-fields.ts';
import * as wire from './wire.ts';

/** Greatest depth of nested tracks. */
const MOST_PARENTS = 16;
/** Arguments of an event that are kept, and characters of one. */
const MOST_ARGUMENTS = 16;
const MOST_TEXT = 200;

interface Track {
  readonly name: string;
  readonly parent: wire.Id;
  readonly pid: number;
  readonly tid: number;
  readonly counter: wire.Read<typeof COUNTER_DESCRIPTOR> | undefined;
}

/** Names of events by their step: on the track of a thread, and on others. */
const NAMES = {
  begin: ['perfetto:slice_begin', 'perfetto:async_begin'],
  end: ['perfetto:slice_end', 'perfetto:async_end'],
  instant: ['perfetto:instant', 'perfetto:instant'],
} as const;

/** A `TrackEvent`, with its names resolved. */
interface TrackEvent extends wire.Read<typeof EVENT> {
  readonly name: string;
  readonly category: string;
  readonly arguments: string;
  readonly flows: string;
}

export class TrackEvents {
  readonly #tracks = new Map<wire.Id, Track>();

  constructor(
    private readonly events: ProgramEvents,
    private readonly threads: PerfettoThreads,
    private readonly run: ImportRun,
  ) {}

  descriptor(message: wire.Message, time: bigint | undefined): void {
    const { uuid = 0, parent = 0, name, staticName = '', ...more } = message.read(DESCRIPTOR);
    const { process, thread, counter } = more;
    const pid = process && this.threads.process(process, time);
    const own = thread && this.threads.thread(thread, time);
    this.#tracks.set(uuid, {
      name: (name ?? staticName).slice(0, MOST_TEXT),
      parent,
      pid: own?.pid ?? pid ?? 0,
      tid: own?.tid ?? 0,
      counter,
    });
  }

  /** @param timeOf time of a packet, ns of the trace's clock, or of a clock in the event itself */
  event(
    message: wire.Message,
    sequence: Sequence,
    packetTime: bigint | undefined,
    toTrace: (time: bigint, clock: number) => bigint | undefined,
  ): void {
    const event = readEvent(message, sequence);
    const { type, track: id = sequence.track, absoluteUs, legacy, double } = event;
    const time =
      packetTime ?? (absoluteUs === undefined ? undefined : toTrace(absoluteUs * 1000n, CLOCKS.monotonic));
    if (time === undefined)
      return this.run.leaveOut('track_event (type 11) whose clock no snapshot explains');
    const { extraTracks: extra = sequence.extraTracks, extraValues = [] } = event;
    extraValues.slice(0, extra.length).forEach((value, i) => this.#count(extra[i], sequence, value, time));
    if (type === TRACK_EVENT_TYPE.counter) {
      if (double !== undefined) this.#countDouble(id, double, time);
      else this.#count(id, sequence, event.value ?? 0n, time);
    } else if (legacy !== undefined && (type ?? 0) === 0) this.#legacy(event, id, legacy, sequence, time);
    else {
      const step = STEPS[type ?? 0] ?? 'instant';
      const { thread, isThread } = this.#threadOf(id, sequence);
      const name = isThread ? undefined : this.#tracks.get(id)?.name;
      this.#step(step, time, thread, isThread, event, name, id);
    }
  }

  #step(
    step: keyof typeof NAMES,
    time: bigint,
    thread: ProgramThread,
    isThread: boolean,
    { name, category, flows, arguments: own }: TrackEvent,
    trackName: string | undefined,
    id: wire.Id | string,
  ): void {
    const track: ProgramFields =
      isThread && typeof id !== 'string' ? { track_id: BigInt(id) } : { async_id: String(id) };
    const more = { arguments: own, ...track, flows };
    const fields: ProgramFields = step === 'end' ? more : { name, category, track: trackName, ...more };
    this.events.add(NAMES[step][isThread ? 0 : 1], time, thread, fields);
  }

  #legacy(
    event: TrackEvent,
    track: wire.Id,
    legacy: wire.Read<typeof LEGACY_EVENT>,
    sequence: Sequence,
    time: bigint,
  ): void {
    const { durationUs = 0n, pid = 0, tid = 0 } = legacy;
    const phase = String.fromCharCode((legacy.phase ?? 0) & 0x7f);
    const id = legacy.globalId ?? legacy.localId ?? legacy.unscopedId;
    const found = this.#threadOf(track, sequence);
    const thread = { ...found.thread, ...(tid > 0 && { vtid: tid }), ...(pid > 0 && { vpid: pid }) };
    const steps = LEGACY[phase];
    if (steps === undefined) return this.run.leaveOut(`track_event (type 11) of phase ${phase}`);
    const [step, isThread] = steps;
    const key = isThread ? track : `${event.category.replaceAll(', ', ',')} ${String(id ?? event.name)}`;
    this.#step(step, time, thread, isThread, event, undefined, key);
    if (phase === 'X') this.#step('end', time + durationUs * 1000n, thread, isThread, event, undefined, key);
  }

  #count(id: wire.Id, sequence: Sequence, given: bigint, time: bigint): void {
    const track = this.#tracks.get(id);
    let value = given;
    if (track?.counter?.isIncremental === true) {
      value += sequence.counters.get(id) ?? 0n;
      sequence.counters.set(id, value);
    }
    const { factor = 1n } = track?.counter ?? {};
    const scaled = BigInt.asIntN(64, factor === 0n ? value : value * factor);
    this.events.add('perfetto:counter', time, this.#threadOf(id, sequence).thread, {
      name: this.#counterName(id, track),
      value: scaled,
    });
  }

  #countDouble(id: wire.Id, value: number, time: bigint): void {
    const thousandths = Math.round(1000 * value);
    if (!Number.isSafeInteger(thousandths))
      return this.run.leaveOut('track_event (type 11) of a number that is too great');
    const name = this.#counterName(id, this.#tracks.get(id));
    this.events.add('perfetto:fraction', time, {}, { name, thousandths: BigInt(thousandths) });
  }

  #counterName(id: wire.Id, track: Track | undefined): string {
    return track?.name ?? `counter ${String(id)}`;
  }

  /** The thread of a track: its own, or the main thread of the process that contains it. */
  #threadOf(id: wire.Id, sequence: Sequence): { readonly thread: ProgramThread; readonly isThread: boolean } {
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
    const procname = this.threads.nameOf(vtid);
    return { vtid, vpid: vpid > 0 ? vpid : undefined, procname: procname === '' ? undefined : procname };
  }
}

/** Phases of the older form (`TRACE_EVENT_PHASE_…` of Chromium's trace_event_common.h). */
const LEGACY: Readonly<Record<string, readonly [step: keyof typeof NAMES, isThread: boolean] | undefined>> = {
  B: ['begin', true],
  E: ['end', true],
  X: ['begin', true],
  I: ['instant', true],
  i: ['instant', true],
  R: ['instant', true],
  S: ['begin', false],
  F: ['end', false],
  b: ['begin', false],
  e: ['end', false],
  n: ['instant', false],
};

const EVENT = {
  type: [TRACK_EVENT.type, wire.INT],
  ownName: [TRACK_EVENT.name, wire.TEXT],
  nameId: [TRACK_EVENT.nameId, wire.idOf],
  track: [TRACK_EVENT.track, wire.idOf],
  categoryIds: [3, wire.IDS],
  categories: [22, wire.TEXTS],
  begunFlows: [47, fixed],
  endedFlows: [48, fixed],
  begunFlowsOld: [36, wire.IDS],
  endedFlowsOld: [42, wire.IDS],
  annotations: [4, wire.list(wire.inner(ANNOTATION))],
  value: [30, wire.SIGNED],
  double: [44, ({ double }: wire.Message) => double],
  extraTracks: [TRACK_EVENT.extraTracks, wire.IDS],
  extraValues: [
    12,
    (message: wire.Message, before: bigint[] = []) => {
      wire.eachNumber(message, (number) => before.push(wire.SIGNED(number)));
      return before;
    },
  ],
  absoluteUs: [16, wire.BIG],
  legacy: [6, wire.inner(LEGACY_EVENT)],
} as const;

const STEPS: Readonly<Record<number, keyof typeof NAMES | undefined>> = {
  [TRACK_EVENT_TYPE.begin]: 'begin',
  [TRACK_EVENT_TYPE.end]: 'end',
};

function readEvent(message: wire.Message, sequence: Sequence): TrackEvent {
  const event = message.read(EVENT);
  const { categoryIds = [], categories = [], annotations = [] } = event;
  const nameId = event.legacy?.nameId ?? event.nameId;
  const flows = [event.begunFlows, event.endedFlows, event.begunFlowsOld, event.endedFlowsOld];
  const named = categoryIds.map((id) => sequence.name(INTERNED_DATA.categories, id));
  const name = nameId === undefined ? (event.ownName ?? '') : sequence.name(INTERNED_DATA.eventNames, nameId);
  return {
    ...event,
    name: name.slice(0, MOST_TEXT),
    category: joined([...named, ...categories]),
    arguments: joined(annotations.map((own) => annotation(own, sequence))),
    flows: joined(flows.flatMap((ids = []) => ids.map((id) => `0x${id.toString(16)}`))),
  };
}

/** `NAME=VALUE` of an annotation; nested values by their number. */
function annotation(
  { name, nameId, textId, ...values }: wire.Read<typeof ANNOTATION>,
  sequence: Sequence,
): string {
  const own = name ?? (nameId === undefined ? '' : sequence.name(INTERNED_DATA.annotationNames, nameId));
  const text = textId === undefined ? '…' : sequence.name(INTERNED_DATA.annotationTexts, textId);
  return `${own}=${Object.values(values)[0] ?? text}`;
}

/** The first of some texts. */
function joined(texts: readonly string[]): string {
  return texts
    .slice(0, MOST_ARGUMENTS)
    .map((text) => text.slice(0, MOST_TEXT))
    .join(', ');
}

const DESCRIPTOR = {
  uuid: [TRACK_DESCRIPTOR.uuid, wire.idOf],
  parent: [TRACK_DESCRIPTOR.parent, wire.idOf],
  name: [TRACK_DESCRIPTOR.name, wire.TEXT],
  staticName: [10, wire.TEXT],
  process: [TRACK_DESCRIPTOR.process, (message: wire.Message) => message.message],
  thread: [TRACK_DESCRIPTOR.thread, (message: wire.Message) => message.message],
  counter: [8, wire.inner(COUNTER_DESCRIPTOR)],
} as const;

/** Fixed-size numbers of the present field. */
function fixed(message: wire.Message, before: bigint[] = []): bigint[] {
  const { bytes, from, to } = message;
  if (to === from) before.push(message.bigint);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = from; at + 8 <= to; at += 8) before.push(view.getBigUint64(at, true));
  return before;
}

/** Thread in which an event happens; unknown parts are absent. */
interface ProgramThread {
  readonly vtid?: number;
  readonly vpid?: number;
  readonly procname?: string;
}

/** Fields of events: texts, or numbers of 64 bits. */
type ProgramFields = Readonly<Record<string, string | bigint | undefined>>;

/** Fields that have a sign. */
const SIGNED_FIELDS = new Set(['value', 'thousandths']);

/** Events of programs, from track events and samples: a CTF trace beside that of the kernel. */
export class ProgramEvents {
  readonly streams: OrderedStreams<CpuStream>;
  readonly #events: FieldEvents;
  readonly #run: ImportRun;

  constructor(output: CtfOutput, run: ImportRun) {
    this.#run = run;
    this.#events = new FieldEvents(output);
    this.streams = new OrderedStreams(
      run,
      output,
      (stream) => stream,
      ({ out }, kind, time, { bytes }, from, to) => {
        out.event(kind, time);
        out.copy(bytes, from, to);
      },
    );
  }

  get isEmpty(): boolean {
    return this.#events.isEmpty;
  }

  /** Writes an event, without its undefined fields. @param time ns of the trace's clock */
  add(name: string, time: bigint, thread: ProgramThread, fields: ProgramFields): void {
    if (this.streams.isFull) return this.#run.leaveOut('of more bytes than are read');
    const { waiting } = this.streams;
    const event = { name, fields: fieldsOf(fields), contexts: fieldsOf({ ...thread }) };
    const outcome = this.#events.write(event, (id) => {
      waiting.event(id, -1, Moment.of(time));
      return waiting;
    });
    if (outcome !== 'written') this.#run.leaveOut('of further kinds of events');
  }
}

function fieldsOf(values: Readonly<Record<string, string | number | bigint | undefined>>): Field[] {
  const fields: Field[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') fields.push(textField(name, value));
    else if (typeof value === 'number') fields.push({ name, form: 'i32', value });
    else if (value !== undefined) fields.push({ name, form: SIGNED_FIELDS.has(name) ? 'i64' : 'x64', value });
  }
  return fields;
}
