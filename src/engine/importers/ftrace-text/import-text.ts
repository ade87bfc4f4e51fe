/**
 * Text of ftrace → CTF: `trace` and `trace_pipe` of tracefs (`kernel/trace/trace_output.c`) and `trace-cmd report`, one
 * stream a CPU. Lines are in order of time over all CPUs, but times are in µs mostly: lines of one µs follow each other
 * by 1 ns, so that what one CPU causes on another one stays behind its cause.
 */
import type { Unpacked } from '../../archive/types.ts';
import { append } from '../../base/append.ts';
import type { ByteSource, SourceRef } from '../../io/byte-source.ts';
import { CtfOutput, type StreamOutput } from '../ctf-output.ts';
import {
  type Field,
  type FieldEvent,
  FieldEvents,
  markEvent,
  signed,
  textField,
  threadEvent,
} from '../field-events.ts';
import type { Importing } from '../types.ts';
import { DURATION, EventTexts } from './event-text.ts';
import { firstName } from '../../trace/event-kinds.ts';

const PIECE_BYTES = 1 << 20;
/** Characters of a line; the kernel writes at most a page, trace-cmd not many more. */
const MOST_LINE = 16_384;
const MOST_CPUS = 4096;
/** Threads whose name is remembered as written. */
const MOST_THREADS = 1 << 20;

/** "   sh-391   (  391) [001] d..2.   113.593145: EVENT"; a column for the process and one for interrupts may be there. */
const LINE =
  /^\s{0,64}(.{1,64}?)-(\d{1,9})\s+(?:\(\s*([\d-]{1,9})\s*\)\s+)?\[(\d{1,5})\]\s+(?:([^\s:]{4,8})\s+)?(\d{1,12})(?:\.(\d{1,9}))?:\s+(.*)$/;
/** "CPU:1 [LOST 12 EVENTS]", of trace-cmd "CPU:1 [12 EVENTS DROPPED]"; the number may be missing. */
const LOSS = /^CPU:(\d{1,5}) \[(?:LOST )?(?:(\d{1,18}) )?EVENTS(?: DROPPED)?\]/;
const NAME = 1;
const PROCESS = 2;
/** Lines that say nothing of events: comments, how many CPUs there are, where the buffer of one begins. */
const SILENT = /^(?:#|cpus=\d+$|version = \d+$|CPU \d+ is empty$|##### CPU \d+ buffer started ####$|\s*$)/;
/** " 0)   0.543 us    |    name();", as the tracer writes it. */
const GRAPH_LINE = /^\s*\d{1,5}\)\s[^|]{0,64}\|/;
const STACK_LINE = /^\s*(?:=> |\S+-\d+.*<stack trace>)/;

export async function importFtraceText(
  file: SourceRef,
  source: ByteSource,
  importing: Importing,
): Promise<Unpacked> {
  const lines = new FtraceLines(new CtfOutput(importing.tempFiles, file.path, false));
  const faults = [];
  const decoder = new TextDecoder();
  let rest = '';
  for (let at = 0; at < source.size;) {
    if (importing.signal?.aborted === true) break;
    const read = await source.read(at, Math.min(PIECE_BYTES, source.size - at));
    if (!read.ok) {
      faults.push(read.fault);
      break;
    }
    at += read.value.length;
    const pieces = (rest + decoder.decode(read.value, { stream: at < source.size })).split('\n');
    // The last line goes on in the next piece, or is too long.
    rest = at < source.size ? (pieces.pop() ?? '').slice(0, MOST_LINE + 1) : '';
    for (const line of pieces) lines.add(line);
    importing.onBytes?.(at);
    const full = await lines.output.flush();
    if (full !== undefined) {
      faults.push(full);
      break;
    }
  }
  const unpacked = await lines.finish();
  append(faults, unpacked.faults);
  for (const [what, count] of lines.leftOut)
    faults.push({
      code: 'records-left-out' as const,
      place: { file: file.path },
      found: `${count} ${count === 1 ? 'line' : 'lines'} ${what}`,
    });
  return { files: lines.events === 0 ? [] : unpacked.files, faults };
}

class FtraceLines {
  readonly output: CtfOutput;
  readonly leftOut = new Map<string, number>();
  events = 0;
  readonly #writer: FieldEvents;
  /** Events that were lost before the next one of a CPU. */
  readonly #lost = new Map<number, bigint>();
  readonly #texts = new EventTexts();
  /** Ends of functions that lines tell with their begins, by CPU: they come before its next line. */
  readonly #exits = new Map<number, { readonly time: bigint; readonly tid: number }>();
  /** Facts that were said of threads: NAME, PROCESS. */
  readonly #threads = new Map<number, number>();
  /** Time of the last line as it is written, and as it is given. ns */
  #written = -1n;
  #last = 0n;
  #digits = 0;

  constructor(output: CtfOutput) {
    this.output = output;
    this.#writer = new FieldEvents(output);
  }

