/**
 * The sealer as compiled WebAssembly (`src/wasm/seal`), with the same bytes as `Sealer`, which replaces it where there
 * is no WebAssembly. Compiled code is fast from the first segment on; V8 would have to compile the other one in every
 * worker while a trace is opened.
 */
import sealKernel from 'wasm:seal';
import { kernelModule } from '../base/kernel-module.ts';
import { groupTable, IDS, NO_GROUPS } from './groups.ts';
import { type GroupTable } from './mix.ts';
import { Sealer, type SealedBytes, type SealJob, type SegmentSealer } from './seal.ts';
import { STATES, type ValueScheme } from './types.ts';
import { freeBuffers } from '../base/buffers.ts';
import { IntervalColumns } from './intervals.ts';

/** Exports of the kernel: arenas, addresses of their columns, the work in parts, addresses of the results. */
interface SealKernel {
  readonly memory: WebAssembly.Memory;
  open(from: number, to: number, patches: number, outlineLevel: number): void;
  reserve(length: number, touched: number): void;
  attributeColumn(): number;
  endColumn(): number;
  valueColumn(): number;
  touchedColumn(): number;
  schemeColumn(): number;
  patchColumn(): number;
  groupColumn(): number;
  windowLength(): number;
  begin(): void;
  sort(first: number, length: number): void;
  finish(): number;
  write(): void;
  seal(patches: number): void;
  blocksStart(): number;
  blocksLength(): number;
  directoryStart(): number;
  directoryLength(): number;
  outlineStart(): number;
  outlineLength(): number;
}

/** Maximum number of schemes in the kernel. */
export const MOST_SCHEMES = 16;
/** Greatest time, ns: greater ones, which a damaged trace may have, cannot be converted to integers the fast way. */
const MOST_TIME = 2 ** 51;

function isExact({ from, to, patches }: SealJob): boolean {
  const begin = patches.reduce((earliest, patch) => Math.min(earliest, patch.begin), from);
  return begin >= -MOST_TIME && to <= MOST_TIME && to - from <= MOST_TIME;
}

/** @param schemeOf finds a scheme by id */
export function createSealer(schemeOf: (id: string) => ValueScheme | undefined): SegmentSealer {
  try {
    return new WasmSealer(schemeOf);
  } catch {
    return new Sealer(schemeOf);
  }
}

/** @internal */
export class WasmSealer implements SegmentSealer {
  readonly #kernel: SealKernel;
  readonly #schemeOf: (id: string) => ValueScheme | undefined;
  readonly #partIntervals: number | undefined;
  #tables: GroupTable[] = [];

  /**
   * @param partIntervals approximate number of intervals sorted at a time; default: that of `partsOf`
   * @throws where there is no WebAssembly
   */
  constructor(schemeOf: (id: string) => ValueScheme | undefined, partIntervals?: number) {
    this.#schemeOf = schemeOf;
    this.#partIntervals = partIntervals;
    const causeOf = (scheme: number, value: number) => this.#tables[scheme].causeOf(value);
    const instance = new WebAssembly.Instance(kernelModule(sealKernel), { scheme: { causeOf } });
    this.#kernel = instance.exports as unknown as SealKernel;
  }

