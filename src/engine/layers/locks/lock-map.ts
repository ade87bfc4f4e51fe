/** Maps a chunk: events about locks. */
import type { EventBatch, KindRequest, ProjectionPlan } from '../../analysis/contract.ts';
import { widened } from '../../base/columns.ts';
import {
  EventMapper,
  PROGRAM_THREAD,
  type ProgramThread,
  type ReadRow,
  E_OWN,
  type EventChunk,
} from '../contract/event-mapper.ts';
import { type FieldPlace, placesOf } from '../../linux/events/row-reader.ts';
import { callsOf, FUTEX_PRIVATE, futexOperationsOf, kernelKinds, type KernelReads } from './kernel-calls.ts';
import { MODULE_KINDS, moduleReader } from '../stacks/module-events.ts';
import type { LockEvent } from './providers.ts';
import { layerMap } from '../contract/layer.ts';

/** Event of a program: index in the settings' events, row of `contexts`, lock (low, high), status, row of `mutexes` or -1. */
export const L_USER = E_OWN;
/** The same for a lock with a name: index of its text, then 0. */
export const L_USER_NAME = E_OWN + 1;
/** An event that identifies no lock. */
export const L_WITHOUT_LOCK = E_OWN + 2;
// The first argument of these kinds is the thread by a context, -1: the one that runs.
/** Operation, address and second address (low and high words each). */
export const L_FUTEX = E_OWN + 3;
/** Index in `FILE_CALLS`, descriptor, second one or the last one or an argument, command or flags, text of the path. */
export const L_CALL = E_OWN + 4;
/** Index in `FILE_CALLS`, FUTEX_CALL or ANY_CALL, result. */
export const L_RETURN = E_OWN + 5;
/** Address, flags. */
export const L_CONTENTION_BEGIN = E_OWN + 6;
/** Address, result. */
export const L_CONTENTION_END = E_OWN + 7;

/** Child tid, child pid, parent pid. */
export const L_FORK = E_OWN + 8;
/** Pid, address of its table of files (low, high). */
export const L_PROCESS = E_OWN + 9;
/** Pid or -1, descriptor, text of the path, address of the table of files (low, high). */
export const L_FILE = E_OWN + 10;
/** Tid of a thread that runs another program, or that ends. */
export const L_EXEC = E_OWN + 11;
export const L_EXIT = E_OWN + 12;

export interface LockChunk extends EventChunk {
  /** Addresses: low and high words in turn. */
  readonly mutexes: Int32Array;
}

export interface LockSettings {
  /** Events of programs, in order of name. */
  readonly events: readonly LockEvent[];
  readonly kernel: KernelReads;
}

/** Id of the layer, and first segment of the paths of its attributes. */
export const LOCKS = 'locks';

const NONE = -1;

function lockKinds({ events, kernel }: LockSettings): KindRequest[] {
  return [...events.map(userKind), ...kernelKinds(kernel), ...moduleKinds({ events, kernel })];
}

/** Requests for places of programs' locks. */
export function moduleKinds({
  events,
  kernel,
}: Pick<LockSettings, 'events'> & { readonly kernel: Pick<KernelReads, 'futexes'> }): readonly KindRequest[] {
  return events.length > 0 || kernel.futexes ? MODULE_KINDS : [];
}

/** Unique among the names of kernel kinds. */
const kindName = (event: string) => `lock event ${event}`;

function userKind({ event, lock, status, mutex }: LockEvent): KindRequest {
  const own = (kind: 'int' | 'wide' | 'string', ...names: string[]) =>
    ({ names, kind, only: 'payload' }) as const;
  return {
    kind: kindName(event),
    events: [event],
    fields: {
      ...PROGRAM_THREAD,
      // Wrappers name the field by the kind, or `lock`.
      address: own('wide', lock, 'lock'),
      name: own('string', lock),
      ...(status !== '' && { status: own('int', status) }),
      ...(mutex !== '' && { mutex: own('wide', mutex) }),
    },
  };
}

interface UserFields {
  /** Index in the settings' events. */
  readonly event: number;
  readonly thread: ProgramThread;
  readonly address: FieldPlace;
  readonly name: FieldPlace;
  readonly status: FieldPlace | undefined;
  readonly mutex: FieldPlace | undefined;
}

type Places = Readonly<Record<string, FieldPlace>>;

class LockMapper {
  readonly #events: EventMapper;
  readonly #readers: ReadRow[] = [];
  #mutexes = new Int32Array(0);
  #mutexWords = 0;
  #calls: Int32Array = new Int32Array(0);
  #operations: Float64Array = new Float64Array(0);

