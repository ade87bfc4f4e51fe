/** Events whose fields an importer knows one by one: a class for each set of fields that an event has. */
import type { CtfOutput, OutputField } from './ctf-output.ts';
import type { FieldBytes } from './field-bytes.ts';

export type Field =
  | { readonly name: string; readonly form: 'i64' | 'u64' | 'x64'; readonly value: bigint }
  | { readonly name: string; readonly form: 'i32'; readonly value: number }
  | { readonly name: string; readonly form: 'text'; readonly value: string };

export interface FieldEvent {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly contexts?: readonly Field[];
}

/** Most event classes: of one event, and of all. */
const MOST_FORMS = 32;
const MOST_CLASSES = 5000;

/** Begins an event of a class in its stream. */
type Begin = (id: number) => FieldBytes;

export class FieldEvents {
  /** Event classes by name and fields, and the number of classes of each event. */
  readonly #classes = new Map<string, number>();
  readonly #forms = new Map<string, number>();

  constructor(private readonly output: CtfOutput) {}

  get isEmpty(): boolean {
    return this.#classes.size === 0;
  }

  /** Writes an event if there is room for its class; an event of too many forms can still have a single text field. */
  write(event: FieldEvent, begin: Begin): 'written' | 'forms' | 'classes' {
    const id = this.#classOf(event.name, event.fields, event.contexts);
    if (typeof id !== 'number') return id;
    const out = begin(id);
    if (event.contexts !== undefined) writeFields(out, event.contexts);
    writeFields(out, event.fields);
    return 'written';
  }

  /** Number of the class for events with this name and these fields. */
  #classOf(
    name: string,
    fields: readonly OutputField[],
    contexts: readonly OutputField[] = [],
  ): number | 'forms' | 'classes' {
    const key = `${name}\0${keyOf(contexts)}\0\0${keyOf(fields)}`;
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    const forms = this.#forms.get(name) ?? 0;
    if (this.#classes.size >= MOST_CLASSES) return 'classes';
    if (forms >= MOST_FORMS && fields.at(-1)?.name !== 'text') return 'forms';
    const id = this.output.declare(name, fields, contexts);
    this.#classes.set(key, id);
    this.#forms.set(name, forms + 1);
    return id;
  }
}

function keyOf(fields: readonly OutputField[]): string {
  let key = '';
  for (const { name, form } of fields) key += `${name}\0${form}\0`;
  return key;
}

function writeFields(out: FieldBytes, fields: readonly Field[]): void {
  for (const { form, value } of fields) {
    if (form === 'text') out.string(value);
    else if (form === 'i32') out.u32(value);
    else out.u64(value);
  }
}

export function signed(name: string, value: number): Field {
  return { name, form: 'i64', value: BigInt(value) };
}

export function textField(name: string, value: string): Field {
  return { name, form: 'text', value };
}

/** Event that states the process or name of a thread. */
export function threadEvent(tid: number, process: number | undefined, name: string | undefined): FieldEvent {
  const fields = [signed('tid', tid)];
  if (process !== undefined) fields.push(signed('pid', process));
  if (name !== undefined) fields.push(textField('name', name));
  return { name: 'ftrace_thread', fields };
}

/** "B|PROCESS|NAME", "E", "S|PROCESS|NAME|COOKIE", "F|…", "C|PROCESS|NAME|VALUE", as Android and others write them. */
const MARK = /^([BESFC])(?:\|(\d{0,9})(?:\|([^|]{0,1024})(?:\|(-?[\w.]{1,64}))?.*)?)?\s*$/s;

/**
 * Event for a text that a program wrote into `trace_marker`, which begins or ends a span or sets a counter;
 * undefined: it is another text.
 */
export function markEvent(text: string, tid: number): FieldEvent | undefined {
  const [, sort, process = '', name = '', value = ''] = MARK.exec(text.trimEnd()) ?? [];
  const kind = MARK_NAMES[sort as keyof typeof MARK_NAMES] as string | undefined;
  if (kind === undefined || (sort !== 'E' && name === '')) return undefined;
  const fields: Field[] = [signed('perf_tid', tid)];
  if (process !== '') fields.push(signed('perf_pid', Number(process)));
  if (sort === 'C') {
    if (!/^-?\d{1,18}$/.test(value)) return undefined;
    fields.push({ name: 'value', form: 'i64', value: BigInt(value) });
  }
  // Spans that may end in other threads are identified by both.
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
