/**
 * The canonical text of events: one line each, `<time> <name> <common-context> <specific-context> <payload>`, in
 * ASCII (docs, "Canonical form"). Strings are written as Python's json.dumps writes them.
 */
import { ByteText, plainBytes } from '../base/byte-text.ts';
import { hexText, viewOf } from '../base/byte-arrays.ts';
import { compareCodePoints, compare } from '../base/compare.ts';
import type { Rows } from '../ctf/decode/rows/rows.ts';
import {
  cyclesOf,
  takeBytes,
  takeCount,
  takeFloat,
  takeInteger,
  tapeOf,
  type Tape,
} from '../ctf/decode/rows/values.ts';
import { cyclesToNs, splitOffset } from '../ctf/decode/run/clock-map.ts';
import type {
  ArrayClass,
  BitsClass,
  ClockClass,
  FieldClass,
  IntegerClass,
  LabelRange,
  StructClass,
  TextEncoding,
  TraceModel,
} from '../ctf/model.ts';

/** The fields of an event by scope; '-': none. */
export interface FieldTexts {
  /** Fields that all events of the stream class have. */
  readonly common: string;
  readonly context: string;
  readonly payload: string;
}

/** Forms of values: canonical text, text for people, or JSON. */
export interface ValueTexts {
  /** Whether integers are written in the base that the trace asks for, as C writes them; otherwise decimal. */
  readonly isBased: boolean;
  float(value: number): string;
  /** Prefix of a bit array's number. */
  readonly bits: string;
  /** @param hex two digits a byte */
  blob(hex: string): string;
  /** Whether integers are followed by the labels that the trace gives them. */
  readonly hasLabels: boolean;
}

export const CANONICAL: ValueTexts = {
  isBased: false,
  float: bitsText,
  bits: 'b',
  blob: (hex) => `x${hex}`,
  hasLabels: true,
};

/** Writer of events of one stream class, decoded with EVERYTHING. */
export class CanonicalWriter {
  readonly #values: ValueWriter;
  readonly #out: ByteText;
  readonly #stream: TraceModel['streams'][number];
  readonly #nsOf: ((cycles: bigint) => bigint) | undefined;
  readonly #names: readonly string[];

  /** @param out takes the lines */
  constructor(model: TraceModel, streamClass: number, out = new ByteText(), texts = CANONICAL) {
    const stream = model.streams[streamClass];
    this.#stream = stream;
    this.#out = out;
    this.#values = new ValueWriter(texts, out);
    this.#nsOf = stream.clock === undefined ? undefined : createNsOf(model.clocks[stream.clock]);
    this.#names = stream.events.map(({ name }) => (name === undefined ? '-' : jsonString(name)));
  }

  /** ns since the clock's origin, or undefined without a clock. */
  timeNs(rows: Rows, row: number): bigint | undefined {
    return this.#nsOf?.(cyclesOf(rows, row));
  }

  /** All of a line except time and name. */
  fields(rows: Rows, row: number): FieldTexts {
    const event = this.#stream.events[rows.eventClass[row]];
    const tape = tapeOf(rows, row);
    return {
      common: this.#values.text(tape, this.#stream.eventContext),
      context: this.#values.text(tape, event.context),
      payload: this.#values.text(tape, event.payload),
    };
  }

  /**
   * Writes the line and its newline.
   * @param timeNs time of the event
   */
  line(rows: Rows, row: number, timeNs = this.timeNs(rows, row)): void {
    const event = this.#stream.events[rows.eventClass[row]];
    const tape = tapeOf(rows, row);
    this.#out.text(`${timeNs ?? '-'} ${this.#names[rows.eventClass[row]]}`);
    for (const scope of [this.#stream.eventContext, event.context, event.payload]) {
      this.#out.byte(SPACE);
      this.#values.write(tape, scope);
    }
    this.#out.byte(LINE_END);
  }
}

function createNsOf(clock: ClockClass): (cycles: bigint) => bigint {
  const { ticksOffset, offsetNs } = splitOffset(clock);
  return (cycles) => cyclesToNs(cycles, clock.frequency, ticksOffset) + offsetNs;
}

const [SPACE, LINE_END, QUOTE, COMMA] = [0x20, 0x0a, 0x22, 0x2c];
/** Bytes that stand for themselves in a JSON string. */
const PLAIN = plainBytes('"\\');

/** Writes the value at a tape's cursor, and moves the cursor behind it. */
type WriteValue = (tape: Tape) => void;

/** Writer of values; what all values of a field class share is prepared once. */
export class ValueWriter {
  /** Value of the first member named `watched` written since this was set to -1; -1: none. */
  seen = -1;
  readonly #decode = createTextDecode();
  readonly #known = new Map<FieldClass, WriteValue>();

