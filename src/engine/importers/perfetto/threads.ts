/** Threads and processes as a Perfetto trace describes them: events that say what there was. */
import { PROCESS_DESCRIPTOR, THREAD_DESCRIPTOR } from '../../trace/perfetto-fields.ts';
import { type CtfOutput, integer, type OutputMember, TEXT } from '../ctf-output.ts';
import { PROCESS_TREE, TREE_PROCESS, TREE_THREAD } from './track-fields.ts';
import type { Message } from './wire.ts';

/** Bytes of a name of a thread that the kernel keeps; names of processes are their command lines. */
const MOST_NAME = 15;
/** Number of the stream with these events beside those of a CPU. */
const RUN = 1000;
/** Descriptions that are kept. */
const MOST_THREADS = 1_000_000;

interface Described {
  readonly tid: number;
  pid: number | undefined;
  parent: number | undefined;
  name: string | undefined;
  /** ns of the trace's clock; undefined: there from the begin on. */
  readonly time: bigint | undefined;
}

export class PerfettoThreads {
  /** The last description of a tid, and all of them. */
  readonly #last = new Map<number, Described>();
  readonly #all: Described[] = [];

  /** Name of a thread, '' not known. */
  nameOf(tid: number): string {
    return this.#last.get(tid)?.name ?? '';
  }

  /** Takes a `ProcessTree`. */
  tree(message: Message, time: bigint | undefined): void {
    while (message.next()) {
      if (message.field === PROCESS_TREE.process) this.#process(message.message, TREE_PROCESS, time);
      else if (message.field === PROCESS_TREE.thread) this.#thread(message.message, TREE_THREAD, time);
    }
  }

  /** Takes a `ProcessDescriptor`; returns its pid. */
  process(message: Message, time: bigint | undefined): number {
    return this.#process(message, { ...PROCESS_DESCRIPTOR, parent: 0 }, time);
  }

  /** Takes a `ThreadDescriptor`; returns its pid and tid. */
  thread(message: Message, time: bigint | undefined): { readonly pid: number; readonly tid: number } {
    return this.#thread(message, THREAD_DESCRIPTOR, time);
  }

  /** Writes an event for each description, not before `begin`. @param cpu of the kernel's events */
  write(output: CtfOutput, cpu: number, begin: bigint): void {
    const out = output.stream(cpu, RUN);
    const classes = new Map<string, number>();
    const timeOf = ({ time }: Described) => (time === undefined || time < begin ? begin : time);
    const inOrder = [...this.#all].sort((a, b) =>
      timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0,
    );
    const encoder = new TextEncoder();
    for (const thread of inOrder) {
      const { tid, pid, parent: ppid, name } = thread;
      const numbers = Object.entries({ tid, pid, ppid }).filter(([, value]) => value !== undefined);
      const key = `${numbers.map(([field]) => field).join(' ')} ${name === undefined ? '' : 'name'}`;
      let kind = classes.get(key);
      if (kind === undefined) {
        const members: OutputMember[] = numbers.map(([field]) => ({
          name: field,
          'field-class': integer(4, true, false),
        }));
        if (name !== undefined) members.push({ name: 'name', 'field-class': TEXT });
        classes.set(key, (kind = output.declare('perfetto:thread', members)));
      }
      out.event(kind, timeOf(thread));
      for (const [, value = 0] of numbers) out.u32(value);
      if (name === undefined) continue;
      const bytes = encoder.encode(name);
      out.text(bytes, 0, bytes.length);
    }
  }

  #process(
    message: Message,
    fields: {
      readonly pid: number;
      readonly parent: number;
      readonly cmdline: number;
      readonly name?: number;
    },
    time: bigint | undefined,
  ): number {
    let pid = 0;
    let parent: number | undefined;
    let name = '';
    let program = '';
    while (message.next()) {
      if (message.field === fields.pid) pid = message.low;
      else if (message.field === fields.parent) parent = message.low;
      else if (message.field === fields.cmdline && program === '') program = message.text;
      else if (message.field === fields.name) name = message.text;
    }
    // A command line begins with a path.
    if (name === '') name = /[^/]*$/.exec(program.split(' ', 1)[0])?.[0] ?? '';
    this.#describe({ tid: pid, pid, parent, name: nameOf(name), time });
    return pid;
  }

  #thread(
    message: Message,
    fields: { readonly pid: number; readonly tid: number; readonly name: number },
    time: bigint | undefined,
  ): { readonly pid: number; readonly tid: number } {
    let pid = 0;
    let tid = 0;
    let name = '';
    while (message.next()) {
      if (message.field === fields.pid) pid = message.low;
      else if (message.field === fields.tid) tid = message.low;
      else if (message.field === fields.name) name = message.text;
    }
    this.#describe({ tid, pid: pid > 0 ? pid : undefined, parent: undefined, name: nameOf(name), time });
    return { pid, tid };
  }

  /** Adds what is new to what is known; of another process it is another thread with the number. */
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
