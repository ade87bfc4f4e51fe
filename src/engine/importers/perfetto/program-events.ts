/** Events of programs, made of track events and samples: a CTF trace of its own beside that of the kernel. */
import type { CtfOutput } from '../ctf-output.ts';
import { Moment } from '../field-bytes.ts';
import { type Field, FieldEvents, textField } from '../field-events.ts';
import { type CpuStream, OrderedStreams } from './ordered-streams.ts';

/** Thread in which an event happens; what is not known is absent. */
export interface ProgramThread {
  readonly vtid?: number;
  readonly vpid?: number;
  readonly procname?: string;
}

/** Fields of events: texts, or numbers of 64 bits. */
export type ProgramFields = Readonly<Record<string, string | bigint | undefined>>;

/** Fields that have a sign. */
const SIGNED = new Set(['value', 'thousandths']);

export class ProgramEvents {
  readonly streams: OrderedStreams<CpuStream>;
  readonly #events: FieldEvents;
  readonly #leaveOut: (what: string) => void;

  /** @param mostBytes of all events */
  constructor(output: CtfOutput, mostBytes: number, leaveOut: (what: string) => void) {
    this.#leaveOut = leaveOut;
    this.#events = new FieldEvents(output);
    this.streams = new OrderedStreams(
      mostBytes,
      output,
      (stream) => stream,
      ({ out }, kind, time, { bytes }, from, to) => {
        out.event(kind, time);
        out.copy(bytes, from, to);
      },
    );
  }

  get isEmpty(): boolean {
    return this.#events.isEmpty;
  }

  /** Writes an event; what is undefined of its fields it does not have. @param time ns of the trace's clock */
  add(name: string, time: bigint, thread: ProgramThread, fields: ProgramFields): void {
    if (this.streams.isFull) return this.#leaveOut('of more bytes than are read');
    const { waiting } = this.streams;
    const event = { name, fields: fieldsOf(fields), contexts: fieldsOf({ ...thread }) };
    const outcome = this.#events.write(event, (id) => {
      waiting.event(id, -1, Moment.of(time));
      return waiting;
    });
    if (outcome !== 'written') this.#leaveOut('of further kinds of events');
  }
}

function fieldsOf(values: Readonly<Record<string, string | number | bigint | undefined>>): Field[] {
  const fields: Field[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') fields.push(textField(name, value));
    else if (typeof value === 'number') fields.push({ name, form: 'i32', value });
    else if (value !== undefined) fields.push({ name, form: SIGNED.has(name) ? 'i64' : 'x64', value });
  }
  return fields;
}
