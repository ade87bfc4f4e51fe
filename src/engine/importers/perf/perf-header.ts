/**
 * Header of a perf.data file: attributes of the events that were recorded, and what is known of the machine
 * (tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h).
 */
import { append } from '../../base/append.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { hexText } from '../../base/byte-arrays.ts';
import { fail, ok, type Result } from '../../base/fault.ts';
import { Bytes } from '../bytes.ts';
import { damaged } from '../import-run.ts';
import { type KernelFormat, readTracingData } from '../kernel-formats.ts';
import { BUILD_ID_BYTES } from './other-records.ts';

/** A kind of event that was recorded. */
export interface PerfAttribute {
  /** `PERF_TYPE_…`; 2: a tracepoint, whose format has the number `config`. */
  readonly type: number;
  readonly config: bigint;
  /** Bits `PERF_SAMPLE_…` of the fields of its records. */
  readonly sampleType: number;
  readonly readFormat: number;
  readonly branchType: bigint;
  readonly userRegisters: bigint;
  /** Whether records other than samples end with their time and CPU. */
  readonly hasSampleId: boolean;
  /** Whether perf leaves out events of it, as it had a frequency or a period other than 1. */
  readonly isSampled: boolean;
  /** Events per record, unless records state it; records per second if it is a frequency. */
  readonly period: number;
  readonly isFrequency: boolean;
  /** Whether it counted only the program that perf started and its children. */
  readonly isOfProgram: boolean;
  /** `clockid` of its times; undefined: perf's own clock. */
  readonly clock: number | undefined;
  /** Ids of its counters, to which records refer. */
  readonly ids: bigint[];
  name: string | undefined;
}

/** Facts of a perf.data file from before or after its records. */
export interface PerfFacts {
  readonly attributes: PerfAttribute[];
  readonly environment: Record<string, string>;
  formats: readonly KernelFormat[];
  /** The perf command that recorded it, by words; empty: not known. */
  command: readonly string[];
  /** Whether further records are in files beside it (`perf record --threads`). */
  isFolder: boolean;
  /** ns from the Unix epoch to the begin of the clock; undefined: not known. */
  clockOffset: bigint | undefined;
  /** Build ids in hexadecimal digits by path of the program or library; undefined: the path had several builds. */
  readonly buildIds: Map<string, string | undefined>;
}

export interface PerfHeader {
  readonly isBig: boolean;
  /** Offset and end of the records in the file, bytes. */
  readonly from: number;
  readonly to: number;
  readonly facts: PerfFacts;
}

const FILE_HEADER_BYTES = 104;
const PIPE_HEADER_BYTES = 16;
/** Most bytes of one attribute, of its counters' ids, and of a feature. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_ATTRIBUTES = 65_536;
/** Most counters of all events together. */
const MOST_IDS = 1 << 20;

/** Reads the header and, unless the file is from a pipe, the attributes and features. */
export async function readPerfHeader(source: ByteSource): Promise<Result<PerfHeader>> {
  const read = await source.read(0, Math.min(FILE_HEADER_BYTES, source.size));
  if (!read.ok) return read;
  const isBig = String.fromCharCode(...read.value.subarray(0, 8)) === '2ELIFREP';
  const head = new Bytes(read.value, isBig);
  head.skip(8);
  const size = head.size64();
  const facts: PerfFacts = {
    attributes: [],
    environment: {},
    formats: [],
    command: [],
    isFolder: false,
    clockOffset: undefined,
    buildIds: new Map(),
  };
  if (size === PIPE_HEADER_BYTES) return ok({ isBig, from: PIPE_HEADER_BYTES, to: source.size, facts });
  const attributeBytes = head.size64();
  const [attributes, data] = [sectionOf(head), sectionOf(head)];
  head.skip(16);
  const features = [head.u64(), head.u64(), head.u64(), head.u64()];
  if (head.isCut || size < FILE_HEADER_BYTES || attributeBytes < 64 + 16)
    return fail(damaged(source.name, 0, 'the header of a perf.data file', 'other bytes'));
  const count = Math.min(MOST_ATTRIBUTES, Math.floor(attributes.size / attributeBytes));
  let ids = 0;
  for (let i = 0; i < count; i++) {
    const at = attributes.offset + i * attributeBytes;
    const bytes = await bytesOf(source, { offset: at, size: attributeBytes }, isBig);
    if (bytes === undefined)
      return fail(damaged(source.name, attributes.offset, 'the attributes of the events', 'other bytes'));
    const attribute = readAttribute(bytes, isBig);
    bytes.at = attributeBytes - 16;
    const section = sectionOf(bytes);
    ids += section.size / 8;
    if (ids > MOST_IDS)
      return fail(damaged(source.name, attributes.offset, `at most ${MOST_IDS} counters`, 'other bytes'));
    const own = await bytesOf(source, section, isBig);
    while (own !== undefined && own.at + 8 <= own.bytes.length) attribute.ids.push(own.u64());
    facts.attributes.push(attribute);
  }
  await readFeatures(source, data.offset + data.size, features, isBig, facts);
  // A killed recording does not state the size of its records.
  const to = data.size === 0 ? source.size : Math.min(source.size, data.offset + data.size);
  return ok({ isBig, from: data.offset, to, facts });
}

