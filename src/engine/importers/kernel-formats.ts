/**
 * Formats of the kernel's tracepoints, as text: `events/SYSTEM/EVENT/format` of tracefs, which perf and trace-cmd put
 * into their files (Documentation/trace/events.rst, "Event formats"), and how fields become those of CTF.
 */
import type { Bytes } from './bytes.ts';
import type { Form, OutputField, StreamOutput } from './ctf-output.ts';

export interface KernelFormat {
  readonly system: string;
  readonly name: string;
  /** Number by which records refer to it. */
  readonly id: number;
  readonly fields: readonly KernelField[];
}

interface KernelField {
  readonly name: string;
  /** Offset in the record and size of the field, bytes. */
  readonly offset: number;
  readonly size: number;
  readonly isSigned: boolean;
  /** Size of one element, bytes; `size` if it is no array. */
  readonly element: number;
  readonly isText: boolean;
  /**
   * Where the value is: in place; at an offset from the record's begin or from the field's end that the field holds;
   * or the rest of the record.
   */
  readonly place: 'here' | 'from record' | 'from field' | 'rest';
}

/** Formats read from a file at most; a kernel has some thousand. */
const MOST_FORMATS = 20_000;
/** Fields of an event read at most. */
const MOST_FIELDS = 256;

const FIELD = /field:([^;]*);\s*offset:(\d+);\s*size:(\d+);(?:\s*signed:(\d+);)?/;

/** Reads the text of a format; undefined: it is none. */
function readFormat(system: string, text: string): KernelFormat | undefined {
  const name = /^name:\s*(\S+)/m.exec(text)?.[1];
  const id = /^ID:\s*(\d+)/m.exec(text)?.[1];
  if (name === undefined || id === undefined) return undefined;
  const fields: KernelField[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('print fmt') || fields.length === MOST_FIELDS) break;
    const match = FIELD.exec(line);
    if (match === null) continue;
    const field = readField(match[1], Number(match[2]), Number(match[3]), match[4]);
    if (field !== undefined) fields.push(field);
  }
  return { system, name, id: Number(id), fields: distinct(fields) };
}

/** Reads a declaration in C: "__data_loc char[] name", "char comm[16]", "unsigned long args[6]", "pid_t pid". */
function readField(
  text: string,
  offset: number,
  size: number,
  signed: string | undefined,
): KernelField | undefined {
  const array = /\[([^\]]*)\]/.exec(text);
  const words = text
    .replace(/\[[^\]]*\]/g, ' ')
    .trim()
    .split(/[\s*]+/);
  const name = words.pop();
  if (name === undefined || words.length === 0 || size > 1 << 16) return undefined;
  const [first] = words;
  const isRest = size === 0 && array !== null;
  const place =
    first === '__data_loc' ? 'from record' : first === '__rel_loc' ? 'from field' : isRest ? 'rest' : 'here';
  const type = (first.startsWith('__') && place !== 'here' ? words.slice(1) : words)
    .filter((word) => word !== 'const')
    .join(' ');
  // Kernels before 2.6.31 do not state which fields are signed.
  const isSigned = signed === undefined ? !/unsigned|^u\d|^__u\d|_t$/.test(type) : signed !== '0';
  const isText = (array !== null || place !== 'here') && /^(?:(?:un)?signed )?char$/.test(type);
  const count = array === null ? 1 : Number(array[1]);
  const element =
    place !== 'here'
      ? elementOf(type)
      : count > 1 && size % count === 0
        ? size / count
        : array === null
          ? size
          : 1;
  const isNumber = [1, 2, 4, 8].includes(element);
  return {
    name,
    offset,
    size,
    isSigned: isSigned && isNumber,
    element: isNumber ? element : 1,
    isText,
    place,
  };
}

/** Size of an element of an array whose size is in the record, bytes. */
function elementOf(type: string): number {
  if (/64|long long/.test(type)) return 8;
  if (/32|\bint\b/.test(type)) return 4;
  if (/16|short/.test(type)) return 2;
  return /long/.test(type) ? 8 : 1;
}

/** Makes names of fields distinct: a second one is `NAME_dupl_0`, as in perf's conversion to CTF. */
function distinct(fields: readonly KernelField[]): KernelField[] {
  const names = new Set<string>();
  return fields.map((field) => {
    let { name } = field;
    for (let i = 0; names.has(name); i++) name = `${field.name}_dupl_${i}`;
    names.add(name);
    return { ...field, name };
  });
}

/**
 * Reads the tracing data of perf (`trace-event-info.c`), which are like the begin of trace.dat. Parts that are cut
 * off are left out.
 */
export function readTracingData(bytes: Bytes): KernelFormat[] {
  bytes.skip(10);
  bytes.text();
  bytes.skip(1 + 1 + 4);
  readHeaderPage(bytes);
  return [...readOwnFormats(bytes), ...readEventFormats(bytes)];
}