  add(line: string): void {
    if (line.length > MOST_LINE) return this.#leaveOut('that are too long');
    const match = LINE.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (match === null) return this.#other(line);
    const [, comm, tidText, processText, cpuText, flags, seconds, fraction = '', text] = match;
    const cpu = Number(cpuText);
    if (STACK_LINE.test(line)) return this.#leaveOut('of stacks');
    const event = cpu < MOST_CPUS ? this.#texts.read(text, true) : undefined;
    if (event === undefined) return this.#leaveOut('that are no events');
    const tid = Number(tidText);
    const time = this.#timeOf(seconds, fraction);
    const out = this.output.stream(cpu);
    this.#exit(cpu, out, time);
    this.#lose(cpu, out, time);
    const process = Number(processText);
    if (tid !== 0) this.#thread(out, time, tid, process > 0 ? process : undefined, comm);
    const context: Field[] = [signed('common_pid', tid)];
    if ((flags as string | undefined) !== undefined) context.push(textField('common_irq_info', flags));
    const [first] = event.fields as readonly (Field | undefined)[];
    const mark = first?.name === 'buf' && first.kind === 'text' ? markEvent(first.value, tid) : undefined;
    this.#write(out, time, mark ?? { ...event, fields: [...context, ...event.fields] }, () => {
      const { name, fields } = this.#texts.read(text, false) ?? event;
      return { name, fields: [...context, ...fields] };
    });
    const took = event.fields.find(({ name }) => name === DURATION);
    if (took !== undefined && took.kind !== 'text' && event.name === firstName('graph-entry'))
      this.#exits.set(cpu, { time: time + took.value, tid });
    for (const field of event.fields)
      if (/^(?:prev_|next_|child_)?pid$/.test(field.name) && field.kind !== 'text')
        this.#remember(Number(field.value), NAME);
    this.events++;
  }

  async finish(): Promise<Unpacked> {
    for (const cpu of [...this.#exits.keys()]) this.#exit(cpu, this.output.stream(cpu));
    for (const cpu of [...this.#lost.keys()]) this.#lose(cpu, this.output.stream(cpu), this.#last);
    const unit = this.#digits > 6 ? 'ns' : this.#digits > 0 ? 'µs' : 'units of its own';
    return this.output.finish({
      environment: { domain: 'kernel', sysname: 'Linux', tracer_name: 'ftrace (text)', time_unit: unit },
      clock: { name: 'ftrace', description: `ftrace's clock, written in ${unit}`, offset: undefined },
    });
  }

  #other(line: string): void {
    const loss = LOSS.exec(line);
    if (loss !== null) {
      const [, cpu, count = '1'] = loss;
      if (Number(cpu) < MOST_CPUS) this.#lost.set(Number(cpu), BigInt(count));
    } else if (STACK_LINE.test(line)) this.#leaveOut('of stacks');
    else if (GRAPH_LINE.test(line)) this.#leaveOut('of a function graph without times');
    else if (!SILENT.test(line)) this.#leaveOut('that are no events');
  }

  #leaveOut(what: string): void {
    this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + 1);
  }

  #timeOf(seconds: string, fraction: string): bigint {
    this.#digits = Math.max(this.#digits, fraction.length);
    const written =
      fraction === '' ? BigInt(seconds) : BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
    const isFollowing = fraction.length <= 6 && fraction !== '' && written === this.#written;
    this.#written = written;
    this.#last =
      isFollowing && this.#last < written + 999n ? this.#last + 1n : isFollowing ? this.#last : written;
    return this.#last;
  }

  /** Writes the end of a function that was told with its begin, at most at the time of the next line. */
  #exit(cpu: number, out: StreamOutput, next?: bigint): void {
    const exit = this.#exits.get(cpu);
    if (exit === undefined) return;
    this.#exits.delete(cpu);
    const time = next !== undefined && next < exit.time ? next : exit.time;
    const fields = [signed('common_pid', exit.tid)];
    this.#write(out, time, { name: firstName('graph-exit'), fields });
  }

  #lose(cpu: number, out: StreamOutput, time: bigint): void {
    const count = this.#lost.get(cpu);
    if (count === undefined) return;
    this.#lost.delete(cpu);
    out.lose(time, count);
  }

  /** Says what is known of a thread and was not said before; its name may be that of the end of the recording. */
  #thread(out: StreamOutput, time: bigint, tid: number, process: number | undefined, comm: string): void {
    const known = this.#threads.get(tid) ?? 0;
    const isNew = (known & NAME) === 0 && comm !== '<...>' && comm !== '<idle>';
    const isOfNew = (known & PROCESS) === 0 && process !== undefined;
    if (!isNew && !isOfNew) return;
    this.#remember(tid, (isNew ? NAME : 0) | (isOfNew ? PROCESS : 0));
    const event = threadEvent(tid, isOfNew ? process : undefined, isNew ? comm : undefined);
    this.#write(out, time, event);
  }

  #remember(tid: number, what: number): void {
    const known = this.#threads.get(tid);
    if (known !== undefined || this.#threads.size < MOST_THREADS) this.#threads.set(tid, (known ?? 0) | what);
  }

  /** @param plain the same event with one text */
  #write(out: StreamOutput, time: bigint, event: FieldEvent, plain?: () => FieldEvent): void {
    let outcome = this.#writer.write(out, time, event);
    if (outcome === 'forms' && plain !== undefined) outcome = this.#writer.write(out, time, plain());
    if (outcome !== 'written') this.#leaveOut('of further kinds of events');
  }
}
