/** Cuts what a segment is sealed from into parts by attribute: what sorts them needs room for one part only. */
import { freeBuffers } from '../base/buffers.ts';
import type { SealJob } from './seal.ts';
import { IntervalColumns } from './intervals.ts';

/** Intervals of a part; one attribute's are always in the same one. */
const PART_INTERVALS = 2 ** 19;
/** Ranges of attributes whose intervals are counted to find where parts end. */
const RANGES = 4096;

/**
 * Part of a sealing job: some attributes of a segment and their intervals, with fields as in `SealJob`. Attributes of
 * each part are beyond those of the parts before.
 */
export type SealPart = Pick<SealJob, 'length' | 'attribute' | 'end' | 'value' | 'touched' | 'scheme'>;

/**
 * The parts of a job, the job itself where it is small. A part's columns are good until the next one is asked for.
 * @param most intervals of a part; one range of attributes may have more
 */
export function* partsOf(job: SealJob, most = PART_INTERVALS): Iterable<SealPart> {
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
