/** Events of programs, made of track events, samples and marks: a CTF trace of its own beside that of the kernel. */
import { type CtfOutput, integer, type Json, type OutputMember, TEXT } from '../ctf-output.ts';
import { type CpuStream, EventSorter } from './event-sorter.ts';
import type { LeaveOut } from './ftrace.ts';

/** Thread in which an event happens; what is not known is absent. */
export interface ProgramThread {
  readonly vtid?: number;
  readonly vpid?: number;
  readonly procname?: string;
}

/** Fields of events: texts, or numbers of 64 bits. */
const SIGNED: Json = integer(8, true, false);
const HEX: Json = integer(8, false, false, { base: 16 });
const CONTEXT: Json = integer(4, true, false);
const CLASSES: Readonly<Record<string, Json>> = { track_id: HEX, value: SIGNED, thousandths: SIGNED };

export type ProgramFields = Readonly<Record<string, string | bigint | undefined>>;

export class ProgramEvents {
  readonly sorter: EventSorter<CpuStream>;
  readonly #output: CtfOutput;
  readonly #leaveOut: LeaveOut;
  readonly #classes = new Map<string, number>();

  constructor(output: CtfOutput, mostBytes: number, leaveOut: LeaveOut) {
    this.#output = output;
    this.#leaveOut = leaveOut;
    this.sorter = new EventSorter(
      mostBytes,
      output,
      (out): CpuStream => ({ out, lastHigh: 0, lastLow: 0 }),
      ({ out }, kind, high, low, bytes, from, to) => {
        out.eventAt(kind, high, low);
        out.copy(bytes, from, to);
      },
    );
  }

  get isEmpty(): boolean {
    return this.#classes.size === 0;
  }

  /** Writes an event; what is undefined of its fields it does not have. */
  add(name: string, time: bigint, { vtid, vpid, procname }: ProgramThread, fields: ProgramFields): void {
    const { sorter } = this;
    if (sorter.isFull) {
      this.#leaveOut('of more bytes than are read');
      return;
    }
    const contexts = Object.entries({ vtid, vpid, procname }).filter(([, value]) => value !== undefined);
    const payload = Object.entries(fields).filter(([, value]) => value !== undefined);
    const kind = this.#classOf(name, contexts, payload);
    sorter.event(kind, -1, Number((time >> 32n) & 0xffffffffn), Number(time & 0xffffffffn));
    for (const [, value] of [...contexts, ...payload]) {
      if (typeof value === 'string') sorter.string(value);
      else if (typeof value === 'number') sorter.u32(value);
      else if (value !== undefined)
        sorter.u64(Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn));
    }
  }

  #classOf(
    name: string,
    contexts: readonly (readonly [string, unknown])[],
    payload: readonly (readonly [string, unknown])[],
  ): number {
    const key = `${name} ${contexts.map(([field]) => field).join(' ')} ${payload.map(([field]) => field).join(' ')}`;
    let known = this.#classes.get(key);
    if (known !== undefined) return known;
    const memberOf =
      (number: Json) =>
      ([field, value]: readonly [string, unknown]): OutputMember => ({
        name: field,
        'field-class': typeof value === 'string' ? TEXT : (CLASSES[field] ?? number),
      });
    known = this.#output.declare(name, payload.map(memberOf(HEX)), contexts.map(memberOf(CONTEXT)));
    this.#classes.set(key, known);
    return known;
  }
}
