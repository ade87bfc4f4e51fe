/** Samples of perf: where the fields of a record are, and how they become a CTF event (`perf data convert --to-ctf`). */
import { append } from '../../base/append.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { integer, type OutputMember, type StreamOutput } from '../ctf-output.ts';
import { type KernelFormat, recordWriter, type RecordWriter } from '../kernel-formats.ts';
import type { PerfAttribute } from './perf-header.ts';
import type { PerfRecord } from './perf-records.ts';

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

/** Where a field is, in bytes from a sample's begin, -1: it has none. */
export type FixedFields = Readonly<Record<(typeof FIXED)[number], number>> & { readonly bytes: number };

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

/** Where the fields are that end a record which is no sample, in bytes before its end; 0: it has none. */
export const trailerFields = cachedByKey(
  ({ sampleType, hasSampleId }: PerfAttribute): Readonly<Record<(typeof TRAILER)[number], number>> => {
    let before = 0;
    const places: Record<string, number> = {};
    for (const name of TRAILER.toReversed()) {
      const isThere = hasSampleId && (sampleType & SAMPLE[name]) !== 0;
      if (isThere) before += 8;
      places[name] = isThere ? before : 0;
    }
    return places as Record<(typeof TRAILER)[number], number>;
  },
);

/** Writes the payload of an attribute's samples. */
export interface SampleWriter {
  readonly fixed: FixedFields;
  readonly members: readonly OutputMember[];
  /** Writes the fields; those that lie beyond the record's end are zero. */
  readonly write: (out: StreamOutput, record: PerfRecord) => void;
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
  const copied: {
    readonly name: string;
    readonly at: number;
    readonly size: number;
    readonly isSigned?: boolean;
    readonly base?: number;
  }[] = [];
  if (has(SAMPLE.ip)) copied.push({ name: 'perf_ip', at: fixed.ip, size: 8, base: 16 });
  if (has(SAMPLE.tid))
    copied.push(
      { name: 'perf_tid', at: fixed.tid + 4, size: 4, isSigned: true },
      { name: 'perf_pid', at: fixed.tid, size: 4, isSigned: true },
    );
  if (has(SAMPLE.id) || has(SAMPLE.identifier))
    copied.push({ name: 'perf_id', at: has(SAMPLE.identifier) ? fixed.identifier : fixed.id, size: 8 });
  if (has(SAMPLE.streamId)) copied.push({ name: 'perf_stream_id', at: fixed.streamId, size: 8 });
  if (has(SAMPLE.period)) copied.push({ name: 'perf_period', at: fixed.period, size: 8 });
  const members: OutputMember[] = copied.map(({ name, size, isSigned = false, base }) => ({
    name,
    'field-class': integer(size, isSigned, isBig, { base }),
  }));
  const behind = [
    ...(has(SAMPLE.weight) || has(SAMPLE.weightStruct) ? ['perf_weight'] : []),
    ...(has(SAMPLE.dataSource) ? ['perf_data_src'] : []),
    ...(has(SAMPLE.transaction) ? ['perf_transaction'] : []),
  ];
  append(
    members,
    behind.map((name) => ({ name, 'field-class': integer(8, false, isBig) })),
  );
  if (has(SAMPLE.callchain))
    members.push(
      { name: 'perf_callchain_size', 'field-class': integer(4, false, isBig) },
      {
        name: 'perf_callchain',
        'field-class': {
          type: 'dynamic-length-array',
          'element-field-class': integer(8, false, isBig, { base: 16 }),
          'length-field-location': { path: ['perf_callchain_size'] },
        },
      },
    );
  append(members, raw?.members ?? []);
  const places = { chain: 0, chainLength: 0, raw: 0, rawEnd: 0, behind: 0 };
  return {
    fixed,
    members,
    write(out, record) {
      const { bytes, view, from } = record;
      findVariable(attribute, fixed.bytes, record, isBig, places);
      for (const { at, size } of copied) out.copy(bytes, from + at, from + at + size);
      for (let i = 0; i < behind.length; i++)
        out.u64(places.behind === 0 ? 0n : view.getBigUint64(places.behind + 8 * i, !isBig));
      if (has(SAMPLE.callchain)) {
        out.u32(places.chainLength);
        out.copy(bytes, places.chain, places.chain + 8 * places.chainLength);
      }
      raw?.write(out, bytes, view, places.raw, places.rawEnd);
    },
  };
}

/**
 * Finds the fields whose size the record says, in the order of `perf_event.h`: values of counters, call chain, raw
 * data; behind them branches, registers and stack, which are skipped, then weight, data source and transaction.
 */
function findVariable(
  { sampleType, readFormat, branchType, userRegisters }: PerfAttribute,
  begin: number,
  { view, from, to }: PerfRecord,
  isBig: boolean,
  places: { chain: number; chainLength: number; raw: number; rawEnd: number; behind: number },
): void {
  const has = (bit: number) => (sampleType & bit) !== 0;
  let at = from + begin;
  /** Number of 8 bytes at `at`, which is passed; what cannot lie in the record is taken for its end. */
  const count = (): number => {
    at += 8;
    if (at > to) return 0;
    return view.getUint32(at - (isBig ? 4 : 8), !isBig);
  };
  const skip = (bytes: number): void => {
    at = Math.min(at + bytes, to);
  };
  Object.assign(places, { chain: to, chainLength: 0, raw: to, rawEnd: to, behind: 0 });
  if (has(SAMPLE.read)) {
    // READ_FORMAT: total times enabled, running; id; group; lost.
    const [times, id, lost] = [
      (readFormat & 1) + ((readFormat >> 1) & 1),
      (readFormat >> 2) & 1,
      (readFormat >> 4) & 1,
    ];
    if ((readFormat & 8) !== 0) {
      const counters = count();
      skip(8 * (times + counters * (1 + id + lost)));
    } else skip(8 * (1 + times + id + lost));
  }
  if (has(SAMPLE.callchain)) {
    const length = Math.min(count(), Math.max(0, Math.floor((to - at) / 8)));
    Object.assign(places, { chain: at, chainLength: length });
    skip(8 * length);
  }
  if (has(SAMPLE.raw) && at + 4 <= to) {
    const size = view.getUint32(at, !isBig);
    Object.assign(places, { raw: at + 4, rawEnd: Math.min(to, at + 4 + size) });
    skip(4 + size);
  }
  if (has(SAMPLE.branches)) {
    const entries = count();
    skip(((branchType >> 17n) & 1n) === 1n ? 8 + 24 * entries : 24 * entries);
  }
  if (has(SAMPLE.userRegisters) && count() !== 0) skip(8 * bitsIn(userRegisters));
  if (has(SAMPLE.userStack)) {
    const size = count();
    if (size !== 0) skip(size + 8);
  }
  if (at + 8 <= to && at > from) places.behind = at;
  const needed = [SAMPLE.weight | SAMPLE.weightStruct, SAMPLE.dataSource, SAMPLE.transaction].filter(
    has,
  ).length;
  if (places.behind + 8 * needed > to) places.behind = 0;
}

function bitsIn(mask: bigint): number {
  let count = 0;
  for (let rest = mask; rest !== 0n; rest &= rest - 1n) count++;
  return count;
}
