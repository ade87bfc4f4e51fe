/**
 * Text of ftrace → CTF: `trace` and `trace_pipe` of tracefs (`kernel/trace/trace_output.c`) and `trace-cmd report`, one
 * stream a CPU. Lines are in order of time over all CPUs, but times are in µs mostly: lines of one µs follow each other
 * by 1 ns, so that what one CPU causes on another one stays behind its cause.
 */
import { firstName } from '../../trace/event-kinds.ts';
import type { CtfOutput, StreamOutput } from '../ctf-output.ts';
import { Moment } from '../field-bytes.ts';
import {
  type Field,
  type FieldEvent,
  FieldEvents,
  markEvent,
  signed,
  textField,
  threadEvent,
} from '../field-events.ts';
import type { ImportRun } from '../import-run.ts';
import { DURATION, EventTexts } from './event-text.ts';

/** Fields that name threads. */
const NAMED_THREAD = /^(?:prev_|next_|child_)?pid$/;

const NEWLINE = 10;
const RETURN = 13;
const decoder = new TextDecoder();
/** Longest line, characters; the kernel writes at most a page, trace-cmd little more. */
const MOST_LINE = 16_384;
/** Bytes that exceed any such line. */
const MOST_BYTES = 4 * MOST_LINE;
const MOST_CPUS = 4096;
/** Threads whose name is remembered as written. */
const MOST_THREADS = 1 << 20;

/** "CPU:1 [LOST 12 EVENTS]", of trace-cmd "CPU:1 [12 EVENTS DROPPED]"; the number may be missing. */
const LOSS = /^CPU:(\d{1,5}) \[(?:LOST )?(?:(\d{1,18}) )?EVENTS(?: DROPPED)?\]/;
const NAME = 1;
const PROCESS = 2;
/** Lines without events: comments, number of CPUs, begins of the buffers of CPUs. */
const SILENT = /^(?:#|cpus=\d+$|version = \d+$|CPU \d+ is empty$|##### CPU \d+ buffer started ####$|\s*$)/;
/** " 0)   0.543 us    |    name();", as the tracer writes it. */
const GRAPH_LINE = /^\s*\d{1,5}\)\s[^|]{0,64}\|/;
const STACK_LINE = /^\s*(?:=> |\S+-\d+.*<stack trace>)/;

export async function importFtraceText(run: ImportRun): Promise<void> {
  const { source, file } = run;
  const lines = new FtraceLines(run, run.output(file.path, false));
  const span = { source, from: 0, to: source.size };
  await run.read(span, { take: (bytes, byte) => lines.take(bytes, byte + bytes.length === source.size) });
  await lines.finish();
}

class FtraceLines {
  readonly #run: ImportRun;
  readonly #output: CtfOutput;
  #events = 0;
  /** Whether the next bytes continue a line that is too long. */
  #isInLongLine = false;
  readonly #writer: FieldEvents;
  readonly #texts = new EventTexts();
  /** Events lost before the next one of a CPU. */
  readonly #lost = new Map<number, bigint>();
  /** Ends of functions that a line states along with their begin, by CPU; they precede the CPU's next line. */
  readonly #exits = new Map<number, { readonly time: bigint; readonly tid: number }>();
  /** Facts already written of threads: NAME, PROCESS. */
  readonly #threads = new Map<number, number>();
  /** Time of the present line, ns, and as written. */
  readonly #time = new Moment();
  #seconds = -1;
  #nanos = -1;
  /** Number of lines before it with the same time. */
  #same = 0;
  /** Most digits of any time. */
  #digits = 0;

  constructor(run: ImportRun, output: CtfOutput) {
    this.#run = run;
    this.#output = output;
    this.#writer = new FieldEvents(output);
  }

  /** Takes whole lines from bytes; returns the number of bytes taken. */
  take(bytes: Uint8Array, isLast: boolean): number {
    const begin = this.#isInLongLine ? bytes.indexOf(NEWLINE) + 1 : 0;
    if (this.#isInLongLine && begin === 0) return bytes.length;
    this.#isInLongLine = false;
    const end = isLast ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
    const text = decoder.decode(bytes.subarray(begin, Math.max(begin, end)));
    for (let at = 0; at < text.length;) {
      const newline = text.indexOf('\n', at);
      const next = newline < 0 ? text.length : newline;
      this.#line(text, at, next);
      at = next + 1;
    }
    if (bytes.length - end <= MOST_BYTES) return end;
    this.#isInLongLine = true;
    this.#run.leaveOut('that are too long');
    return bytes.length;
  }

  /** Takes the line in [from, to) of a text. */
  #line(text: string, from: number, to: number): void {
    if (to - from > MOST_LINE) return this.#run.leaveOut('that are too long');
    const end = to > from && text.charCodeAt(to - 1) === RETURN ? to - 1 : to;
    const line = text.slice(from, end);
    const head = readHead(line);
    if (head === undefined) this.#other(line);
    else this.#event(head, line.slice(head.at));
  }