  seal(job: SealJob): SealedBytes {
    const kernel = this.#kernel;
    if (job.schemes.length > MOST_SCHEMES || job.scheme.includes(IDS) || !isExact(job))
      return new Sealer(this.#schemeOf).seal(job);
    this.#tables = job.schemes.map((id) => groupTable(this.#schemeOf(id)));
    this.#open(job);
    for (const part of partsOf(job, this.#partIntervals)) {
      this.#place(part);
      kernel.begin();
      this.#sort(part);
      if (kernel.finish() === 0) return new Sealer(this.#schemeOf).seal(job);
      kernel.write();
    }
    kernel.seal(job.patches.length);
    return {
      index: job.index,
      directory: this.#bytes(kernel.directoryStart(), kernel.directoryLength()),
      blocks: this.#bytes(kernel.blocksStart(), kernel.blocksLength()),
      outline: this.#bytes(kernel.outlineStart(), kernel.outlineLength()),
    };
  }

  #open({ from, to, patches, outline }: SealJob): void {
    const kernel = this.#kernel;
    kernel.open(from, to, patches.length, outline);
    const { buffer } = kernel.memory;
    const patchColumn = new Float64Array(buffer, kernel.patchColumn(), 3 * patches.length);
    patches.forEach((patch, i) => patchColumn.set([patch.attribute, from - patch.begin, patch.value], 3 * i));
    const groups = new Uint8Array(buffer, kernel.groupColumn(), MOST_SCHEMES * STATES);
    for (let i = 0; i < MOST_SCHEMES; i++)
      groups.set((this.#tables[i] ?? NO_GROUPS).groupOfState, i * STATES);
  }

  /** Copies a part into the kernel's memory, except ends and values of its intervals. */
  #place({ length, attribute, touched, scheme }: SealPart): void {
    const kernel = this.#kernel;
    kernel.reserve(length, touched.length);
    const { buffer } = kernel.memory;
    new Int32Array(buffer, kernel.attributeColumn(), length).set(attribute.subarray(0, length));
    new Int32Array(buffer, kernel.touchedColumn(), touched.length).set(touched);
    new Int8Array(buffer, kernel.schemeColumn(), touched.length).set(scheme);
  }

  /** Passes ends and values, as many at a time as the kernel has room for. */
  #sort({ length, end, value }: SealPart): void {
    const kernel = this.#kernel;
    const { buffer } = kernel.memory;
    const window = kernel.windowLength();
    const ends = new Float64Array(buffer, kernel.endColumn(), window);
    const values = new Float64Array(buffer, kernel.valueColumn(), window);
    for (let first = 0; first < length; first += window) {
      const stop = Math.min(first + window, length);
      ends.set(end.subarray(first, stop));
      values.set(value.subarray(first, stop));
      kernel.sort(first, stop - first);
    }
  }

  #bytes(start: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#kernel.memory.buffer, start, length).slice();
  }
}

/** Intervals of a part; those of one attribute are always in the same part. */
const PART_INTERVALS = 2 ** 19;

/** Ranges of attributes whose intervals are counted to find where parts end. */
const RANGES = 4096;

/**
 * Part of a sealing job: some attributes of a segment and their intervals, with fields as in `SealJob`. Attribute
 * numbers of each part are greater than those of the parts before.
 */
type SealPart = Pick<SealJob, 'length' | 'attribute' | 'end' | 'value' | 'touched' | 'scheme'>;

/**
 * The parts of a job; a small job is its own part. A part's columns are valid until the next one is asked for.
 * @param most intervals of a part; one range of attributes may have more
 */
function* partsOf(job: SealJob, most = PART_INTERVALS): Iterable<SealPart> {
  if (job.length <= most) {
    yield job;
    return;
  }
  const parts = findParts(job, most);
  const spare = new IntervalColumns(Math.max(...parts.map(({ intervals }) => intervals)));
  for (const { from, to } of parts) yield partOf(job, from, to, spare);
  freeBuffers(spare);
}

/** The attributes [from, to) of a part, and their number of intervals. */
interface PartRange {
  readonly from: number;
  readonly to: number;
  readonly intervals: number;
}

function findParts({ length, attribute, touched }: SealJob, most: number): PartRange[] {
  const attributes = touched.reduce((greatest, each) => Math.max(greatest, each), 0) + 1;
  const width = Math.ceil(attributes / RANGES);
  const counts = new Uint32Array(Math.ceil(attributes / width));
  for (let i = 0; i < length; i++) counts[Math.floor(attributeOf(attribute[i]) / width)]++;
  const parts: PartRange[] = [];
  let from = 0;
  let intervals = 0;
  for (let range = 0; range < counts.length; range++) {
    if (intervals > 0 && intervals + counts[range] > most) {
      parts.push({ from, to: range * width, intervals });
      from = range * width;
      intervals = 0;
    }
    intervals += counts[range];
  }
  parts.push({ from, to: attributes, intervals });
  return parts;
}

function partOf(
  job: SealJob,
  from: number,
  to: number,
  { attribute, end, value }: Pick<SealPart, 'attribute' | 'end' | 'value'>,
): SealPart {
  let length = 0;
  for (let i = 0; i < job.length; i++) {
    const own = attributeOf(job.attribute[i]);
    if (own < from || own >= to) continue;
    attribute[length] = job.attribute[i];
    end[length] = job.end[i];
    value[length++] = job.value[i];
  }
  const isIn = (each: number) => each >= from && each < to;
  const touched = job.touched.filter(isIn);
  const scheme = job.scheme.filter((_, i) => isIn(job.touched[i]));
  return { length, attribute, end, value, touched, scheme };
}

/** Attribute of an interval, which may be marked as continued. */
function attributeOf(signed: number): number {
  return signed < 0 ? ~signed : signed;
}
