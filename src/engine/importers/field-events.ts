/** Events whose fields an importer knows one by one: a class for each form that an event has. */
import { type CtfOutput, integer, type OutputMember, type StreamOutput, TEXT } from './ctf-output.ts';

/** A field: a signed integer, one without a sign, one in hexadecimal, or a text. */
export type Field =
  | { readonly name: string; readonly kind: 'signed' | 'unsigned' | 'hex'; readonly value: bigint }
  | { readonly name: string; readonly kind: 'text'; readonly value: string };

export interface FieldEvent {
  readonly name: string;
  readonly fields: readonly Field[];
}

/** Event classes: of one event, and all. */
const MOST_FORMS = 32;
const MOST_CLASSES = 5000;

export class FieldEvents {
  readonly #output: CtfOutput;
  /** Numbers of event classes by name and fields, and how many each event has. */
  readonly #classes = new Map<string, number>();
  readonly #forms = new Map<string, number>();

  constructor(output: CtfOutput) {
    this.#output = output;
  }

  /** Writes an event, where there is room for its class: an event of too many forms can still have one text alone. */
  write(out: StreamOutput, time: bigint, { name, fields }: FieldEvent): 'written' | 'forms' | 'classes' {
    const key = `${name}\0${fields.map((field) => `${field.name}\0${field.kind}`).join('\0')}`;
    let id = this.#classes.get(key);
    if (id === undefined) {
      const forms = this.#forms.get(name) ?? 0;
      if (this.#classes.size >= MOST_CLASSES) return 'classes';
      if (forms >= MOST_FORMS && fields.at(-1)?.name !== 'text') return 'forms';
      const members = fields.map((field) => memberOf(field, this.#output.isBig));
      id = this.#output.declare(name, members);
      this.#classes.set(key, id);
      this.#forms.set(name, forms + 1);
    }
    out.event(id, time);
    for (const field of fields) {
      if (field.kind === 'text') {
        const bytes = encoder.encode(field.value);
        out.text(bytes, 0, bytes.length);
      } else out.u64(BigInt.asUintN(64, field.value));
    }
    return 'written';
  }
}

const encoder = new TextEncoder();

function memberOf({ name, kind }: Field, isBig: boolean): OutputMember {
  const number = integer(8, kind === 'signed', isBig, kind === 'hex' ? { base: 16 } : {});
  return { name, 'field-class': kind === 'text' ? TEXT : number };
}

export function signed(name: string, value: number): Field {
  return { name, kind: 'signed', value: BigInt(value) };
}

export function textField(name: string, value: string): Field {
  return { name, kind: 'text', value };
}

/** Event that says what a file tells of a thread beside its events. */
export function threadEvent(tid: number, process: number | undefined, name: string | undefined): FieldEvent {
  const fields = [signed('tid', tid)];
  if (process !== undefined) fields.push(signed('pid', process));
  if (name !== undefined) fields.push(textField('name', name));
  return { name: 'ftrace_thread', fields };
}

/** "B|PROCESS|NAME", "E", "S|PROCESS|NAME|COOKIE", "F|…", "C|PROCESS|NAME|VALUE", as Android and others write them. */
const MARK = /^([BESFC])(?:\|(\d{0,9})(?:\|([^|]{0,1024})(?:\|(-?[\w.]{1,64}))?.*)?)?\s*$/s;

/**
 * Event of a text that a program wrote into `trace_marker`, in which a span begins or ends or a counter has a value;
 * undefined: it is another text.
 */
export function markEvent(text: string, tid: number): FieldEvent | undefined {
  const [, sort, process = '', name = '', value = ''] = MARK.exec(text) ?? [];
  const kind = MARK_NAMES[sort as keyof typeof MARK_NAMES] as string | undefined;
  if (kind === undefined || (sort !== 'E' && name === '')) return undefined;
  const fields: Field[] = [signed('perf_tid', tid)];
  if (process !== '') fields.push(signed('perf_pid', Number(process)));
  if (sort === 'C') {
    if (!/^-?\d{1,18}$/.test(value)) return undefined;
    fields.push({ name: 'value', kind: 'signed', value: BigInt(value) });
  }
  // Spans that may end in other threads are known by both.
  if (sort === 'S' || sort === 'F') fields.push(textField('mark_id', `${name} ${value}`));
  if (sort !== 'E') fields.push(textField('name', name));
  return { name: kind, fields };
}

const MARK_NAMES = {
  B: 'mark:begin',
  E: 'mark:end',
  S: 'mark:async_begin',
  F: 'mark:async_end',
  C: 'mark:counter',
} as const;