  /** @param text of the line after its head */
  #event(head: LineHead, text: string): void {
    const { tid, cpu, flags } = head;
    if (text.startsWith('<stack trace>')) return this.#run.leaveOut('of stacks');
    const event = cpu < MOST_CPUS ? this.#texts.read(text, true) : undefined;
    if (event === undefined) return this.#run.leaveOut('that are no events');
    const out = this.#begin(head);
    const context: Field[] = [signed('common_pid', tid)];
    if (flags !== '') context.push(textField('common_irq_info', flags));
    const [first] = event.fields as readonly (Field | undefined)[];
    const mark = first?.name === 'buf' && first.form === 'text' ? markEvent(first.value, tid) : undefined;
    this.#write(out, mark ?? { name: event.name, fields: [...context, ...event.fields] }, () => {
      const { name, fields } = this.#texts.read(text, false) ?? event;
      return { name, fields: [...context, ...fields] };
    });
    const took = event.fields.find(({ name }) => name === DURATION);
    if (took?.form === 'i64' && event.name === firstName('graph-entry'))
      this.#exits.set(cpu, { time: this.#time.time + took.value, tid });
    for (const field of event.fields)
      if (NAMED_THREAD.test(field.name) && field.form !== 'text') this.#remember(Number(field.value), NAME);
    this.#events++;
  }

  /** Begins a line's event, after writing what precedes it. */
  #begin(head: LineHead): StreamOutput {
    const { cpu } = head;
    const out = this.#output.stream(cpu);
    this.#setTime(head);
    if (this.#exits.size > 0) this.#exit(cpu, out, this.#time.time);
    if (this.#lost.size > 0) this.#lose(cpu, out);
    this.#thread(head, out);
    return out;
  }

  async finish(): Promise<void> {
    for (const cpu of [...this.#exits.keys()]) this.#exit(cpu, this.#output.stream(cpu));
    for (const cpu of [...this.#lost.keys()]) this.#lose(cpu, this.#output.stream(cpu));
    const unit = this.#digits > 6 ? 'ns' : this.#digits > 0 ? 'µs' : 'units of its own';
    if (this.#events > 0)
      await this.#run.finish(this.#output, {
        environment: { domain: 'kernel', sysname: 'Linux', tracer_name: 'ftrace (text)', time_unit: unit },
        clock: { name: 'ftrace', description: `ftrace's clock, written in ${unit}`, offset: undefined },
      });
    this.#run.sayLeftOut('line');
  }

  #other(line: string): void {
    const loss = LOSS.exec(line);
    if (loss !== null) {
      const [, cpu, count = '1'] = loss;
      if (Number(cpu) < MOST_CPUS) this.#lost.set(Number(cpu), BigInt(count));
    } else if (STACK_LINE.test(line)) this.#run.leaveOut('of stacks');
    else if (GRAPH_LINE.test(line)) this.#run.leaveOut('of a function graph without times');
    else if (!SILENT.test(line)) this.#run.leaveOut('that are no events');
  }

  /** Sets the time of the line: lines of the same µs follow each other by 1 ns. */
  #setTime({ seconds, nanos, digits }: LineHead): void {
    this.#digits = Math.max(this.#digits, digits);
    const isSame = seconds === this.#seconds && nanos === this.#nanos && digits > 0 && digits <= 6;
    this.#same = isSame ? Math.min(this.#same + 1, 999) : 0;
    this.#seconds = seconds;
    this.#nanos = nanos;
    const ns = (digits > 0 ? 1e9 * seconds : seconds) + nanos + this.#same;
    if (Number.isSafeInteger(ns)) this.#time.set(Math.floor(ns / 2 ** 32), ns >>> 0);
    else this.#time.time = 1_000_000_000n * BigInt(seconds) + BigInt(nanos + this.#same);
  }

  /** Writes the end of a function that was stated with its begin, no later than the next line. */
  #exit(cpu: number, out: StreamOutput, next?: bigint): void {
    const exit = this.#exits.get(cpu);
    if (exit === undefined) return;
    this.#exits.delete(cpu);
    const at = Moment.of(next !== undefined && next < exit.time ? next : exit.time);
    this.#write(
      out,
      { name: firstName('graph-exit'), fields: [signed('common_pid', exit.tid)] },
      undefined,
      at,
    );
  }

  #lose(cpu: number, out: StreamOutput): void {
    const count = this.#lost.get(cpu);
    if (count === undefined) return;
    this.#lost.delete(cpu);
    out.lose(this.#time, count);
  }

  /** Writes what is newly known of the line's thread; its name may be that at the end of the recording. */
  #thread({ tid, process, comm }: LineHead, out: StreamOutput): void {
    const known = tid === 0 ? NAME | PROCESS : (this.#threads.get(tid) ?? 0);
    const isOfNew = (known & PROCESS) === 0 && process > 0;
    if ((known & NAME) !== 0 && !isOfNew) return;
    const isNew = (known & NAME) === 0 && comm !== '<...>' && comm !== '<idle>';
    if (!isNew && !isOfNew) return;
    this.#remember(tid, (isNew ? NAME : 0) | (isOfNew ? PROCESS : 0));
    this.#write(out, threadEvent(tid, isOfNew ? process : undefined, isNew ? comm : undefined));
  }

  #remember(tid: number, what: number): void {
    const known = this.#threads.get(tid);
    if (known === undefined ? this.#threads.size < MOST_THREADS : (known & what) !== what)
      this.#threads.set(tid, (known ?? 0) | what);
  }

  /** @param plain the same event with a single text field */
  #write(out: StreamOutput, event: FieldEvent, plain?: () => FieldEvent, at = this.#time): void {
    const begin = (id: number) => {
      out.event(id, at);
      return out;
    };
    let outcome = this.#writer.write(event, begin);
    if (outcome === 'forms' && plain !== undefined) outcome = this.#writer.write(plain(), begin);
    if (outcome !== 'written') this.#run.leaveOut('of further kinds of events');
  }
}