interface Section {
  readonly offset: number;
  readonly size: number;
}

function sectionOf(bytes: Bytes): Section {
  return { offset: bytes.size64(), size: bytes.size64() };
}

/** Undefined: it is not within the file, or too large. */
async function bytesOf(
  source: ByteSource,
  { offset, size }: Section,
  isBig: boolean,
): Promise<Bytes | undefined> {
  if (size > MOST_BYTES || offset > source.size - size) return undefined;
  const read = await source.read(offset, size);
  return read.ok ? new Bytes(read.value, isBig) : undefined;
}

/** Reads `struct perf_event_attr`; fields that its version does not have are zero. */
export function readAttribute(bytes: Bytes, isBig: boolean): PerfAttribute {
  const { at } = bytes;
  const type = bytes.u32();
  const size = bytes.u32();
  const own = new Bytes(bytes.bytes.subarray(at, at + (size === 0 ? 64 : size)), isBig);
  const config = ((own.at = 8), own.u64());
  own.at = 16;
  const period = own.u64();
  const sampleType = own.u64();
  const readFormat = Number(own.u64() & 0xffn);
  const flags = own.u64();
  // The compiler of a big-endian machine counts bits from the other end.
  const flag = (bit: number) => ((flags >> BigInt(isBig ? 63 - bit : bit)) & 1n) === 1n;
  own.at = 72;
  const branchType = own.u64();
  const userRegisters = own.u64();
  own.at = 92;
  const clock = own.u32() | 0;
  return {
    type,
    config,
    sampleType: Number(sampleType & 0xffffffffn),
    readFormat,
    branchType,
    userRegisters,
    hasSampleId: flag(18),
    isSampled: flag(10) || period > 1n,
    period: Math.max(1, Number(period)),
    isFrequency: flag(10),
    // enable_on_exec: perf sets it if it starts the program and was asked for nothing else.
    isOfProgram: flag(12),
    clock: flag(25) ? clock : undefined,
    ids: [],
    name: undefined,
  };
}

/** Numbers of the features that are read (`HEADER_…`), and names of the texts among them. */
const FEATURE = { tracingData: 1, builds: 2, command: 11, eventDescriptions: 12, folder: 24, clockData: 29 };
/** Paths with build ids that are kept. */
const MOST_BUILD_IDS = 65_536;
/** Words of a command that are read at most. */
const MOST_WORDS = 4096;
const TEXTS: Readonly<Record<number, string>> = {
  3: 'hostname',
  4: 'release',
  5: 'tracer_version',
  6: 'machine',
  8: 'cpu',
};

async function readFeatures(
  source: ByteSource,
  at: number,
  bits: readonly bigint[],
  isBig: boolean,
  facts: PerfFacts,
): Promise<void> {
  let index = 0;
  for (let feature = 0; feature < 256; feature++) {
    if (((bits[feature >> 6] >> BigInt(feature & 63)) & 1n) === 0n) continue;
    const section = await bytesOf(source, { offset: at + 16 * index++, size: 16 }, isBig);
    if (section === undefined) return;
    const bytes = await bytesOf(source, sectionOf(section), isBig);
    if (bytes !== undefined) readFeature(feature, bytes, isBig, facts);
  }
}

