/**
 * The canonical text of events: one line each, `<time> <name> <common-context> <specific-context> <payload>`, in
 * ASCII (docs, "Canonical form"). Strings are written as Python's json.dumps writes them.
 */
import { hexText } from '../base/hex-text.ts';
import type { Rows } from '../ctf/decode/rows/rows.ts';
import { createTextDecode } from '../ctf/decode/run/text.ts';
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
  ClockClass,
  FieldClass,
  IntegerClass,
  LabelRange,
  StructClass,
  TextEncoding,
  TraceModel,
} from '../ctf/model.ts';

/** The scopes with an event's fields; '-': it has none. */
export interface FieldTexts {
  /** Fields that all events of the stream class have. */
  readonly common: string;
  readonly context: string;
  readonly payload: string;
}

export interface CanonicalWriter {
  /** ns since the clock's origin, or undefined without a clock. */
  timeNs(rows: Rows, row: number): bigint | undefined;
  /** All of a line but time and name. */
  fields(rows: Rows, row: number): FieldTexts;
  /** The line, without its end. */
  line(rows: Rows, row: number): string;
}

/** How values are written: in canonical text, for people to read, or as JSON. */
export interface ValueTexts {
  integer(value: number | bigint, type: IntegerClass): string;
  float(value: number): string;
  bits(value: number | bigint): string;
  /** @param hex two digits a byte */
  blob(hex: string): string;
  /** Integers are followed by the names that the trace gives them. */
  readonly hasLabels: boolean;
}

export const CANONICAL: ValueTexts = {
  integer: String,
  float: bitsText,
  bits: (value) => `b${value}`,
  blob: (hex) => `x${hex}`,
  hasLabels: true,
};

/** Writes events of one stream class, decoded with EVERYTHING. */
export function createCanonicalWriter(
  model: TraceModel,
  streamClass: number,
  texts = CANONICAL,
): CanonicalWriter {
  const stream = model.streams[streamClass];
  const valueText = createValueText(texts);
  const nsOf = stream.clock === undefined ? undefined : createNsOf(model.clocks[stream.clock]);
  const names = stream.events.map(({ name }) => (name === undefined ? '-' : jsonString(name)));
  const scope = (tape: Tape, type: StructClass | undefined): string =>
    type === undefined ? '-' : valueText(tape, type);
  const writer: CanonicalWriter = {
    timeNs: (rows, row) => nsOf?.(cyclesOf(rows, row)),
    fields(rows, row) {
      const event = stream.events[rows.eventClass[row]];
      const tape = tapeOf(rows, row);
      return {
        common: scope(tape, stream.eventContext),
        context: scope(tape, event.context),
        payload: scope(tape, event.payload),
      };
    },
    line(rows, row) {
      const time = writer.timeNs(rows, row) ?? '-';
      const { common, context, payload } = writer.fields(rows, row);
      return `${time} ${names[rows.eventClass[row]]} ${common} ${context} ${payload}`;
    },
  };
  return writer;
}

function createNsOf(clock: ClockClass): (cycles: bigint) => bigint {
  const { ticksOffset, offsetNs } = splitOffset(clock);
  return (cycles) => cyclesToNs(cycles, clock.frequency, ticksOffset) + offsetNs;
}

/** The text of the value at a tape's cursor, which moves behind it. */
export type ValueText = (tape: Tape, type: FieldClass) => string;

export function createValueText(texts: ValueTexts): ValueText {
  const decode = createTextDecode();
  const integerText = createIntegerText(texts);
  const keys = new WeakMap<StructClass, readonly string[]>();
  const keysOf = (type: StructClass): readonly string[] => {
    const known = keys.get(type);
    if (known !== undefined) return known;
    const made = type.members.map(({ name }) => `${jsonString(name)}:`);
    keys.set(type, made);
    return made;
  };
  const text = (tape: Tape, encoding: TextEncoding): string => jsonString(decode(takeBytes(tape), encoding));
  const list = (tape: Tape, element: FieldClass, count: number): string => {
    const parts: string[] = [];
    for (let i = 0; i < count; i++) parts.push(valueText(tape, element));
    return `[${parts.join(',')}]`;
  };
  const valueText: ValueText = (tape, type) => {
    switch (type.kind) {
      case 'integer':
        return integerText(takeInteger(tape, type), type);
      case 'bits':
        return texts.bits(takeInteger(tape, type));
      case 'float':
        return texts.float(takeFloat(tape, type));
      case 'string':
      case 'text':
        return text(tape, type.encoding);
      case 'blob':
        return texts.blob(hexText(takeBytes(tape)));
      case 'array':
        return list(tape, type.element, typeof type.length === 'number' ? type.length : takeCount(tape));
      case 'struct': {
        const names = keysOf(type);
        return `{${type.members.map((member, i) => names[i] + valueText(tape, member.type)).join(',')}}`;
      }
      case 'variant':
        return valueText(tape, type.options[takeCount(tape)].type);
      case 'optional':
        return takeCount(tape) === 0 ? 'null' : valueText(tape, type.content);
    }
  };
  return valueText;
}

type IntegerText = (value: number | bigint, type: IntegerClass) => string;

function createIntegerText(texts: ValueTexts): IntegerText {
  const finders = new WeakMap<readonly LabelRange[], LabelFinder>();
  const finderOf = (labels: readonly LabelRange[]): LabelFinder => {
    const known = finders.get(labels);
    if (known !== undefined) return known;
    const made = createLabelFinder(labels);
    finders.set(labels, made);
    return made;
  };
  return (value, type) => {
    if (type.boolean === true) return Number(value) === 0 ? 'false' : 'true';
    const text = texts.integer(value, type);
    return type.labels === undefined || !texts.hasLabels
      ? text
      : `${text}[${labelsOf(value, finderOf(type.labels))}]`;
  };
}

/** All labels with a range that holds the value, each once, by code point. */
function labelsOf(value: number | bigint, find: LabelFinder): string {
  const labels = new Set<string>();
  find(value, (label) => labels.add(label));
  return [...labels].sort(compareCodePoints).map(jsonString).join(',');
}

/** The default order is by UTF-16 code unit, which puts U+E000-U+FFFF after surrogate pairs. */
function compareCodePoints(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i].codePointAt(0) ?? 0) - (right[i].codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
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

/** Calls back with each label of the value; one of several ranges may come again. */
type LabelFinder = (value: number | bigint, found: (label: string) => void) => void;

/**
 * Finds labels of a value among ranges that may overlap: an interval tree (Cormen et al., 14.3) in arrays. The ranges are
 * in order of their begin; the root of an interval of them is its middle, which knows the greatest end in the interval.
 * Time O(log n) and that of the labels found.
 * @internal
 */
export function createLabelFinder(labels: readonly LabelRange[]): LabelFinder {
  const ranges = [...labels].sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const greatest = ranges.map(({ to }) => to);
  /** @returns the greatest end from `begin` up to `end` */
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
