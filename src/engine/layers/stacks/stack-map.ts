/** Maps a chunk: its call stacks, and what identifies their threads and modules (`stack-chunk.ts`). */
import type { EventBatch, ProjectionPlan } from '../../analysis/contract.ts';
import { findMembers, sequenceElement } from '../../ctf/decode/program/members.ts';
import type { EventClass, IntegerClass } from '../../ctf/model.ts';
import { EventMapper, type ProgramThread, type ReadRow } from '../contract/event-mapper.ts';
import { isKind, isSignalReturn } from '../../trace/event-kinds.ts';
import { type FieldPlace, placesOf } from '../../linux/events/row-reader.ts';
import { moduleReader } from './module-events.ts';
import { StackInterner } from './stack-chunk.ts';
import * as stackChunk from './stack-chunk.ts';
import {
  LINE_NUMBERS,
  MAP_EXITS,
  sampleKind,
  STACK_CONTEXTS,
  type StackContext,
  stackKinds,
  type StackSettings,
} from './stack-requests.ts';
import type { StackEvent } from './stack-events.ts';
import { layerMap } from '../contract/layer.ts';

/** Id of the layer, and first segment of the paths of its attributes. */
export const STACKS = 'stacks';

/** MAP_ANONYMOUS of Linux. */
const ANONYMOUS = 0x20;
const NONE = -1;
/** Lines of a stack of interpreted code that are read. */
const MOST_LINES = 1024;

type Places = Readonly<Record<string, FieldPlace>>;

/** Integer classes of stacks by event class; undefined: none of 32 or 64 bits. */
type Elements = readonly (IntegerClass | undefined)[];

/** Event classes of system calls: returns, returns from signal handlers, or calls by number only. */
const CALL_EXIT = 1;
const SIGNAL_RETURN = 2;
const NUMBERED_CALL = 3;
const NUMBERED_COMPAT_CALL = 4;

/** Classes of stacks of a stream class. */
interface StackClasses {
  readonly contexts: Readonly<Record<StackContext, Elements>>;
  /** Integers of stacks of the events of the settings. */
  readonly samples: Elements;
  /** Integers of the lines of interpreted code. */
  readonly lines: Elements;
  /** CALL_EXIT … NUMBERED_COMPAT_CALL by event class, 0 for others. */
  readonly calls: Uint8Array;
  /** 1 for returns from calls that map memory, by event class. */
  readonly isMapping: Uint8Array;
  /** 1 for samples of perf, by event class: its other events are kernel events. */
  readonly isSample: Uint8Array;
}

const NO_CLASSES: StackClasses = {
  contexts: { user: [], kernel: [], perf: [] },
  samples: [],
  lines: [],
  calls: new Uint8Array(0),
  isMapping: new Uint8Array(0),
  isSample: new Uint8Array(0),
};

class StackMapper {
  readonly #settings: StackSettings;
  readonly #events: EventMapper;
  readonly #stacks = new StackInterner();
  readonly #readers: ReadRow[] = [];
  readonly #known = new WeakMap<readonly EventClass[], StackClasses>();
  #classes: StackClasses = NO_CLASSES;
  #isKernel = false;

  constructor(plan: ProjectionPlan, settings: StackSettings) {
    this.#settings = settings;
    this.#events = new EventMapper(settings.switches === 'all');
    const samples = new Map(settings.samples.map((sample) => [sampleKind(sample.event), sample]));
    for (const { kind: eventKind, fields } of stackKinds(settings)) {
      const places = placesOf(plan, eventKind, Object.keys(fields));
      const sample = samples.get(eventKind);
      this.#readers[plan.kind(eventKind)] =
        sample === undefined ? this.#readerOf(eventKind, places) : this.#sampleReader(sample, places);
    }
  }

