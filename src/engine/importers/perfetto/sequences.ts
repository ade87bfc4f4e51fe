/**
 * State of a sequence of packets: names, frames and stacks that its packets refer to by number, and defaults of fields,
 * until the sequence clears them (`interned_data.proto`, `trace_packet.proto`).
 */
import {
  CLOCKS,
  INTERNED_DATA,
  INTERNED_NAME,
  SEQUENCE_FLAGS,
  TRACE_PACKET,
  TRACK_EVENT,
} from '../../trace/perfetto-fields.ts';
import { CALLSTACK, FRAME, MAPPING, PACKET_DEFAULTS } from './track-fields.ts';
import { Message } from './wire.ts';

/** Frames of a stack that are read, the innermost ones, and characters of their names together. */
const MOST_FRAMES = 1024;
const MOST_STACK_TEXT = 32 * 1024;
/** Characters of a name. */
const MOST_NAME = 1000;

/** Ids of 64 bits: those that a double does not hold are `bigint`. */
export type Id = number | bigint;

export function idOf(message: Message): Id {
  return message.high >>> 0 < 2 ** 21 ? message.number : message.bigint;
}

interface Frame {
  readonly name: Id;
  readonly mapping: Id;
  readonly address: Id;
}

export class Sequence {
  /** Clock of its packets that do not say theirs. */
  clock: number = CLOCKS.boottime;
  /** Track of its events that do not say theirs. */
  track: Id = 0;
  /** Thread of its events of an older form. */
  thread: { readonly pid: number; readonly tid: number } | undefined;
  /** Tracks of counters whose values its events have beside. */
  extraTracks: readonly Id[] = [];
  /** Numbers mean what was said: nothing was lost since. */
  isValid = true;
  /** Values of counters whose values are differences, by track. */
  readonly counters = new Map<Id, bigint>();
  readonly #names = new Map<number, Map<Id, string>>();
  readonly #frames = new Map<Id, Frame>();
  readonly #stacks = new Map<Id, readonly Id[]>();
  readonly #mappings = new Map<Id, Id>();
  readonly #stackTexts = new Map<Id, string>();

  /** Takes what a packet says of its sequence, before what it holds. */
  begin(packet: Message): void {
    const { at } = packet;
    let flags = 0;
    let isLossy = false;
    while (packet.next()) {
      if (packet.field === TRACE_PACKET.sequenceFlags) flags = packet.low;
      else if (packet.field === TRACE_PACKET.stateCleared && packet.low !== 0)
        flags |= SEQUENCE_FLAGS.cleared;
      else if (packet.field === TRACE_PACKET.previousDropped) isLossy = packet.low !== 0;
    }
    if (isLossy) this.isValid = false;
    if ((flags & SEQUENCE_FLAGS.cleared) !== 0) this.#clear();
    packet.at = at;
    while (packet.next()) {
      if (packet.field === TRACE_PACKET.internedData) this.#intern(packet.message);
      else if (packet.field === TRACE_PACKET.defaults) this.#setDefaults(packet.message);
    }
    packet.at = at;
  }

  /** @param table field of `INTERNED_DATA` */
  name(table: number, id: Id): string {
    return this.#names.get(table)?.get(id) ?? '';
  }

  /** Names of the functions of a stack joined by `;`, the innermost first. */
  stack(id: Id): string {
    const known = this.#stackTexts.get(id);
    if (known !== undefined) return known;
    const frames = this.#stacks.get(id) ?? [];
    const names: string[] = [];
    let length = 0;
    for (let i = frames.length - 1; i >= 0 && names.length < MOST_FRAMES; i--) {
      const name = this.#frameName(frames[i]);
      length += name.length + 1;
      if (length > MOST_STACK_TEXT) break;
      names.push(name);
    }
    const text = names.join(';');
    this.#stackTexts.set(id, text);
    return text;
  }