  /** @param watched name of an integer whose value `seen` records */
  constructor(
    private readonly texts: ValueTexts,
    private readonly out: ByteText,
    private readonly watched?: string,
  ) {}

  /** Writes the value at the tape's cursor; '-' for a missing scope. */
  write(tape: Tape, type: FieldClass | undefined): void {
    if (type === undefined) this.out.byte(DASH);
    else this.of(type)(tape);
  }

  /** The value as text. Bytes written before it are kept. */
  text(tape: Tape, type: FieldClass | undefined): string {
    const out = this.out;
    const begin = out.length;
    this.write(tape, type);
    const text = ASCII.decode(out.bytes.subarray(begin, out.length));
    out.length = begin;
    return text;
  }

  of(type: FieldClass): WriteValue {
    const known = this.#known.get(type) ?? this.#writerOf(type);
    this.#known.set(type, known);
    return known;
  }

  #writerOf(type: FieldClass): WriteValue {
    const [out, texts] = [this.out, this.texts];
    switch (type.kind) {
      case 'integer':
        return this.#integer(type);
      case 'bits': {
        const number = this.#decimal(type);
        return (tape) => {
          out.text(texts.bits);
          number(tape);
        };
      }
      case 'float':
        return (tape) => out.text(texts.float(takeFloat(tape, type)));
      case 'string':
      case 'text':
        return this.#string(type.encoding);
      case 'blob':
        return (tape) => out.text(texts.blob(hexText(takeBytes(tape))));
      case 'array':
        return this.#array(type);
      case 'struct':
        return this.#struct(type);
      case 'variant': {
        const options = type.options.map((option) => this.of(option.type));
        return (tape) => options[takeCount(tape)](tape);
      }
      case 'optional': {
        const content = this.of(type.content);
        return (tape) => {
          if (takeCount(tape) === 0) out.text('null');
          else content(tape);
        };
      }
    }
  }

  #integer(type: IntegerClass): WriteValue {
    const out = this.out;
    if (type.boolean === true)
      return (tape) => out.text(Number(takeInteger(tape, type)) === 0 ? 'false' : 'true');
    const number =
      this.texts.isBased && type.base !== 10
        ? (tape: Tape) => out.text(basedText(takeInteger(tape, type), type))
        : this.#decimal(type);
    if (type.labels === undefined || !this.texts.hasLabels) return number;
    const labels = labelTexts(type.labels);
    return (tape) => {
      const { at } = tape;
      number(tape);
      tape.at = at;
      out.text(labels(takeInteger(tape, type)));
    };
  }

  #decimal(type: IntegerClass | BitsClass): WriteValue {
    const out = this.out;
    const signed = type.kind === 'integer' && type.signed;
    if (type.size <= 32)
      return signed
        ? (tape) => out.digits(tape.words[tape.at++])
        : (tape) => out.digits(tape.words[tape.at++] >>> 0);
    return (tape) => {
      const low = tape.words[tape.at++] >>> 0;
      const high = tape.words[tape.at++];
      out.wide(signed ? high : high >>> 0, low);
    };
  }

  #string(encoding: TextEncoding): WriteValue {
    const [out, decode] = [this.out, this.#decode];
    return (tape) => {
      const from = tape.words[tape.at++];
      const end = from + tape.words[tape.at++];
      const begin = out.length;
      out.byte(QUOTE);
      if (encoding === 'utf-8' && out.copyPlain(tape.bytes, from, end, PLAIN)) return out.byte(QUOTE);
      out.length = begin;
      out.text(jsonString(decode(tape.bytes.subarray(from, end), encoding)));
    };
  }

  #array({ element, length }: ArrayClass): WriteValue {
    const out = this.out;
    const write = this.of(element);
    return (tape) => {
      const count = typeof length === 'number' ? length : takeCount(tape);
      out.byte(ARRAY_BEGIN);
      for (let i = 0; i < count; i++) {
        if (i > 0) out.byte(COMMA);
        write(tape);
      }
      out.byte(ARRAY_END);
    };
  }

  #struct({ members }: StructClass): WriteValue {
    const out = this.out;
    const before = members.map(({ name }, i) => UTF8.encode(`${i === 0 ? '{' : ','}${jsonString(name)}:`));
    const writers = members.map(({ name, type }) => {
      const write = this.of(type);
      if (name !== this.watched || type.kind !== 'integer' || type.boolean === true) return write;
      return (tape: Tape) => {
        const { at } = tape;
        if (this.seen < 0) this.seen = Number(takeInteger(tape, type));
        tape.at = at;
        write(tape);
      };
    });
    return (tape) => {
      if (writers.length === 0) out.byte(STRUCT_BEGIN);
      for (let i = 0; i < writers.length; i++) {
        out.copy(before[i]);
        writers[i](tape);
      }
      out.byte(STRUCT_END);
    };
  }
}