  map(batch: EventBatch): stackChunk.StackChunk {
    this.#isKernel = batch.domain === 'kernel';
    this.#classes = this.#known.get(batch.eventClasses) ?? classesOf(batch, this.#settings);
    this.#known.set(batch.eventClasses, this.#classes);
    this.#stacks.clear();
    const chunk = this.#events.map(batch, this.#readers);
    return { ...chunk, stacks: this.#stacks.stacks() };
  }

  #sampleReader({ kind, isCall }: StackEvent, places: Places): ReadRow {
    const events = this.#events;
    const { rows } = events;
    const stacks = this.#stacks;
    const nameOf = (name: string) => events.texts.ofText(name);
    return (row, time, cpu) => {
      if (!rows.has(row, places.stack)) return;
      if (kind === 'functions') {
        const textOf = (place: FieldPlace) =>
          rows.has(row, place) ? rows.text(row, place, events.texts) : NONE;
        const lists = [textOf(places.stack), textOf(places.files), this.#linesOf(row, places)];
        this.#stack(row, time, cpu, places, stacks.functions(lists, events.texts.texts, nameOf), 1);
        return;
      }
      const element = this.#classes.samples[rows.eventClass[row]];
      if (element === undefined) return;
      const stack = Math.max(this.#addresses(row, places.stack, element, false, 0), 0);
      if (isCall) this.#call(row, time, cpu, places, stack);
      else this.#stack(row, time, cpu, places, stack, 1);
    };
  }

  /** Index of the text that lists the lines of functions, which may be numbers; NONE: not recorded. */
  #linesOf(row: number, places: Places): number {
    const { rows, texts } = this.#events;
    if (rows.has(row, places.lines)) return rows.text(row, places.lines, texts);
    const element = this.#classes.lines[rows.eventClass[row]];
    if (element === undefined || !rows.has(row, places.numbers)) return NONE;
    const at = rows.at[row] + places.numbers.offset;
    const bytes = rows.bytes.slice(rows.words[at], rows.words[at] + rows.words[at + 1]);
    const view = new DataView(bytes.buffer);
    const [size, isLittle] = [element.size / 8, element.byteOrder === 'le'];
    const numbers = Array.from({ length: Math.min(MOST_LINES, Math.floor(bytes.length / size)) }, (_, i) =>
      size === 8 ? view.getBigInt64(8 * i, isLittle) : view.getInt32(4 * i, isLittle),
    );
    return texts.ofText(numbers.join(';'));
  }

  #call(row: number, time: number, cpu: number, places: Places, stack: number): void {
    const at = this.#inThread(row, time, cpu, stackChunk.S_CALL, places);
    this.#events.writer.args[at] = stack;
    this.#events.wide(row, places.duration, at + 1);
  }

  /**
   * Writes the stack of a context. At the exit of a call the innermost frame is the caller, which has been left. The
   * return from a signal handler is no call of the program and has no exit, so that its stack would stay in force.
   */
  #context(row: number, time: number, cpu: number, places: Places): void {
    const { rows } = this.#events;
    const eventClass = rows.eventClass[row];
    const { contexts, calls } = this.#classes;
    const call = calls[eventClass];
    if (call >= SIGNAL_RETURN && this.#isSignalReturn(row, call, places.id)) return;
    const isExit = call === CALL_EXIT;
    const perf = contexts.perf[eventClass];
    if (perf !== undefined && rows.has(row, places.perf)) {
      const at = rows.at[row] + places.perf.offset;
      const { words, bytes } = rows;
      const stack = this.#stacks.markedAddresses(bytes, words[at], words[at + 1], perf);
      this.#stack(row, time, cpu, places, stack, this.#classes.isSample[eventClass]);
      return;
    }
    const user = contexts.user[eventClass];
    const kernel = contexts.kernel[eventClass];
    const hasUser = user !== undefined && rows.has(row, places.user);
    const hasKernel = kernel !== undefined && rows.has(row, places.kernel) && !isExit;
    const stack = hasUser ? this.#addresses(row, places.user, user, false, isExit ? 1 : 0) : NONE;
    const inside = hasKernel ? this.#addresses(row, places.kernel, kernel, true, 0) : NONE;
    // Without addresses there is no stack.
    if (stack >= 0 || inside >= 0) this.#stack(row, time, cpu, places, stack, 0, Math.max(inside, 0));
  }

  #isSignalReturn(row: number, call: number, id: FieldPlace): boolean {
    if (call === SIGNAL_RETURN) return true;
    return isSignalReturn(this.#events.rows.int(row, id), call === NUMBERED_COMPAT_CALL);
  }