/** Reads a feature into `facts`; unknown ones are left out. */
export function readFeature(feature: number, bytes: Bytes, isBig: boolean, facts: PerfFacts): void {
  if (feature in TEXTS) {
    const text = bytes.string(bytes.u32());
    if (text !== '') facts.environment[TEXTS[feature]] = text;
  } else if (feature === FEATURE.tracingData) facts.formats = readTracingData(bytes);
  else if (feature === FEATURE.builds) readBuildIds(bytes, isBig, facts);
  else if (feature === FEATURE.folder) facts.isFolder = true;
  else if (feature === FEATURE.command) {
    const count = Math.min(MOST_WORDS, bytes.u32());
    const words: string[] = [];
    for (let i = 0; i < count && !bytes.isCut; i++) words.push(bytes.string(bytes.u32()));
    facts.command = words;
  } else if (feature === FEATURE.eventDescriptions) readEventDescriptions(bytes, isBig, facts);
  else if (feature === FEATURE.clockData) {
    bytes.skip(8);
    const [wall, own] = [bytes.u64(), bytes.u64()];
    if (!bytes.isCut && wall > own) facts.clockOffset = wall - own;
  }
}

/** Reads consecutive records BUILD_ID. */
function readBuildIds(bytes: Bytes, isBig: boolean, facts: PerfFacts): void {
  while (bytes.at + 8 < bytes.bytes.length) {
    const { at } = bytes;
    bytes.skip(4);
    const [misc, size] = [bytes.u16(), bytes.u16()];
    if (size < 8) return;
    readBuildId(new Bytes(bytes.bytes.subarray(at + 8, at + size), isBig), misc, facts);
    bytes.at = at + size;
  }
}

/**
 * Reads the body of a record BUILD_ID (`struct perf_record_header_build_id`) into `facts`. A path with different ids
 * in several records has none, as nothing tells which mapping has which.
 * @param misc bits of the record's header
 */
export function readBuildId(body: Bytes, misc: number, { buildIds }: PerfFacts): void {
  body.skip(4);
  const id = body.take(BUILD_ID_BYTES);
  const [statedSize = 0] = body.take(4);
  const path = body.string(body.bytes.length - body.at);
  // Modes 4 and 5 are of guests. PERF_RECORD_MISC_BUILD_ID_SIZE: it states its size; else nulls pad a shorter one.
  if ((misc & 7) > 3 || path === '') return;
  const isSized = (misc & 0x8000) !== 0;
  let size = isSized ? Math.min(statedSize, id.length) : id.length;
  while (!isSized && size > 0 && id.subarray(size - 4, size).every((byte) => byte === 0)) size -= 4;
  if (size === 0 || buildIds.size >= MOST_BUILD_IDS) return;
  const text = hexText(id.subarray(0, size));
  buildIds.set(path, buildIds.has(path) && buildIds.get(path) !== text ? undefined : text);
}

/** Reads names of events by the ids of their counters; old files have the ids only here. */
function readEventDescriptions(bytes: Bytes, isBig: boolean, { attributes }: PerfFacts): void {
  const count = bytes.u32();
  const size = bytes.u32();
  for (let i = 0; i < count && !bytes.isCut; i++) {
    const end = bytes.at + size;
    const described = readAttribute(bytes, isBig);
    bytes.at = end;
    const ids = bytes.u32();
    const name = bytes.string(bytes.u32());
    const own: bigint[] = [];
    for (let j = 0; j < ids && !bytes.isCut; j++) own.push(bytes.u64());
    const isSame = (attribute: PerfAttribute) =>
      attribute.ids.length > 0
        ? own.includes(attribute.ids[0])
        : attribute.type === described.type && attribute.config === described.config;
    const attribute = attributes.find((other) => other.name === undefined && isSame(other));
    if (attribute === undefined || bytes.isCut) continue;
    attribute.name = name;
    if (attribute.ids.length === 0) append(attribute.ids, own);
  }
}

/**
 * The program, process or thread that was recorded alone; undefined: the whole machine was, as far as is known.
 * @param executed name of the first program that perf executed
 */
export function recordedAlone(
  { attributes, command }: PerfFacts,
  executed: string | undefined,
): string | undefined {
  if (attributes.some(({ isOfProgram }) => isOfProgram)) return executed ?? 'one program';
  const at = command.findIndex((word) => /^(-[pt]|--(pid|tid)(=.*)?)$/.test(word));
  if (at < 0 || command.some((word) => /^(-a|--all-cpus)$/.test(word))) return undefined;
  const id = command[at].split('=')[1] ?? command[at + 1] ?? '';
  return `${command[at].includes('t') ? 'thread' : 'process'} ${id}`;
}
