/** One chunk → the events in it that say something about locks (`lock-leaf.ts`). */
import type { EventBatch, MeaningRequest, ProjectionPlan } from '../analysis/contract.ts';
import { TupleIndex } from '../base/tuple-index.ts';
import { widened } from '../base/columns.ts';
import { earliestTime, losesBefore, losesWithin } from '../ctf/decode/rows.ts';
import { type FieldPlace, placesOf, RowReader } from '../linux/row-reader.ts';
import { TextTable } from '../linux/text-table.ts';
import { LeafWriter } from '../linux/transitions/transitions.ts';
import { callsOf, kernelMeanings } from './kernel-calls.ts';
import * as l from './lock-leaf.ts';
import type { LockSettings } from './lock-settings.ts';
import type { LockEvent } from './providers.ts';

/** Nobody is known to run. */
const NOBODY = -1;
const NONE = -1;

export function lockMeanings({ events, kernel }: LockSettings): MeaningRequest[] {
  return [...events.map(userMeaning), ...kernelMeanings(kernel)];
}

const THREAD_FIELDS = {
  vtid: { names: ['vtid'], kind: 'int', only: 'context' },
  vpid: { names: ['vpid'], kind: 'int', only: 'context' },
  pid_ns: { names: ['pid_ns'], kind: 'int', only: 'context' },
  procname: { names: ['procname'], kind: 'string', only: 'context' },
} as const;

/** No meaning of the kernel's is called so. */
const meaningName = (event: string) => `lock event ${event}`;