  #addresses(row: number, place: FieldPlace, element: IntegerClass, isKernel: boolean, from: number): number {
    const { words, at, bytes } = this.#events.rows;
    const field = at[row] + place.offset;
    return this.#stacks.addresses(bytes, words[field], words[field + 1], element, isKernel, from);
  }

  /** Writes the thread of an event, for a program from its contexts. Returns the place of the other arguments. */
  #inThread(row: number, time: number, cpu: number, kind: number, places: Places): number {
    const events = this.#events;
    const { rows } = events;
    // Samples and functions have no other thread.
    // perf's contexts tell the process, too.
    const hasContext = rows.has(row, places.vtid) && (!this.#isKernel || rows.int(row, places.vtid) > 0);
    if ('tid' in places && !hasContext) {
      const at = events.inThread(row, time, cpu, kind, places.tid);
      events.writer.args[at + 1] = events.writer.args[at];
      events.writer.args[at] = NONE;
      return at + 2;
    }
    const at = events.writer.append(time, kind, cpu);
    events.writer.args[at] = events.contextOf(row, places as unknown as ProgramThread);
    return at + 2;
  }

  /** @param inside its part in the kernel */
  #stack(
    row: number,
    time: number,
    cpu: number,
    places: Places,
    stack: number,
    isSample: number,
    inside = 0,
  ): void {
    const at = this.#inThread(row, time, cpu, stackChunk.S_STACK, places);
    const { args } = this.#events.writer;
    args[at] = stack;
    args[at + 1] = isSample;
    args[at + 2] = inside;
  }

  #readerOf(eventKind: string, places: Places): ReadRow {
    const events = this.#events;
    const { rows, writer } = events;
    const words = (row: number, place: FieldPlace, read: (low: number, high: number) => number) =>
      read(rows.words[rows.at[row] + place.offset], rows.words[rows.at[row] + place.offset + 1]);
    switch (eventKind) {
      case 'stack-context':
        return (row, time, cpu) => this.#context(row, time, cpu, places);
      case 'switch':
        return (row, time, cpu) => events.switchTo(rows.int(row, places.next_tid), time, cpu);
      case 'exec':
      case 'exit':
        return (row, time, cpu) => {
          const at = writer.append(time, eventKind === 'exec' ? stackChunk.S_EXEC : stackChunk.S_EXIT, cpu);
          writer.args[at] = rows.int(row, places.tid);
          writer.args[at + 1] = 0;
        };
      case 'stack-named':
        return (row, time, cpu) => {
          if (!rows.has(row, places.exec) || rows.int(row, places.exec) === 0) return;
          const at = writer.append(time, stackChunk.S_EXEC, cpu);
          writer.args[at] = rows.int(row, places.pid);
          writer.args[at + 1] = 1;
        };
      case 'stack-forked':
        return (row, time, cpu) => {
          const [child, parent] = [rows.int(row, places.pid), rows.int(row, places.ppid)];
          if (child === parent || words(row, places.time, (low, high) => low | high) === 0) return;
          const at = writer.append(time, stackChunk.S_FORK, cpu);
          writer.args[at] = child;
          writer.args[at + 1] = parent;
        };
      case 'stack-mapped':
        return (row, time, cpu) => {
          const pid = rows.int(row, places.pid);
          // The kernel's own mappings have the number -1.
          if (pid <= 0 || !rows.has(row, places.length)) return;
          if (rows.has(row, places.build)) {
            const build = writer.append(time, stackChunk.S_BUILD, cpu);
            writer.args[build] = pid;
            writer.args[build + 1] = rows.text(row, places.build, events.texts);
          }
          const at = writer.append(time, stackChunk.S_MAPPED, cpu);
          writer.args[at] = pid;
          writer.args[at + 1] = rows.text(row, places.path, events.texts);
          events.wide(row, places.start, at + 2);
          events.wide(row, places.offset, at + 4);
          // More than 4 GB is not code of a file.
          writer.args[at + 6] = words(row, places.length, (low, high) => (high === 0 ? low : NONE));
        };
      case 'fork':
        return (row, time, cpu) => {
          const [child, parent] = [rows.int(row, places.child_pid), rows.int(row, places.parent_pid)];
          // Otherwise it is a thread.
          if (child !== rows.int(row, places.child_tid) || child === parent) return;
          const at = writer.append(time, stackChunk.S_FORK, cpu);
          writer.args[at] = child;
          writer.args[at + 1] = parent;
        };
      case 'function-entry':
      case 'function-exit': {
        const kind = eventKind === 'function-entry' ? stackChunk.S_ENTER : stackChunk.S_LEAVE;
        const entry = (low: number, high: number) => this.#stacks.entry(low, high, 0);
        const called = (low: number, high: number) =>
          low === 0 && high === 0 ? NONE : this.#stacks.entry(low, high, 1);
        return (row, time, cpu) => {
          const frame = rows.has(row, places.address) ? words(row, places.address, entry) : NONE;
          if (frame === NONE && kind === stackChunk.S_ENTER) return;
          const site = rows.has(row, places.site) ? words(row, places.site, called) : NONE;
          const at = this.#inThread(row, time, cpu, kind, places);
          writer.args[at] = frame;
          writer.args[at + 1] = site;
        };
      }
      case 'graph-entry':
      case 'graph-exit': {
        const kind = eventKind === 'graph-entry' ? stackChunk.S_ENTER : stackChunk.S_LEAVE;
        const entry = (low: number, high: number) =>
          this.#stacks.entry(low, high, 0, stackChunk.KERNEL_ADDRESS);
        return (row, time, cpu) => {
          const isNamed = rows.has(row, places.name);
          const named = () => this.#stacks.named(rows.text(row, places.name, events.texts));
          const frame = isNamed
            ? named()
            : rows.has(row, places.address)
              ? words(row, places.address, entry)
              : NONE;
          if (frame === NONE && kind === stackChunk.S_ENTER) return;
          const at = this.#inThread(row, time, cpu, kind, places);
          writer.args[at] = frame;
          writer.args[at + 1] = NONE;
        };
      }
      case 'stack-close':
        return (row, time, cpu) => {
          const at = events.inThread(row, time, cpu, stackChunk.S_CLOSE, places.tid);
          writer.args[at + 1] = rows.int(row, places.fd);
        };
      case 'stack-open':
        return (row, time, cpu) => {
          const at = events.inThread(row, time, cpu, stackChunk.S_OPEN, places.tid);
          writer.args[at + 1] = rows.text(row, places.path, events.texts);
        };
      case 'stack-map':
        return (row, time, cpu) => {
          const at = events.inThread(row, time, cpu, stackChunk.S_MAP, places.tid);
          const isFile = (rows.int(row, places.flags) & ANONYMOUS) === 0;
          writer.args[at + 1] = isFile ? rows.int(row, places.fd) : NONE;
          events.wide(row, places.offset, at + 2);
          events.wide(row, places.length, at + 4);
        };
      case 'stack-return':
        return (row, time, cpu) => {
          const at = events.inThread(row, time, cpu, stackChunk.S_RETURN, places.tid);
          writer.args[at + 1] = this.#classes.isMapping[rows.eventClass[row]];
          events.wide(row, places.ret, at + 2);
        };
      default:
        return moduleReader(events, eventKind, places) ?? (() => undefined);
    }
  }
}

