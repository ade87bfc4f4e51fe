/** Threads and processes that a Perfetto trace describes, as events about what exists. */
import { compare } from '../../base/compare.ts';
import { PROCESS_DESCRIPTOR, THREAD_DESCRIPTOR } from '../../trace/perfetto-fields.ts';
import type { CtfOutput } from '../ctf-output.ts';
import { Moment } from '../field-bytes.ts';
import { type Field, FieldEvents, textField } from '../field-events.ts';
import { PROCESS_TREE, TREE_PROCESS, TREE_THREAD } from './track-fields.ts';
import { INT, type Message, type Read, TEXT, TEXTS } from './wire.ts';

/** Descriptions of processes and threads. */
const PROCESS = {
  pid: [PROCESS_DESCRIPTOR.pid, INT],
  cmdline: [PROCESS_DESCRIPTOR.cmdline, TEXTS],
  name: [PROCESS_DESCRIPTOR.name, TEXT],
} as const;
const THREAD = {
  pid: [THREAD_DESCRIPTOR.pid, INT],
  tid: [THREAD_DESCRIPTOR.tid, INT],
  name: [THREAD_DESCRIPTOR.name, TEXT],
} as const;

/** Bytes of a thread's name that the kernel keeps; names of processes are their command lines. */
const MOST_NAME = 15;
/** Number of the stream with these events among those of a CPU. */
const RUN = 1000;
/** Descriptions that are kept. */
const MOST_THREADS = 1_000_000;

/** Fields of the forms of processes. */
type DescribedProcess = Read<typeof TREE_PROCESS> & { readonly name?: string };

interface Described {
  readonly tid: number;
  pid: number | undefined;
  parent: number | undefined;
  name: string | undefined;
  /** ns of the trace's clock; undefined: it existed from the begin on. */
  readonly time: bigint | undefined;
}

export class PerfettoThreads {
  /** The last description of a tid, and all descriptions. */
  readonly #last = new Map<number, Described>();
  readonly #all: Described[] = [];

  /** Name of a thread; '': not known. */
  nameOf(tid: number): string {
    return this.#last.get(tid)?.name ?? '';
  }

  tree(message: Message, time: bigint | undefined): void {
    while (message.next()) {
      if (message.field === PROCESS_TREE.process) this.#process(message.message.read(TREE_PROCESS), time);
      else if (message.field === PROCESS_TREE.thread) this.#thread(message.message.read(TREE_THREAD), time);
    }
  }

  /** Takes a `ProcessDescriptor`; returns its pid. */
  process(message: Message, time: bigint | undefined): number {
    return this.#process(message.read(PROCESS), time);
  }

  /** Takes a `ThreadDescriptor`; returns its pid and tid. */
  thread(message: Message, time: bigint | undefined): { readonly pid: number; readonly tid: number } {
    return this.#thread(message.read(THREAD), time);
  }

  /** Writes an event for each description, at `begin` or later. @param cpu of the kernel's events */
  write(output: CtfOutput, cpu: number, begin: Moment): void {
    const out = output.stream(cpu, RUN);
    const events = new FieldEvents(output);
    const timeOf = ({ time }: Described) => (time === undefined || time < begin.time ? begin.time : time);
    const inOrder = this.#all.map((thread) => ({ thread, time: timeOf(thread) }));
    inOrder.sort((a, b) => compare(a.time, b.time));
    for (const { thread, time } of inOrder) {
      const { tid, pid, parent: ppid, name } = thread;
      const fields = Object.entries({ tid, pid, ppid }).flatMap(([field, value]): Field[] =>
        value === undefined ? [] : [{ name: field, form: 'i32', value }],
      );
      if (name !== undefined) fields.push(textField('name', name));
      events.write({ name: 'perfetto:thread', fields }, (id) => {
        out.event(id, Moment.of(time));
        return out;
      });
    }
  }

  #process(described: DescribedProcess, time: bigint | undefined): number {
    const { pid = 0, parent, name = '', cmdline = [] } = described;
    const program = cmdline.find((word) => word !== '') ?? '';
    // A command line begins with a path.
    const own = name === '' ? (/[^/]*$/.exec(program.split(' ', 1)[0])?.[0] ?? '') : name;
    this.#describe({ tid: pid, pid, parent, name: nameOf(own), time });
    return pid;
  }

  #thread({ pid = 0, tid = 0, name = '' }: Read<typeof THREAD>, time: bigint | undefined) {
    this.#describe({ tid, pid: pid > 0 ? pid : undefined, parent: undefined, name: nameOf(name), time });
    return { pid, tid };
  }

  /** Merges a description with what is known; with another process it is another thread of the same number. */
  #describe(thread: Described): void {
    if (thread.tid <= 0 || this.#all.length === MOST_THREADS) return;
    const last = this.#last.get(thread.tid);
    if (
      last === undefined ||
      (last.pid !== undefined && thread.pid !== undefined && last.pid !== thread.pid)
    ) {
      this.#all.push(thread);
      this.#last.set(thread.tid, thread);
      return;
    }
    last.pid ??= thread.pid;
    last.parent ??= thread.parent;
    last.name ??= thread.name;
  }
}

function nameOf(text: string): string | undefined {
  return text === '' ? undefined : text.slice(0, MOST_NAME);
}