  #frameName(id: Id): string {
    const frame = this.#frames.get(id);
    if (frame === undefined) return 'unknown';
    // systing puts the address behind names.
    const name = this.name(INTERNED_DATA.functionNames, frame.name).replace(/ ?<0x[0-9a-f]+>$/, '');
    if (name !== '') return name.replaceAll(';', ',');
    const path = this.name(INTERNED_DATA.mappingPaths, this.#mappings.get(frame.mapping) ?? 0);
    return `${path === '' ? '' : `${path.replaceAll(';', ',')}+`}0x${frame.address.toString(16)}`;
  }

  #clear(): void {
    this.isValid = true;
    for (const table of [
      this.#names,
      this.#frames,
      this.#stacks,
      this.#mappings,
      this.#stackTexts,
      this.counters,
    ])
      table.clear();
    this.clock = CLOCKS.boottime;
    this.track = 0;
    this.extraTracks = [];
  }

  #setDefaults(message: Message): void {
    while (message.next()) {
      if (message.field === TRACE_PACKET.clock) this.clock = message.low >>> 0;
      if (message.field !== PACKET_DEFAULTS.trackEvent) continue;
      const event = message.message;
      const extra: Id[] = [];
      while (event.next()) {
        if (event.field === TRACK_EVENT.track) this.track = idOf(event);
        else if (event.field === TRACK_EVENT.extraTracks)
          eachNumber(event, (number) => extra.push(idOf(number)));
      }
      this.extraTracks = extra;
    }
  }

  #intern(message: Message): void {
    while (message.next()) {
      const entry = message.message;
      if (message.field === INTERNED_DATA.frames) this.#internFrame(entry);
      else if (message.field === INTERNED_DATA.callstacks) this.#internStack(entry);
      else if (message.field === INTERNED_DATA.mappings) this.#internMapping(entry);
      else this.#internName(message.field, entry);
    }
  }

  #internName(table: number, entry: Message): void {
    let id: Id = 0;
    let name = '';
    while (entry.next()) {
      if (entry.field === INTERNED_NAME.id) id = idOf(entry);
      else if (entry.field === INTERNED_NAME.name) name = entry.text.slice(0, MOST_NAME);
    }
    let names = this.#names.get(table);
    if (names === undefined) this.#names.set(table, (names = new Map()));
    names.set(id, name);
  }

  #internFrame(entry: Message): void {
    let [id, name, mapping, address]: Id[] = [0, 0, 0, 0];
    while (entry.next()) {
      if (entry.field === INTERNED_NAME.id) id = idOf(entry);
      else if (entry.field === FRAME.functionName) name = idOf(entry);
      else if (entry.field === FRAME.mapping) mapping = idOf(entry);
      else if (entry.field === FRAME.address) address = idOf(entry);
    }
    this.#frames.set(id, { name, mapping, address });
  }

  #internStack(entry: Message): void {
    let id: Id = 0;
    const frames: Id[] = [];
    while (entry.next()) {
      if (entry.field === INTERNED_NAME.id) id = idOf(entry);
      else if (entry.field === CALLSTACK.frame) eachNumber(entry, (number) => frames.push(idOf(number)));
    }
    this.#stacks.set(id, frames);
    this.#stackTexts.delete(id);
  }

  #internMapping(entry: Message): void {
    let id: Id = 0;
    let path: Id = 0;
    while (entry.next()) {
      if (entry.field === INTERNED_NAME.id) id = idOf(entry);
      // The last part of a path is the file.
      else if (entry.field === MAPPING.path) eachNumber(entry, (number) => (path = idOf(number)));
    }
    this.#mappings.set(id, path);
  }
}

/** Calls with each number of the field at hand, which is one number, or a packed list of them. */
export function eachNumber(message: Message, take: (number: Message) => void): void {
  if (message.to === message.from) {
    take(message);
    return;
  }
  const list = message.message;
  while (!list.isAtEnd && list.varint()) take(list);
}