const [DASH, ARRAY_BEGIN, ARRAY_END, STRUCT_BEGIN, STRUCT_END] = [0x2d, 0x5b, 0x5d, 0x7b, 0x7d];
const ASCII = new TextDecoder();
const UTF8 = new TextEncoder();

const PREFIXES = { 2: '0b', 8: '0', 10: '', 16: '0x' };

function basedText(value: number | bigint, { base, size }: IntegerClass): string {
  return PREFIXES[base] + (value < 0 ? BigInt.asUintN(size, BigInt(value)) : value).toString(base);
}

/** Maximum number of values whose labels are cached. */
const MOST_VALUES = 1000;

/** Labels of a value in brackets. */
function labelTexts(labels: readonly LabelRange[]): (value: number | bigint) => string {
  const find = createLabelFinder(labels);
  const known = new Map<number | bigint, string>();
  return (value) => {
    const text = known.get(value) ?? `[${labelsOf(value, find)}]`;
    if (known.size < MOST_VALUES) known.set(value, text);
    return text;
  };
}

/** All distinct labels with a range that holds the value, by code point. */
function labelsOf(value: number | bigint, find: LabelFinder): string {
  const labels = new Set<string>();
  find(value, (label) => labels.add(label));
  return [...labels].sort(compareCodePoints).map(jsonString).join(',');
}

function bitsText(value: number): string {
  if (Number.isNaN(value)) return 'fnan';
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return `f${view.getBigUint64(0).toString(16).padStart(16, '0')}`;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A JSON string in ASCII: everything outside U+0020-U+007E is escaped, by UTF-16 code unit. @internal */
export function jsonString(text: string): string {
  if (!/[^ !#-[\]-~]/.test(text)) return `"${text}"`;
  const escaped = text.replace(
    /[^ !#-[\]-~]/g,
    (unit) => SHORT_ESCAPES[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

/** Calls back with each label of the value; a label with several ranges may come several times. */
type LabelFinder = (value: number | bigint, found: (label: string) => void) => void;

/**
 * Finds labels of a value among ranges that may overlap: an interval tree (Cormen et al., 14.3) in arrays. The ranges
 * are sorted by begin; the root of an interval of them is the middle one, with the greatest end within the interval.
 * Time O(log n + number of labels found). @internal
 */
export function createLabelFinder(labels: readonly LabelRange[]): LabelFinder {
  const ranges = [...labels].sort((a, b) => compare(a.from, b.from));
  const greatest = ranges.map(({ to }) => to);
  /** @returns the greatest end of the ranges from `begin` up to `end` */
  const measure = (begin: number, end: number): bigint | undefined => {
    if (begin >= end) return undefined;
    const root = (begin + end) >> 1;
    for (const below of [measure(begin, root), measure(root + 1, end)])
      if (below !== undefined && below > greatest[root]) greatest[root] = below;
    return greatest[root];
  };
  measure(0, ranges.length);

  return (value, found) => {
    const search = (begin: number, end: number): void => {
      const root = (begin + end) >> 1;
      if (begin >= end || greatest[root] < value) return;
      search(begin, root);
      const { label, from, to } = ranges[root];
      if (from > value) return;
      if (to >= value) found(label);
      search(root + 1, end);
    };
    search(0, ranges.length);
  };
}

/** Decodes the bytes of a text field, in the encodings of CTF; invalid bytes become U+FFFD. */
type TextDecode = (bytes: Uint8Array, encoding: TextEncoding) => string;

/** Decoder for UTF-8 and UTF-16 by the WHATWG Encoding Standard, which keeps byte order marks. */
function createTextDecode(): TextDecode {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  const utf16le = new TextDecoder('utf-16le', { ignoreBOM: true });
  const utf16be = new TextDecoder('utf-16be', { ignoreBOM: true });
  return (bytes, encoding) => {
    switch (encoding) {
      case 'utf-8':
        return utf8.decode(bytes);
      case 'utf-16le':
        return utf16le.decode(bytes);
      case 'utf-16be':
        return utf16be.decode(bytes);
      case 'utf-32le':
      case 'utf-32be':
        return decodeUtf32(bytes, encoding === 'utf-32le');
    }
  };
}

const REPLACEMENT = 0xfffd;

function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = viewOf(bytes);
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const code = at + 4 <= bytes.length ? view.getUint32(at, littleEndian) : REPLACEMENT;
    const valid = code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
    text += String.fromCodePoint(valid ? code : REPLACEMENT);
  }
  return text;
}
