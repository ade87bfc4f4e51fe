/** Samples of perf: offsets of a record's fields, and their conversion to a CTF event (`perf data convert --to-ctf`). */
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { OutputField, StreamOutput } from '../ctf-output.ts';
import { type KernelFormat, recordWriter, type RecordWriter } from '../kernel-formats.ts';
import type { PerfAttribute } from './perf-header.ts';

/** `type` of an attribute (`PERF_TYPE_…`). */
const SOFTWARE = 1;
const TRACEPOINT = 2;

/** Bits of `sample_type` (`PERF_SAMPLE_…`). */
const SAMPLE = {
  ip: 1 << 0,
  tid: 1 << 1,
  time: 1 << 2,
  address: 1 << 3,
  read: 1 << 4,
  callchain: 1 << 5,
  id: 1 << 6,
  cpu: 1 << 7,
  period: 1 << 8,
  streamId: 1 << 9,
  raw: 1 << 10,
  branches: 1 << 11,
  userRegisters: 1 << 12,
  userStack: 1 << 13,
  weight: 1 << 14,
  dataSource: 1 << 15,
  identifier: 1 << 16,
  transaction: 1 << 17,
  weightStruct: 1 << 24,
} as const;

/** Fields of 8 bytes at a sample's begin, in order. */
const FIXED = ['identifier', 'ip', 'tid', 'time', 'address', 'id', 'streamId', 'cpu', 'period'] as const;
/** Fields at the end of other records, in order. */
const TRAILER = ['tid', 'time', 'id', 'streamId', 'cpu', 'identifier'] as const;

const HEADER_BYTES = 8;

/** Offset of a field in a sample, bytes, -1: it has none. */
type FixedFields = Readonly<Record<(typeof FIXED)[number], number>> & { readonly bytes: number };

export const fixedFields = cachedByKey(({ sampleType }: PerfAttribute): FixedFields => {
  let at = HEADER_BYTES;
  const places = Object.fromEntries(
    FIXED.map((name) => {
      if ((sampleType & SAMPLE[name]) === 0) return [name, -1];
      at += 8;
      return [name, at - 8];
    }),
  ) as Record<(typeof FIXED)[number], number>;
  return { ...places, bytes: at };
});

/** Offsets of the fields at the end of a record other than a sample, bytes before its end; 0: it has none. */
export const trailerFields = cachedByKey(
  ({
    sampleType,
    hasSampleId,
  }: PerfAttribute): Readonly<Record<(typeof TRAILER)[number] | 'bytes', number>> => {
    let before = 0;
    const places: Record<string, number> = {};
    for (const name of TRAILER.toReversed()) {
      const isThere = hasSampleId && (sampleType & SAMPLE[name]) !== 0;
      if (isThere) before += 8;
      places[name] = isThere ? before : 0;
    }
    return { ...(places as Record<(typeof TRAILER)[number], number>), bytes: before };
  },
);

/** Offsets of fields of variable size, in bytes from the begin of the bytes that hold the record; 0: it has none. */
const NO_PLACES = { chain: 0, chainLength: 0, raw: 0, rawEnd: 0, behind: 0 };

/** Writes the payload of an attribute's samples. */
export interface SampleWriter {
  readonly fields: readonly OutputField[];
  /** 32-bit number at an offset of a sample's raw data; -1: they end before it. */
  readonly rawNumber: (view: DataView, from: number, to: number, at: number) => number;
  /** Writes the fields; fields beyond the record's end are zero. */
  readonly write: (out: StreamOutput, bytes: Uint8Array, view: DataView, from: number, to: number) => void;
}