/** Offsets of the parts of a page of the ring buffer, bytes. */
export interface HeaderPage {
  readonly commit: number;
  readonly commitBytes: number;
  readonly data: number;
}

/** Reads the files header_page and header_event of tracefs; the latter has been the same in all kernels. */
export function readHeaderPage(bytes: Bytes): HeaderPage {
  bytes.text();
  const text = bytes.string(bytes.size64());
  bytes.text();
  bytes.skip(bytes.size64());
  const field = (name: string) => {
    const match = new RegExp(`\\b${name};\\s*offset:(\\d+);\\s*size:(\\d+);`).exec(text);
    return match === null ? undefined : { offset: Number(match[1]), size: Number(match[2]) };
  };
  const commit = field('commit') ?? { offset: 8, size: 8 };
  const data = field('data')?.offset ?? commit.offset + commit.size;
  return { commit: Math.min(commit.offset, 64), commitBytes: commit.size, data: Math.min(data, 128) };
}

/** Formats of events of ftrace itself. */
export function readOwnFormats(bytes: Bytes): KernelFormat[] {
  const formats: KernelFormat[] = [];
  const count = bytes.u32();
  for (let i = 0; i < count && !bytes.isCut; i++) takeFormat('ftrace', bytes, formats);
  return formats;
}

/** Formats of tracepoints by system. */
export function readEventFormats(bytes: Bytes): KernelFormat[] {
  const formats: KernelFormat[] = [];
  const systems = bytes.u32();
  for (let i = 0; i < systems && !bytes.isCut; i++) {
    const system = bytes.text();
    const events = bytes.u32();
    for (let j = 0; j < events && !bytes.isCut; j++) takeFormat(system, bytes, formats);
  }
  return formats;
}

function takeFormat(system: string, bytes: Bytes, formats: KernelFormat[]): void {
  const format = readFormat(system, bytes.string(bytes.size64()));
  if (format !== undefined && formats.length < MOST_FORMATS) formats.push(format);
}

/** Writer of the fields of raw records. */
export interface RecordWriter {
  readonly fields: readonly OutputField[];
  /** Copies the fields of the record in [from, to); fields beyond its end are zero. */
  readonly write: (out: StreamOutput, bytes: Uint8Array, view: DataView, from: number, to: number) => void;
}

/** Adjacent fields of fixed size, which are copied at once. */
interface Run {
  readonly field: KernelField | undefined;
  readonly from: number;
  to: number;
}

export function recordWriter({ fields }: KernelFormat, isBig: boolean): RecordWriter {
  const runs: Run[] = [];
  for (const field of fields) {
    const { offset, size } = field;
    const last = runs.at(-1);
    if (field.isText || field.place !== 'here') runs.push({ field, from: offset, to: offset + size });
    else if (last !== undefined && last.field === undefined && last.to === offset) last.to += size;
    else runs.push({ field: undefined, from: offset, to: offset + size });
  }
  return {
    fields: fields.flatMap(outputFields),
    write(out, bytes, view, from, to) {
      for (const run of runs) {
        const { field } = run;
        if (field === undefined) {
          if (from + run.to <= to) out.copyWords(view, from + run.from, from + run.to);
          else copy(out, bytes, from + run.from, from + run.to, to);
        } else writeField(field, out, bytes, view, from, to, isBig);
      }
    },
  };
}

function copy(out: StreamOutput, bytes: Uint8Array, from: number, to: number, end: number): void {
  const last = Math.min(to, end);
  if (from < last) out.copy(bytes, from, last);
  const missing = to - Math.max(from, last);
  if (missing > 0) out.copy(new Uint8Array(missing), 0, missing);
}

function outputFields({ name, size, isSigned, element, isText, place }: KernelField): OutputField[] {
  if (isText) return [{ name, form: 'text' }];
  const form = `${isSigned ? 'i' : 'u'}${8 * element}` as Form;
  const length = `_${name}_length`;
  if (place !== 'here')
    return [
      { name: length, form: 'u32' },
      { name, form, count: length },
    ];
  const count = size / element;
  return [count === 1 ? { name, form } : { name, form, count }];
}

function writeField(
  field: KernelField,
  out: StreamOutput,
  bytes: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  isBig: boolean,
): void {
  let begin = from + field.offset;
  let end = begin + field.size;
  if (field.place === 'rest') end = to;
  else if (field.place !== 'here') {
    const word = end <= to ? view.getUint32(begin, !isBig) : 0;
    begin = (field.place === 'from record' ? from : end) + (word & 0xffff);
    end = begin + (word >>> 16);
  }
  begin = Math.min(begin, to);
  end = Math.min(end, to);
  if (field.isText) {
    out.text(bytes, begin, end);
    return;
  }
  const count = Math.floor((end - begin) / field.element);
  out.u32(count);
  out.copy(bytes, begin, begin + count * field.element);
}
