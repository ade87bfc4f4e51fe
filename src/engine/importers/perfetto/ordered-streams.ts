/** Events of each CPU in order of time: late events go to another stream of the CPU. */
import type { CtfOutput, StreamOutput } from '../ctf-output.ts';
import { type FieldBytes, Moment } from '../field-bytes.ts';
import { byteBudget, type ImportRun } from '../import-run.ts';
import { WaitingEvents } from '../waiting-events.ts';

/** Streams of a CPU at most; times in the last one may go back. */
const MOST_STREAMS = 16;

/** A stream of a CPU, with the time of its last event. */
export interface CpuStream {
  readonly out: StreamOutput;
  readonly last: Moment;
}

/** Writes an event at a moment, whose fields are the bytes [from, to) of those that waited. */
type WriteEvent<Stream> = (
  stream: Stream,
  kind: number,
  time: Moment,
  waited: FieldBytes,
  from: number,
  to: number,
) => void;

export class OrderedStreams<Stream extends CpuStream> {
  readonly waiting: WaitingEvents;
  /** Time of the earliest event written; undefined: there is none. */
  earliest: Moment | undefined;
  readonly #output: CtfOutput;
  readonly #begin: (stream: CpuStream) => Stream;
  readonly #streams = new Map<number, Stream[]>();
  /** Limit on the bytes of all events: names that are referred to by number may make many bytes of few. */
  readonly #mostBytes: number;
  #written = 0;

  constructor(
    { source }: ImportRun,
    output: CtfOutput,
    begin: (stream: CpuStream) => Stream,
    write: WriteEvent<Stream>,
  ) {
    this.#mostBytes = byteBudget(source);
    this.#output = output;
    this.#begin = begin;
    this.waiting = new WaitingEvents(false, (kind, cpu, time, from, to) => {
      this.#written += to - from;
      write(this.#streamOf(cpu, time), kind, time, this.waiting, from, to);
    });
  }

  /** Whether there is no room for more events. */
  get isFull(): boolean {
    return this.#written + this.waiting.at > this.#mostBytes;
  }

  /** First stream of the CPU whose events are not later. */
  #streamOf(cpu: number, time: Moment): Stream {
    let streams = this.#streams.get(cpu);
    if (streams === undefined) this.#streams.set(cpu, (streams = []));
    let run = 0;
    while (run < streams.length && run < MOST_STREAMS - 1 && time.isBefore(streams[run].last)) run++;
    streams[run] ??= this.#begin({ out: this.#output.stream(cpu, run), last: new Moment() });
    streams[run].last.raise(time);
    if (this.earliest === undefined || time.isBefore(this.earliest)) this.earliest = Moment.of(time.time);
    return streams[run];
  }
}