/** @param format of a tracepoint; undefined: its raw data are left out */
export function sampleWriter(
  attribute: PerfAttribute,
  format: KernelFormat | undefined,
  isBig: boolean,
): SampleWriter {
  const { sampleType } = attribute;
  const fixed = fixedFields(attribute);
  const has = (bit: number) => (sampleType & bit) !== 0;
  const raw: RecordWriter | undefined = format && recordWriter(format, isBig);
  const copied: (OutputField & { readonly at: number; readonly size: number })[] = [];
  if (has(SAMPLE.ip)) copied.push({ name: 'perf_ip', form: 'x64', at: fixed.ip, size: 8 });
  if (has(SAMPLE.tid))
    copied.push(
      { name: 'perf_tid', form: 'i32', at: fixed.tid + 4, size: 4 },
      { name: 'perf_pid', form: 'i32', at: fixed.tid, size: 4 },
    );
  if (has(SAMPLE.id) || has(SAMPLE.identifier)) {
    const at = has(SAMPLE.identifier) ? fixed.identifier : fixed.id;
    copied.push({ name: 'perf_id', form: 'u64', at, size: 8 });
  }
  if (has(SAMPLE.streamId)) copied.push({ name: 'perf_stream_id', form: 'u64', at: fixed.streamId, size: 8 });
  if (has(SAMPLE.period)) copied.push({ name: 'perf_period', form: 'u64', at: fixed.period, size: 8 });
  const behind = [
    ...(has(SAMPLE.weight) || has(SAMPLE.weightStruct) ? ['perf_weight'] : []),
    ...(has(SAMPLE.dataSource) ? ['perf_data_src'] : []),
    ...(has(SAMPLE.transaction) ? ['perf_transaction'] : []),
  ];
  const chain: readonly OutputField[] = [
    { name: 'perf_callchain_size', form: 'u32' },
    { name: 'perf_callchain', form: 'x64', count: 'perf_callchain_size' },
  ];
  const fields: readonly OutputField[] = [
    ...copied.map(({ name, form }) => ({ name, form })),
    ...behind.map((name) => ({ name, form: 'u64' as const })),
    ...(has(SAMPLE.callchain) ? chain : []),
    ...(raw?.fields ?? []),
  ];
  const places = { ...NO_PLACES };
  const hasChain = has(SAMPLE.callchain);
  const ends = copied.map(({ at, size }) => at + size);
  const begins = copied.map(({ at }) => at);
  return {
    fields,
    rawNumber(view, from, to, at) {
      findVariable(attribute, from + fixed.bytes, view, from, to, isBig, places);
      const place = places.raw + at;
      return place + 4 <= places.rawEnd ? view.getInt32(place, !isBig) : -1;
    },
    write(out, bytes, view, from, to) {
      findVariable(attribute, from + fixed.bytes, view, from, to, isBig, places);
      for (let i = 0; i < begins.length; i++) out.copyWords(view, from + begins[i], from + ends[i]);
      for (let i = 0; i < behind.length; i++)
        out.u64(places.behind === 0 ? 0n : view.getBigUint64(places.behind + 8 * i, !isBig));
      if (hasChain) {
        out.u32(places.chainLength);
        out.copy(bytes, places.chain, places.chain + 8 * places.chainLength);
      }
      raw?.write(out, bytes, view, places.raw, places.rawEnd);
    },
  };
}

/** Fields that may follow or precede raw data. */
const BESIDE_RAW =
  SAMPLE.read |
  SAMPLE.callchain |
  SAMPLE.branches |
  SAMPLE.userRegisters |
  SAMPLE.userStack |
  SAMPLE.weight |
  SAMPLE.weightStruct |
  SAMPLE.dataSource |
  SAMPLE.transaction;

/**
 * Finds the fields of variable size, in the order of `perf_event.h`: values of counters, call chain, raw data; then
 * branches, registers and stack, which are skipped; then weight, data source and transaction. Counts of entries have
 * 8 bytes; what cannot fit the record counts as its end.
 */