/**
 * Head of a line of ftrace, before its event: "   sh-391   (  391) [001] d..2.   113.593145: ". It may have a column
 * for the process and one for interrupts. Latency formats: "sh-391     1d..2.   113.593145: " of `trace-cmd report
 * -l`, with "5us+: " for the time of ftrace's own option latency-format.
 */

interface LineHead {
  readonly tid: number;
  /** Name of the thread; "<...>": it may be cut off. */
  readonly comm: string;
  /** 0: not known. */
  readonly process: number;
  readonly cpu: number;
  /** '': there are none. */
  readonly flags: string;
  /** Time as written: whole seconds, ns beyond them, and the number of their digits. */
  readonly seconds: number;
  readonly nanos: number;
  readonly digits: number;
  /** Offset of the event. */
  readonly at: number;
}

/** The thread's name ends at the first hyphen for which the rest matches. */
const HEAD = new RegExp(
  [
    /^[ \t]*(?![ \t])([^]{1,64}?)-(\d{1,9})[ \t]+/,
    /(?:(?:\([ \t]*(?:-+|(\d{1,9}))[ \t]*\)[ \t]+)?\[(\d{1,5})\][ \t]+(?:([!-9;-~]{4,8})[ \t]+)?|(\d{1,4})(?!\d)([!-9;-~]{4,8})[ \t]+)/,
    // After "us" is a mark for the elapsed time.
    /(\d{1,12})(?:\.(\d{1,9})|(us)[^])?:[ \t]+/,
  ]
    .map(({ source }) => source)
    .join(''),
);

/** Length to which latency formats cut names, characters. */
const CUT_NAME = 8;

/** Undefined: the line does not have this form. */
function readHead(line: string): LineHead | undefined {
  const found: readonly (string | undefined)[] | null = HEAD.exec(line);
  if (found === null) return undefined;
  const [head = '', name = '', tid, process = 0, cpu, flags = '', latencyCpu, latency, time, fraction, us] =
    found;
  const isLatency = latency !== undefined;
  if (fraction === undefined && isLatency !== (us !== undefined)) return undefined;
  return {
    tid: Number(tid),
    comm: isLatency && name.length >= CUT_NAME ? '<...>' : name,
    process: Number(process),
    cpu: Number(cpu ?? latencyCpu),
    flags: latency ?? flags,
    seconds: us === undefined ? Number(time) : Math.floor(Number(time) / 1e6),
    nanos: us === undefined ? Number((fraction ?? '').padEnd(9, '0')) : (Number(time) % 1e6) * 1000,
    digits: us === undefined ? (fraction ?? '').length : 6,
    at: head.length,
  };
}
