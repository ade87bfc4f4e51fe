/**
 * State of a sequence of packets: names, frames and stacks that its packets refer to by number, and defaults of
 * fields, until the sequence clears them (`interned_data.proto`, `trace_packet.proto`).
 */
import { CLOCKS, INTERNED_DATA, INTERNED_NAME, TRACE_PACKET } from '../../trace/perfetto-fields.ts';
import { CALLSTACK, FRAME, MAPPING, PACKET_DEFAULTS } from './track-fields.ts';
import { type Id, idOf, type Message, TEXT } from './wire.ts';

/** Innermost frames of a stack that are read, and characters of their names together. */
const MOST_FRAMES = 1024;
const MOST_STACK_TEXT = 32 * 1024;
/** Characters of a name. */
const MOST_NAME = 1000;

interface Frame {
  readonly name: Id;
  readonly mapping: Id;
  readonly address: Id;
}

export class Sequence {
  /** Clock of its packets that name none. */
  clock: number = CLOCKS.boottime;
  /** Track of its events that name none. */
  track: Id = 0;
  /** Thread of its events in the older form. */
  thread: { readonly pid: number; readonly tid: number } | undefined;
  /** Tracks of the counters whose values its events include. */
  extraTracks: readonly Id[] = [];
  /** Whether numbers still have their meaning, as nothing was lost since. */
  isValid = true;
  /** Values of counters that are given as differences, by track. */
  readonly counters = new Map<Id, bigint>();
  readonly #names = new Map<number, Map<Id, string>>();
  readonly #frames = new Map<Id, Frame>();
  readonly #stacks = new Map<Id, readonly Id[]>();
  readonly #mappings = new Map<Id, Id>();
  readonly #stackTexts = new Map<Id, string>();

  /** Begins a packet. @param isLossy packets before it were lost @param isCleared earlier state is void */
  begin(isLossy: boolean, isCleared: boolean): void {
    if (isLossy) this.isValid = false;
    if (isCleared) this.#clear();
  }

  /** Takes what a packet states about its sequence. */
  learn(packet: Message): void {
    while (packet.next()) {
      if (packet.field === TRACE_PACKET.internedData) this.#intern(packet.message);
      else if (packet.field === TRACE_PACKET.defaults) this.#setDefaults(packet.message);
    }
  }

  /** @param table field of `INTERNED_DATA` */
  name(table: number, id: Id): string {
    return this.#names.get(table)?.get(id) ?? '';
  }

  /** Names of a stack's functions joined by `;`, innermost first. */
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
    // systing appends the address to names.
    const name = this.name(INTERNED_DATA.functionNames, frame.name).replace(/ ?<0x[0-9a-f]+>$/, '');
    if (name !== '') return name.replaceAll(';', ',');
    const path = this.name(INTERNED_DATA.mappingPaths, this.#mappings.get(frame.mapping) ?? 0);
    return `${path === '' ? '' : `${path.replaceAll(';', ',')}+`}0x${frame.address.toString(16)}`;
  }

  #clear(): void {
    this.isValid = true;
    const tables = [this.#names, this.#frames, this.#stacks, this.#mappings, this.#stackTexts, this.counters];
    for (const table of tables) table.clear();
    this.clock = CLOCKS.boottime;
    this.track = 0;
    this.extraTracks = [];
  }

  #setDefaults(message: Message): void {
    const { clock, trackEvent } = message.read(PACKET_DEFAULTS);
    this.clock = clock ?? this.clock;
    if (trackEvent === undefined) return;
    this.track = trackEvent.track ?? this.track;
    this.extraTracks = trackEvent.extraTracks ?? [];
  }

  #intern(message: Message): void {
    while (message.next()) {
      const entry = message.message;
      if (message.field === INTERNED_DATA.frames) {
        const { id = 0, name = 0, mapping = 0, address = 0 } = entry.read(FRAME);
        this.#frames.set(id, { name, mapping, address });
      } else if (message.field === INTERNED_DATA.callstacks) {
        const { id = 0, frames = [] } = entry.read(CALLSTACK);
        this.#stacks.set(id, frames);
        this.#stackTexts.delete(id);
      } else if (message.field === INTERNED_DATA.mappings) {
        const { id = 0, path = [] } = entry.read(MAPPING);
        this.#mappings.set(id, path.at(-1) ?? 0);
      } else {
        const { id = 0, name = '' } = entry.read(NAME);
        const names = this.#names.get(message.field) ?? new Map<Id, string>();
        this.#names.set(message.field, names.set(id, name.slice(0, MOST_NAME)));
      }
    }
  }
}

const NAME = { id: [INTERNED_NAME.id, idOf], name: [INTERNED_NAME.name, TEXT] } as const;
