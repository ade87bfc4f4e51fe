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
import type { ProgramEvents, ProgramFields, ProgramThread } from './program-events.ts';
import type { Sequence } from './sequences.ts';
import type { PerfettoThreads } from './threads.ts';
import { ANNOTATION, COUNTER_DESCRIPTOR, LEGACY_EVENT } from './track-fields.ts';
import {
  BIG,
  eachNumber,
  type Id,
  idOf,
  IDS,
  inner,
  INT,
  list,
  type Message,
  type Read,
  SIGNED,
  TEXT,
  TEXTS,
} from './wire.ts';

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
  readonly counter: Read<typeof COUNTER_DESCRIPTOR> | undefined;
}

/** Events by what they do: on the track of a thread, and on others. */
const NAMES = {
  begin: ['perfetto:slice_begin', 'perfetto:async_begin'],
  end: ['perfetto:slice_end', 'perfetto:async_end'],
  instant: ['perfetto:instant', 'perfetto:instant'],
} as const;

/** A `TrackEvent`, with its names. */
interface TrackEvent extends Read<typeof EVENT> {
  readonly name: string;
  readonly category: string;
  readonly arguments: string;
  readonly flows: string;
}

export class TrackEvents {
  readonly #events: ProgramEvents;
  readonly #threads: PerfettoThreads;
  readonly #leaveOut: (what: string) => void;
  readonly #tracks = new Map<Id, Track>();

  constructor(events: ProgramEvents, threads: PerfettoThreads, leaveOut: (what: string) => void) {
    this.#events = events;
    this.#threads = threads;
    this.#leaveOut = leaveOut;
  }

  descriptor(message: Message, time: bigint | undefined): void {
    const {
      uuid = 0,
      parent = 0,
      name,
      staticName = '',
      process,
      thread,
      counter,
    } = message.read(DESCRIPTOR);
    const pid = process && this.#threads.process(process, time);
    const own = thread && this.#threads.thread(thread, time);
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
    message: Message,
    sequence: Sequence,
    packetTime: bigint | undefined,
    toTrace: (time: bigint, clock: number) => bigint | undefined,
  ): void {
    const event = readEvent(message, sequence);
    const { type, track: id = sequence.track, absoluteUs, legacy, double } = event;
    const time =
      packetTime ?? (absoluteUs === undefined ? undefined : toTrace(absoluteUs * 1000n, CLOCKS.monotonic));
    if (time === undefined) return this.#leaveOut('track_event (type 11) whose clock no snapshot explains');
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
    id: Id | string,
  ): void {
    const track: ProgramFields =
      isThread && typeof id !== 'string' ? { track_id: BigInt(id) } : { async_id: String(id) };
    const more = { arguments: own, ...track, flows };
    const fields: ProgramFields = step === 'end' ? more : { name, category, track: trackName, ...more };
    this.#events.add(NAMES[step][isThread ? 0 : 1], time, thread, fields);
  }

  #legacy(
    event: TrackEvent,
    track: Id,
    legacy: Read<typeof LEGACY_EVENT>,
    sequence: Sequence,
    time: bigint,
  ): void {
    const { durationUs = 0n, pid = 0, tid = 0 } = legacy;
    const phase = String.fromCharCode((legacy.phase ?? 0) & 0x7f);
    const id = legacy.globalId ?? legacy.localId ?? legacy.unscopedId;
    const found = this.#threadOf(track, sequence);
    const own = {
      vtid: tid > 0 ? tid : found.thread.vtid,
      vpid: pid > 0 ? pid : found.thread.vpid,
    };
    const thread = { ...found.thread, ...own };
    const steps = LEGACY[phase];
    if (steps === undefined) {
      this.#leaveOut(`track_event (type 11) of phase ${phase}`);
      return;
    }
    const { step, isAsync } = steps;
    const key = isAsync ? `${event.category.replaceAll(', ', ',')} ${String(id ?? event.name)}` : track;
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
    const { factor = 1n } = track?.counter ?? {};
    const scaled = BigInt.asIntN(64, factor === 0n ? value : value * factor);
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

const EVENT = {
  type: [TRACK_EVENT.type, INT],
  ownName: [TRACK_EVENT.name, TEXT],
  nameId: [TRACK_EVENT.nameId, idOf],
  track: [TRACK_EVENT.track, idOf],
  categoryIds: [TRACK_EVENT.category, IDS],
  categories: [TRACK_EVENT.categoryText, TEXTS],
  begunFlows: [TRACK_EVENT.flow, fixed],
  endedFlows: [TRACK_EVENT.endedFlow, fixed],
  begunFlowsOld: [TRACK_EVENT.flowOld, IDS],
  endedFlowsOld: [TRACK_EVENT.endedFlowOld, IDS],
  annotations: [TRACK_EVENT.annotation, list(inner(ANNOTATION))],
  value: [TRACK_EVENT.counter, SIGNED],
  double: [TRACK_EVENT.doubleCounter, ({ double }: Message) => double],
  extraTracks: [TRACK_EVENT.extraTracks, IDS],
  extraValues: [
    TRACK_EVENT.extraValues,
    (message: Message, before: bigint[] = []) => {
      eachNumber(message, (number) => before.push(SIGNED(number)));
      return before;
    },
  ],
  absoluteUs: [TRACK_EVENT.absoluteUs, BIG],
  legacy: [TRACK_EVENT.legacy, inner(LEGACY_EVENT)],
} as const;

const STEPS: Readonly<Record<number, keyof typeof NAMES | undefined>> = {
  [TRACK_EVENT_TYPE.begin]: 'begin',
  [TRACK_EVENT_TYPE.end]: 'end',
};

function readEvent(message: Message, sequence: Sequence): TrackEvent {
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

/** `NAME=VALUE` of an annotation; of values within values their number. */
function annotation(
  { name, nameId, textId, ...values }: Read<typeof ANNOTATION>,
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
  uuid: [TRACK_DESCRIPTOR.uuid, idOf],
  parent: [TRACK_DESCRIPTOR.parent, idOf],
  name: [TRACK_DESCRIPTOR.name, TEXT],
  staticName: [TRACK_DESCRIPTOR.staticName, TEXT],
  process: [TRACK_DESCRIPTOR.process, (message: Message) => message.message],
  thread: [TRACK_DESCRIPTOR.thread, (message: Message) => message.message],
  counter: [TRACK_DESCRIPTOR.counter, inner(COUNTER_DESCRIPTOR)],
} as const;

/** Numbers of a fixed size of the field at hand. */
function fixed(message: Message, before: bigint[] = []): bigint[] {
  const { bytes, from, to } = message;
  if (to === from) before.push(message.bigint);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = from; at + 8 <= to; at += 8) before.push(view.getBigUint64(at, true));
  return before;
}