function userMeaning({ event, lock, status, mutex }: LockEvent): MeaningRequest {
  const own = (kind: 'int' | 'wide' | 'string', ...names: string[]) =>
    ({ names, kind, only: 'payload' }) as const;
  return {
    meaning: meaningName(event),
    events: [event],
    fields: {
      ...THREAD_FIELDS,
      // Wrappers call it by the kind, or `lock`.
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
  readonly thread: Readonly<Record<keyof typeof THREAD_FIELDS, FieldPlace>>;
  readonly address: FieldPlace;
  readonly name: FieldPlace;
  readonly status: FieldPlace | undefined;
  readonly mutex: FieldPlace | undefined;
}

type Places = Readonly<Record<string, FieldPlace>>;

/** Maps one chunk after the other. */
export class LockMapper {
  /** By meaning: an event of programs, or what reads an event of the kernel. */
  readonly #user: (UserFields | undefined)[] = [];
  readonly #kernel: ((row: number, time: number, cpu: number) => void)[] = [];
  /** Every switch is handed on; else only who runs when an event of the kernel needs it. */
  readonly #tellsSwitches: boolean;
  readonly #rows = new RowReader();
  readonly #writer = new LeafWriter();
  readonly #contexts = new TupleIndex();
  #mutexes = new Int32Array(0);
  #mutexWords = 0;
  #texts = new TextTable();
  #calls: Int32Array = new Int32Array(0);
  /** Who runs on the CPU of the packets at hand as the leaf tells it so far, and as the chunk's switches do. */
  #toldRunning = NOBODY;
  #running = NOBODY;
  #cpu = NONE;

  constructor(plan: ProjectionPlan, settings: LockSettings) {
    settings.events.forEach((event, index) => {
      const meaning = meaningName(event.event);
      this.#user[plan.meaning(meaning)] = {
        event: index,
        thread: placesOf(plan, meaning, ['vtid', 'vpid', 'pid_ns', 'procname']),
        ...placesOf(plan, meaning, ['address', 'name']),
        status: event.status === '' ? undefined : plan.field(meaning, 'status'),
        mutex: event.mutex === '' ? undefined : plan.field(meaning, 'mutex'),
      };
    });
    this.#tellsSwitches = settings.kernel.switches === 'all';
    for (const { meaning, fields } of kernelMeanings(settings.kernel)) {
      const read = this.#readerOf(meaning, placesOf(plan, meaning, Object.keys(fields)));
      this.#kernel[plan.meaning(meaning)] = read;
    }
  }

  map(batch: EventBatch): l.LockLeaf {
    const { packets, rows, domain } = batch;
    this.#open(batch);
    for (let packet = 0; packet < packets.length; packet++) {
      this.#writer.keyOf(earliestTime(packets, packet));
      const cpu = packets.cpu[packet];
      if (cpu !== this.#cpu) this.#turnTo(cpu);
      if (losesBefore(packets, packet)) this.#lose(cpu, domain === 'kernel');
      for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
        const time = this.#writer.keyOf(rows.time[row]);
        const meaning = rows.meaning[row];
        const user = this.#user[meaning];
        if (user === undefined) this.#kernel[meaning](row, time, cpu);
        else this.#readUser(row, time, cpu, user);
      }
      if (losesWithin(packets, packet)) this.#lose(cpu, domain === 'kernel');
    }
    this.#turnTo(NONE);
    this.#rows.close();
    return this.#leaf();
  }

  #open({ rows, eventClasses }: EventBatch): void {
    this.#rows.open(rows);
    this.#writer.clear();
    this.#contexts.clear();
    this.#texts = new TextTable();
    this.#mutexWords = 0;
    this.#calls = callsOf(eventClasses);
    this.#cpu = NONE;
    this.#running = this.#toldRunning = NOBODY;
  }

  #leaf(): l.LockLeaf {
    const contexts = this.#contexts;
    return {
      ...this.#writer.columns(),
      contexts: {
        length: contexts.length,
        vtid: contexts.column(0),
        vpid: contexts.column(1),
        namespace: contexts.column(2),
        process: contexts.column(3),
      },
      mutexes: this.#mutexes.slice(0, this.#mutexWords),
      texts: this.#texts.texts,
    };
  }

  /** The packets of another CPU follow, or none. */
  #turnTo(cpu: number): void {
    if (this.#cpu !== NONE) this.#tellRunning(this.#writer.now, this.#cpu);
    this.#cpu = cpu;
    this.#running = this.#toldRunning = NOBODY;
  }

  #lose(cpu: number, isKernel: boolean): void {
    const { now } = this.#writer;
    if (!Number.isFinite(now)) return;
    const at = this.#writer.append(now, l.L_LOSS, cpu);
    this.#writer.args[at] = isKernel ? 0 : 1;
    if (isKernel) this.#running = this.#toldRunning = NOBODY;
  }

  #tellRunning(time: number, cpu: number): void {
    if (this.#running === this.#toldRunning) return;
    this.#toldRunning = this.#running;
    const at = this.#writer.append(time, l.L_SWITCH, cpu);
    this.#writer.args[at] = this.#running;
  }

  #readUser(row: number, time: number, cpu: number, fields: UserFields): void {
    const rows = this.#rows;
    const { thread, address, name, status, mutex } = fields;
    const isAddress = rows.has(row, address);
    const kind = isAddress ? l.L_USER : rows.has(row, name) ? l.L_USER_NAME : l.L_WITHOUT_LOCK;
    const at = this.#writer.append(time, kind, cpu);
    if (kind === l.L_WITHOUT_LOCK) return;
    const { args } = this.#writer;
    args[at] = fields.event;
    args[at + 1] = this.#contexts.place(
      rows.int(row, thread.vtid),
      rows.int(row, thread.vpid),
      rows.has(row, thread.pid_ns) ? rows.int(row, thread.pid_ns) : 0,
      rows.text(row, thread.procname, this.#texts),
    );
    if (isAddress) this.#wide(row, address, at + 2);
    else args[at + 2] = rows.text(row, name, this.#texts);
    args[at + 4] = status !== undefined && rows.has(row, status) ? rows.int(row, status) : 0;
    args[at + 5] = mutex !== undefined && rows.has(row, mutex) ? this.#addMutex(row, mutex) : NONE;
  }

  #addMutex(row: number, place: FieldPlace): number {
    const at = this.#mutexWords;
    if (at === this.#mutexes.length) this.#mutexes = widened(this.#mutexes, Math.max(64, 2 * at));
    const from = this.#rows.at[row] + place.offset;
    this.#mutexes[at] = this.#rows.words[from];
    this.#mutexes[at + 1] = this.#rows.words[from + 1];
    this.#mutexWords += 2;
    return at / 2;
  }

  /** Both words of a field, as arguments. */
  #wide(row: number, place: FieldPlace, at: number): void {
    const from = this.#rows.at[row] + place.offset;
    this.#writer.args[at] = this.#rows.words[from];
    this.#writer.args[at + 1] = this.#rows.words[from + 1];
  }

  /** An event of the kernel that happens in a thread: place of its arguments, the first of which is set. */
  #inThread(row: number, time: number, cpu: number, kind: number, tid: FieldPlace): number {
    const told = this.#rows.int(row, tid);
    if (told < 0) this.#tellRunning(time, cpu);
    const at = this.#writer.append(time, kind, cpu);
    this.#writer.args[at] = told;
    return at;
  }

  #readerOf(meaning: string, places: Places): (row: number, time: number, cpu: number) => void {
    const rows = this.#rows;
    const writer = this.#writer;
    const inThread = (row: number, time: number, cpu: number, kind: number) =>
      this.#inThread(row, time, cpu, kind, places.tid);
    switch (meaning) {
      case 'switch':
        return (row, time, cpu) => {
          this.#running = rows.int(row, places.next_tid);
          if (this.#tellsSwitches) this.#tellRunning(time, cpu);
        };
      case 'lock-call-return':
        return (row, time, cpu) => {
          const at = inThread(row, time, cpu, l.L_RETURN);
          writer.args[at + 1] = this.#calls[rows.eventClass[row]];
          writer.args[at + 2] = rows.int(row, places.ret);
        };
      case 'lock-file-call':
        return (row, time, cpu) => {
          const at = inThread(row, time, cpu, l.L_CALL);
          writer.args[at + 1] = this.#calls[rows.eventClass[row]];
          writer.args[at + 2] = rows.int(row, places.fd);
          writer.args[at + 3] = rows.int(row, places.newfd);
          writer.args[at + 4] = rows.int(row, places.cmd);
          writer.args[at + 5] = rows.text(row, places.path, this.#texts);
        };
      case 'lock-futex-call':
        return (row, time, cpu) => {
          const at = inThread(row, time, cpu, l.L_FUTEX);
          writer.args[at + 1] = rows.int(row, places.op);
          this.#wide(row, places.uaddr, at + 2);
          this.#wide(row, places.uaddr2, at + 4);
        };
      case 'lock-contention-begin':
      case 'lock-contention-end': {
        const isBegin = meaning === 'lock-contention-begin';
        return (row, time, cpu) => {
          const at = inThread(row, time, cpu, isBegin ? l.L_CONTENTION_BEGIN : l.L_CONTENTION_END);
          this.#wide(row, places.address, at + 1);
          writer.args[at + 3] = rows.int(row, isBegin ? places.flags : places.ret);
        };
      }
      case 'fork':
        return (row, time, cpu) => {
          const at = writer.append(time, l.L_FORK, cpu);
          writer.args[at] = rows.int(row, places.child_tid);
          writer.args[at + 1] = rows.int(row, places.child_pid);
          writer.args[at + 2] = rows.int(row, places.parent_pid);
        };
      case 'process-dump':
        return (row, time, cpu) => {
          const at = writer.append(time, l.L_PROCESS, cpu);
          const pid = rows.int(row, places.pid);
          writer.args[at] = pid < 0 ? rows.int(row, places.tid) : pid;
          this.#wide(row, places.files, at + 1);
        };
      default:
        return (row, time, cpu) => {
          const at = writer.append(time, l.L_FILE, cpu);
          writer.args[at] = rows.int(row, places.pid);
          writer.args[at + 1] = rows.int(row, places.fd);
          writer.args[at + 2] = rows.text(row, places.filename, this.#texts);
          this.#wide(row, places.files, at + 3);
        };
    }
  }
}