function findVariable(
  { sampleType, readFormat, branchType, userRegisters }: PerfAttribute,
  begin: number,
  view: DataView,
  from: number,
  to: number,
  isBig: boolean,
  places: typeof NO_PLACES,
): void {
  places.chain = places.raw = places.rawEnd = to;
  places.chainLength = places.behind = 0;
  let at = begin;
  if ((sampleType & SAMPLE.read) !== 0) {
    // READ_FORMAT: times enabled and running; id; group; lost.
    const times = (readFormat & 1) + ((readFormat >> 1) & 1);
    const more = ((readFormat >> 2) & 1) + ((readFormat >> 4) & 1);
    if ((readFormat & 8) !== 0) {
      const counters = countAt(view, at, to, isBig);
      at = Math.min(to, at + 8 + 8 * (times + counters * (1 + more)));
    } else at = Math.min(to, at + 8 * (1 + times + more));
  }
  if ((sampleType & SAMPLE.callchain) !== 0) {
    const length = Math.min(countAt(view, at, to, isBig), Math.max(0, Math.floor((to - at) / 8) - 1));
    places.chain = at + 8;
    places.chainLength = length;
    at = Math.min(to, at + 8 + 8 * length);
  }
  if ((sampleType & SAMPLE.raw) !== 0 && at + 4 <= to) {
    const size = view.getUint32(at, !isBig);
    places.raw = at + 4;
    places.rawEnd = Math.min(to, at + 4 + size);
    at = places.rawEnd;
  }
  if ((sampleType & BESIDE_RAW) === 0) return;
  if ((sampleType & SAMPLE.branches) !== 0) {
    const entries = countAt(view, at, to, isBig);
    at = Math.min(to, at + 8 + (((branchType >> 17n) & 1n) === 1n ? 8 : 0) + 24 * entries);
  }
  if ((sampleType & SAMPLE.userRegisters) !== 0) {
    const hasRegisters = countAt(view, at, to, isBig) !== 0;
    at = Math.min(to, at + 8 + (hasRegisters ? 8 * bitsIn(userRegisters) : 0));
  }
  if ((sampleType & SAMPLE.userStack) !== 0) {
    const size = countAt(view, at, to, isBig);
    at = Math.min(to, at + 8 + (size === 0 ? 0 : size + 8));
  }
  let needed = 0;
  if ((sampleType & (SAMPLE.weight | SAMPLE.weightStruct)) !== 0) needed++;
  if ((sampleType & SAMPLE.dataSource) !== 0) needed++;
  if ((sampleType & SAMPLE.transaction) !== 0) needed++;
  if (at > from && at + 8 * Math.max(1, needed) <= to) places.behind = at;
}

/** Number in 8 bytes; 0 if they are beyond the record. */
function countAt(view: DataView, at: number, to: number, isBig: boolean): number {
  return at + 8 > to ? 0 : view.getUint32(at + (isBig ? 4 : 0), !isBig);
}

function bitsIn(mask: bigint): number {
  let count = 0;
  for (let rest = mask; rest !== 0n; rest &= rest - 1n) count++;
  return count;
}

/** Names of the kernel's own events by type and number (`perf_event.h`). */
const OWN_EVENTS: Readonly<Record<number, readonly string[]>> = {
  0: (
    'cycles instructions cache-references cache-misses branches branch-misses bus-cycles ' +
    'stalled-cycles-frontend stalled-cycles-backend ref-cycles'
  ).split(' '),
  1: (
    'cpu-clock task-clock page-faults context-switches cpu-migrations minor-faults major-faults ' +
    'alignment-faults emulation-faults dummy bpf-output cgroup-switches'
  ).split(' '),
};

export function isSampledTracepoint({ type, isSampled }: PerfAttribute): boolean {
  return type === TRACEPOINT && isSampled;
}

export function formatOf({ type, config }: PerfAttribute, formats: readonly KernelFormat[]) {
  return type === TRACEPOINT ? formats.find(({ id }) => BigInt(id) === config) : undefined;
}

/** Sampling of an event that is no tracepoint: perf's clocks count ns, other events count themselves. */
export function samplingOf(attribute: PerfAttribute): readonly string[] {
  const { type, config, isSampled, isFrequency, period } = attribute;
  const isDummy = type === SOFTWARE && config === 9n;
  if (type === TRACEPOINT || isDummy || !isSampled) return [];
  const isClock = type === SOFTWARE && config <= 1n;
  const name = nameOf(attribute, undefined);
  const unit = isClock ? 'ns on a CPU' : 'events';
  return [
    isFrequency ? `${name}, ${period} a second, periods in ${unit}` : `${name}, one every ${period} ${unit}`,
  ];
}

export function nameOf({ type, config, name }: PerfAttribute, format: KernelFormat | undefined): string {
  if (format !== undefined) return `${format.system}:${format.name}`;
  return name ?? OWN_EVENTS[type]?.[Number(config)] ?? `event-${type}-${config}`;
}
