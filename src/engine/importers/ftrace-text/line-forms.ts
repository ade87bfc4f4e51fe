/**
 * Forms that events were found to be written in: what stands between their values. Most lines differ from one before in
 * their values alone, which are all that is read of them then; other lines are read by patterns (`event-text.ts`).
 */
import type { OutputField } from '../ctf-output.ts';
import type { FieldBytes } from '../field-bytes.ts';
import type { Field } from '../field-events.ts';

/** Where the value of a field is in an event's text. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** A field of events of a form. */
export interface FormField {
  readonly name: string;
  /** Signs that its values have: others may mean that the text is to be read in another way. */
  readonly signs: Signs;
  /** Whether each value is a text, a number, either as it is written, or what is read of it by itself. */
  readonly is: 'text' | 'number' | 'either' | 'other';
  readonly read: (value: string) => Field;
}

/** Digits, the same behind a minus, two numbers with a comma, those of words, those of names, words with commas. */
export type Signs = 'digits' | 'signed' | 'device' | 'word' | 'name' | 'list';

/** Bit of each kind of signs by ASCII code. */
const BITS: Readonly<Record<Signs, number>> = { digits: 1, signed: 1, device: 2, word: 4, name: 8, list: 16 };
const ALLOWED = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  const bit = (signs: Signs, isIn: RegExp) => (isIn.test(char) ? BITS[signs] : 0);
  return (
    bit('digits', /\d/) |
    bit('device', /[\d,]/) |
    bit('word', /\w/) |
    bit('name', /[\w/:.+#@|-]/) |
    bit('list', /[\w, ]/)
  );
});
const [HYPHEN, ZERO] = [...'-0'].map((char) => char.charCodeAt(0));

const DEVICE = /^\d+,\d+$/;

/** Forms of one event, and events, that are remembered. */
const MOST_FORMS = 8;
const MOST_EVENTS = 4096;

/** Forms of values; a number of few digits, which needs no `bigint`, is the first of them. */
const KINDS = ['i64', 'u64', 'x64', 'text'] as const;
/** Fields of a form, and digits of a number that a double has exactly. */
const MOST_FIELDS = 24;
const MOST_DIGITS = 15;
/** Fields that name threads. */
export const NAMED_THREAD = /^(?:prev_|next_|child_)?pid$/;

