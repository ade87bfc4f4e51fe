/**
 * The sealer as compiled WebAssembly (`src/wasm/seal`): the same bytes as `Sealer`, which takes its place where
 * there is no WebAssembly. Compiled code is fast from the first segment on; V8 would compile the other one in every
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

/** Exports of the kernel: arenas, the addresses of its columns, the work by parts, the addresses of the results. */
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

/** Schemes for which the kernel has room. */
export const MOST_SCHEMES = 16;
/**
 * Greatest time, ns: beyond, times, as a damaged trace may have them, do not become integers the short way, and soon
 * are none.
 */
const MOST_TIME = 2 ** 51;

function isExact({ from, to, patches }: SealJob): boolean {
  const begin = patches.reduce((earliest, patch) => Math.min(earliest, patch.begin), from);
  return begin >= -MOST_TIME && to <= MOST_TIME && to - from <= MOST_TIME;
}

/** @param schemeOf the scheme with an id */
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
   * Throws where there is no WebAssembly.
   * @param partIntervals intervals that are sorted at a time, about; default: that of `partsOf`
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

  /** Copies a part into the kernel's memory, but for ends and values of its intervals. */
  #place({ length, attribute, touched, scheme }: SealPart): void {
    const kernel = this.#kernel;
    kernel.reserve(length, touched.length);
    const { buffer } = kernel.memory;
    new Int32Array(buffer, kernel.attributeColumn(), length).set(attribute.subarray(0, length));
    new Int32Array(buffer, kernel.touchedColumn(), touched.length).set(touched);
    new Int8Array(buffer, kernel.schemeColumn(), touched.length).set(scheme);
  }

  /** Hands over ends and values, as many at a time as the kernel has room for. */
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

/** Intervals of a part; one attribute's are always in the same one. */
const PART_INTERVALS = 2 ** 19;

/** Ranges of attributes whose intervals are counted to find where parts end. */
const RANGES = 4096;

/**
 * Part of a sealing job: some attributes of a segment and their intervals, with fields as in `SealJob`. Attributes of
 * each part are beyond those of the parts before.
 */
type SealPart = Pick<SealJob, 'length' | 'attribute' | 'end' | 'value' | 'touched' | 'scheme'>;

/**
 * The parts of a job, the job itself where it is small. A part's columns are good until the next one is asked for.
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

/** The attributes [from, to) of a part, and how many intervals they have. */
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

/** Attribute of an interval, which may continue one. */
function attributeOf(signed: number): number {
  return signed < 0 ? ~signed : signed;
}