function classesOf({ eventClasses, eventContext }: EventBatch, { samples }: StackSettings): StackClasses {
  const fields = new Map(samples.map(({ event, field }) => [event, field]));
  const elements = (fieldOf: (event: EventClass) => { readonly names: readonly string[] } | undefined) =>
    eventClasses.map((event) => {
      const want = fieldOf(event);
      const element = want && sequenceElement({ ...want, kind: 'sequence' }, { eventContext }, event);
      return element !== undefined && (element.size === 32 || element.size === 64) ? element : undefined;
    });
  return {
    contexts: {
      user: elements(() => STACK_CONTEXTS.user),
      kernel: elements(() => STACK_CONTEXTS.kernel),
      perf: elements(() => STACK_CONTEXTS.perf),
    },
    samples: elements(({ name = '' }) => {
      const field = fields.get(name);
      return field === undefined ? undefined : { names: [field] };
    }),
    lines: elements(() => LINE_NUMBERS),
    calls: Uint8Array.from(eventClasses, ({ name = '' }) => callOf(name)),
    isMapping: Uint8Array.from(eventClasses, ({ name = '' }) => (MAP_EXITS.includes(name) ? 1 : 0)),
    isSample: Uint8Array.from(eventClasses, (event) =>
      findMembers({ names: ['common_type'], kind: 'int' }, { eventContext }, event).length === 0 ? 1 : 0,
    ),
  };
}

function callOf(name: string): number {
  if (isKind('signal-return', name)) return SIGNAL_RETURN;
  if (isKind('numbered-call', name)) return NUMBERED_CALL;
  if (isKind('numbered-compat-call', name)) return NUMBERED_COMPAT_CALL;
  return isKind('syscall-exit', name) ? CALL_EXIT : 0;
}

export const stackMap = layerMap(STACKS, stackKinds, (plan, settings) => new StackMapper(plan, settings));