  constructor(plan: ProjectionPlan, settings: LockSettings) {
    this.#events = new EventMapper(settings.kernel.switches === 'all');
    settings.events.forEach((event, index) => {
      const eventKind = kindName(event.event);
      const fields: UserFields = {
        event: index,
        thread: placesOf(plan, eventKind, ['vtid', 'vpid', 'pid_ns', 'procname']),
        ...placesOf(plan, eventKind, ['address', 'name']),
        status: event.status === '' ? undefined : plan.field(eventKind, 'status'),
        mutex: event.mutex === '' ? undefined : plan.field(eventKind, 'mutex'),
      };
      this.#readers[plan.kind(eventKind)] = (row, time, cpu) => this.#readUser(row, time, cpu, fields);
    });
    for (const { kind: eventKind, fields } of kernelKinds(settings.kernel)) {
      const read = this.#readerOf(eventKind, placesOf(plan, eventKind, Object.keys(fields)));
      this.#readers[plan.kind(eventKind)] = read;
    }
    for (const { kind: eventKind, fields } of moduleKinds(settings)) {
      const places = placesOf(plan, eventKind, Object.keys(fields));
      this.#readers[plan.kind(eventKind)] =
        moduleReader(this.#events, eventKind, places) ?? (() => undefined);
    }
  }

  map(batch: EventBatch): LockChunk {
    this.#mutexWords = 0;
    this.#calls = callsOf(batch.eventClasses);
    this.#operations = futexOperationsOf(batch.eventClasses);
    const chunk = this.#events.map(batch, this.#readers);
    return { ...chunk, mutexes: this.#mutexes.slice(0, this.#mutexWords) };
  }

  #readUser(row: number, time: number, cpu: number, fields: UserFields): void {
    const { rows, writer, texts } = this.#events;
    const { thread, address, name, status, mutex } = fields;
    const isAddress = rows.has(row, address);
    const kind = isAddress ? L_USER : rows.has(row, name) ? L_USER_NAME : L_WITHOUT_LOCK;
    const at = writer.append(time, kind, cpu);
    if (kind === L_WITHOUT_LOCK) return;
    const { args } = writer;
    args[at] = fields.event;
    args[at + 1] = this.#events.contextOf(row, thread);
    if (isAddress) this.#events.wide(row, address, at + 2);
    else args[at + 2] = rows.text(row, name, texts);
    args[at + 4] = status !== undefined && rows.has(row, status) ? rows.int(row, status) : 0;
    args[at + 5] = mutex !== undefined && rows.has(row, mutex) ? this.#addMutex(row, mutex) : NONE;
  }

  #addMutex(row: number, place: FieldPlace): number {
    const at = this.#mutexWords;
    if (at === this.#mutexes.length) this.#mutexes = widened(this.#mutexes, Math.max(64, 2 * at));
    const { rows } = this.#events;
    const from = rows.at[row] + place.offset;
    this.#mutexes[at] = rows.words[from];
    this.#mutexes[at + 1] = rows.words[from + 1];
    this.#mutexWords += 2;
    return at / 2;
  }

  #readerOf(eventKind: string, places: Places): ReadRow {
    const events = this.#events;
    const { rows, writer } = events;
    const inThread = (row: number, time: number, cpu: number, kind: number) =>
      events.inThread(row, time, cpu, kind, places.tid);
    switch (eventKind) {
      case 'switch':
        return (row, time, cpu) => events.switchTo(rows.int(row, places.next_tid), time, cpu);
      case 'lock-call-return':
        return (row, time, cpu) => {
          const at = inThread(row, time, cpu, L_RETURN);
          writer.args[at + 1] = this.#calls[rows.eventClass[row]];
          writer.args[at + 2] = rows.int(row, places.ret);
        };
      case 'lock-file-call':
        return (row, time, cpu) => {
          const at = inThread(row, time, cpu, L_CALL);
          writer.args[at + 1] = this.#calls[rows.eventClass[row]];
          writer.args[at + 2] = rows.int(row, places.fd);
          writer.args[at + 3] = rows.int(row, places.newfd);
          writer.args[at + 4] = rows.int(row, places.cmd);
          writer.args[at + 5] = rows.text(row, places.path, events.texts);
        };
      case 'lock-futex-call':
        return (row, time, cpu) => {
          const at = inThread(row, time, cpu, L_FUTEX);
          const ofCall = this.#operations[rows.eventClass[row]];
          const flags = rows.int(row, places.flags) & FUTEX_PRIVATE;
          writer.args[at + 1] = Number.isNaN(ofCall) ? rows.int(row, places.op) : ofCall | flags;
          events.wide(row, places.uaddr, at + 2);
          events.wide(row, places.uaddr2, at + 4);
        };
      case 'lock-contention-begin':
      case 'lock-contention-end': {
        const isBegin = eventKind === 'lock-contention-begin';
        return (row, time, cpu) => {
          const at = inThread(row, time, cpu, isBegin ? L_CONTENTION_BEGIN : L_CONTENTION_END);
          events.wide(row, places.address, at + 1);
          writer.args[at + 3] = rows.int(row, isBegin ? places.flags : places.ret);
        };
      }
      case 'fork':
        return (row, time, cpu) => {
          const at = writer.append(time, L_FORK, cpu);
          writer.args[at] = rows.int(row, places.child_tid);
          writer.args[at + 1] = rows.int(row, places.child_pid);
          writer.args[at + 2] = rows.int(row, places.parent_pid);
        };
      case 'exec':
      case 'exit':
        return (row, time, cpu) => {
          const at = writer.append(time, eventKind === 'exec' ? L_EXEC : L_EXIT, cpu);
          writer.args[at] = rows.int(row, places.tid);
        };
      case 'process-dump':
        return (row, time, cpu) => {
          const at = writer.append(time, L_PROCESS, cpu);
          const pid = rows.int(row, places.pid);
          writer.args[at] = pid < 0 ? rows.int(row, places.tid) : pid;
          events.wide(row, places.files, at + 1);
        };
      default:
        return (row, time, cpu) => {
          const at = writer.append(time, L_FILE, cpu);
          writer.args[at] = rows.int(row, places.pid);
          writer.args[at + 1] = rows.int(row, places.fd);
          writer.args[at + 2] = rows.text(row, places.filename, events.texts);
          events.wide(row, places.files, at + 3);
        };
    }
  }
}

export const lockMap = layerMap(LOCKS, lockKinds, (plan, settings) => new LockMapper(plan, settings));