export class LineForm {
  readonly event: string;
  /** Numbers of event classes by forms of values and facts before the event. */
  readonly classes = new Map<number, number>();
  readonly #fields: readonly FormField[];
  /** Texts before each value and behind the last. */
  readonly #between: readonly string[];
  /** Places of fields that name threads. */
  readonly #threads: readonly number[];
  /** Begins and ends of the values that were found last, what they are, and those that are numbers. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #kinds: number[] = [];
  readonly #numbers: number[] = [];
  readonly #others: Field[] = [];

  constructor(event: string, fields: readonly FormField[], text: string, places: readonly Place[]) {
    this.event = event;
    this.#fields = fields;
    const ends = [0, ...places.map(({ to }) => to)];
    this.#between = ends.map((end, i) => text.slice(end, i < places.length ? places[i].from : undefined));
    this.#threads = fields.flatMap(({ name }, i) => (NAMED_THREAD.test(name) ? [i] : []));
  }

  /** Whether values were found in these places. */
  isAt(places: readonly Place[]): boolean {
    return places.every(({ from, to }, i) => this.#from[i] === from && this.#to[i] === to);
  }

  /** Reads the values that were found; returns a number that stands for their forms. */
  read(text: string): number {
    let forms = 0;
    for (let i = 0; i < this.#fields.length; i++) {
      const kind = this.#readValue(i, text);
      this.#kinds[i] = kind;
      forms = KINDS.length * forms + kind;
    }
    return forms;
  }

  #readValue(i: number, text: string): number {
    const { is, read } = this.#fields[i];
    if (is === 'text') return 3;
    if (is !== 'other' && this.#readNumber(i, text)) return 0;
    const field = read(text.slice(this.#from[i], this.#to[i]));
    this.#others[i] = field;
    this.#numbers[i] = NaN;
    return Math.max(0, KINDS.indexOf(field.form as (typeof KINDS)[number]));
  }

  /** false: it is no number, or one of many digits. */
  #readNumber(i: number, text: string): boolean {
    const [from, to] = [this.#from[i], this.#to[i]];
    const isNegative = text.charCodeAt(from) === HYPHEN;
    const first = isNegative ? from + 1 : from;
    if (to === first || to - first > MOST_DIGITS) return false;
    let value = 0;
    for (let at = first; at < to; at++) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) return false;
      value = 10 * value + digit;
    }
    this.#numbers[i] = isNegative ? -value : value;
    return true;
  }

  /** The fields of the values that were read. */
  outputFields(): OutputField[] {
    return this.#fields.map(({ name, is }, i) => ({
      name: is === 'other' ? this.#others[i].name : name,
      form: KINDS[this.#kinds[i]],
    }));
  }

  /** Writes the values that were read. */
  write(out: FieldBytes, text: string): void {
    for (let i = 0; i < this.#fields.length; i++) {
      const number = this.#numbers[i];
      if (this.#kinds[i] === 3) out.ascii(text, this.#from[i], this.#to[i]);
      else if (number === number) out.halves(Math.floor(number / 2 ** 32), number);
      else out.u64(BigInt(this.#others[i].value));
    }
  }

  /** Calls with each thread that the values name. */
  eachThread(call: (tid: number) => void): void {
    for (const i of this.#threads) if (this.#kinds[i] === 0) call(this.#numbers[i]);
  }

  /** Finds the values of a text in [at, end) that has this form; false: it has another. */
  find(text: string, at: number, end: number): boolean {
    let to = at;
    for (let i = 0; i < this.#fields.length; i++) {
      const before = this.#between[i];
      if (!text.startsWith(before, to)) return false;
      const from = to + before.length;
      to = this.#endOf(i, text, from, end);
      if (to <= from || (this.#fields[i].signs === 'device' && !DEVICE.test(text.slice(from, to))))
        return false;
      this.#from[i] = from;
      this.#to[i] = to;
    }
    const last = this.#between[this.#fields.length];
    return to + last.length === end && text.startsWith(last, to);
  }

  #endOf(field: number, text: string, from: number, end: number): number {
    const { signs } = this.#fields[field];
    const bit = BITS[signs];
    let to = signs === 'signed' && text.charCodeAt(from) === HYPHEN ? from + 1 : from;
    while (to < end) {
      const code = text.charCodeAt(to);
      if (code > 127 || (ALLOWED[code] & bit) === 0) break;
      to++;
    }
    // "NAME:NUMBER": the name ends with the last colon.
    const next = this.#between[field + 1];
    if (signs !== 'name' || next === '' || (ALLOWED[next.charCodeAt(0)] & bit) === 0) return to;
    return text.lastIndexOf(next, to - 1);
  }
}

/** Remembers the forms of events by their names as they are written. */
export class LineForms {
  readonly #forms = new Map<string, LineForm[]>();

  /** The form of the text in [at, end), whose values it then has; undefined: it is to be read by patterns. */
  find(text: string, at: number, end: number): LineForm | undefined {
    const colon = text.indexOf(':', at);
    const forms = this.#forms.get(text.slice(at, colon));
    if (colon < 0 || forms === undefined) return undefined;
    for (const form of forms) if (form.find(text, at, end)) return form;
    return undefined;
  }

  /** Remembers the form of a text that was read by patterns, if its values are found again by it. */
  learn(text: string, event: string, fields: readonly FormField[], places: readonly Place[]): void {
    const name = text.slice(0, text.indexOf(':'));
    const forms = this.#forms.get(name) ?? [];
    const form = new LineForm(event, fields, text, places);
    if (fields.length > MOST_FIELDS || forms.length === MOST_FORMS || this.#forms.size === MOST_EVENTS)
      return;
    if (!form.find(text, 0, text.length) || !form.isAt(places)) return;
    this.#forms.set(name, [...forms, form]);
  }
}
