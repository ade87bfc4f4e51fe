/**
 * Reads a trace.dat without its events: formats, options, and the place of each CPU's data. In version 6 the parts
 * are consecutive; version 7 has sections that may be packed (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)).
 */
import { unzlibSync } from 'fflate';
import { decompress } from 'fzstd';
import { append } from '../../base/append.ts';
import { fail, ok, type Result } from '../../base/fault.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { Bytes } from '../bytes.ts';
import { byteBudget, damaged } from '../import-run.ts';
import {
  type KernelFormat,
  readEventFormats,
  readHeaderPage,
  type HeaderPage,
  readOwnFormats,
} from '../kernel-formats.ts';

/** Unpacks data whose size is known. */
export type Unpack = (packed: Uint8Array, size: number) => Uint8Array;

export interface CpuData {
  readonly cpu: number;
  readonly offset: number;
  /** Bytes in the file; 0: nothing was recorded. */
  readonly size: number;
}

/** A buffer of the kernel: the top one, or an instance. */
export interface TraceBuffer {
  /** '' for the top one. */
  readonly name: string;
  /** Its clock; '': that of the file. */
  readonly clock: string;
  readonly cpus: readonly CpuData[];
  /** Undefined: the data are consecutive pages; else chunks that it unpacks. */
  readonly unpack: Unpack | undefined;
}

/** Times of a guest and the correction from each of them on, in cycles or ns of the two clocks. */
export interface Correction {
  readonly times: readonly bigint[];
  readonly offsets: readonly bigint[];
  readonly scalings: readonly bigint[];
  /** Number of fractional bits of `scalings`. */
  readonly fractions: readonly bigint[];
}

export interface TraceDat {
  readonly isBig: boolean;
  readonly pageBytes: number;
  readonly page: HeaderPage;
  readonly formats: readonly KernelFormat[];
  readonly buffers: readonly TraceBuffer[];
  /** Texts of options by name: clock, machine, version. */
  readonly clock: string;
  readonly uname: string;
  readonly version: string;
  /** Lines "THREAD NAME" and "THREAD PROCESS". */
  readonly commands: string;
  readonly processes: string;
  /** The kernel's functions, in the form of `/proc/kallsyms`. */
  readonly kallsyms: Uint8Array;
  /** Number of the recording, by which files of a host and its guests refer to each other; '': none. */
  readonly id: string;
  /** Conversion of cycles to ns: cycles * mult >> shift; undefined: times are ns. */
  readonly cycles: { readonly mult: bigint; readonly shift: bigint } | undefined;
  /** Corrections of times of a guest to those of its host, by CPU. */
  readonly corrections: readonly Correction[];
  /** ns added to each time. */
  readonly shift: bigint;
  /** Whether times then count from the Unix epoch. */
  readonly isDate: boolean;
}

/** Numbers of options and sections. */
const ID = {
  done: 0,
  date: 1,
  buffer: 3,
  clock: 4,
  uname: 5,
  offset: 7,
  /** The same as `processes` in files of some forks, with more than 8 bytes. */
  cpus: 8,
  version: 9,
  traceId: 11,
  timeShift: 12,
  cycles: 14,
  headerInfo: 16,
  ownFormats: 17,
  formats: 18,
  kallsyms: 19,
  commands: 21,
  processes: 32,
} as const;

/** Options of version 7 that give the place of a section. */
const SECTIONS = new Set<number>([ID.headerInfo, ID.ownFormats, ID.formats, ID.kallsyms, ID.commands]);

/** Most bytes of a part of a file, packed or not. */
export const MOST_BYTES = 256 * 1024 * 1024;
const SECTION_HEADER_BYTES = 16;
/** Sections of options, each of which names the next one. */
const MOST_SECTIONS = 1000;
/** Bytes read at first for the parts before the data of version 6; doubled until they suffice. */
const FIRST_BYTES = 4 * 1024 * 1024;
const MOST_CPUS = 65_536;
const MOST_BUFFERS = 256;

type Options = Omit<TraceDat, 'isBig' | 'pageBytes' | 'page' | 'formats' | 'buffers'>;
type WritableOptions = { -readonly [Key in keyof Options]: Options[Key] };

export async function readTraceDat(source: ByteSource): Promise<Result<TraceDat>> {
  for (let size = Math.min(FIRST_BYTES, source.size); ; size = Math.min(4 * size, source.size)) {
    const read = await source.read(0, size);
    if (!read.ok) return read;
    const bytes = read.value;
    const isBig = bytes[bytes.indexOf(0, 10) + 1] === 1;
    const head = new Bytes(bytes, isBig);
    head.skip(10);
    const version = head.text();
    head.skip(2);
    const pageBytes = head.u32();
    if (pageBytes < 512 || pageBytes > 1 << 20)
      return fail(damaged(source.name, head.at - 4, 'a size of pages', String(pageBytes)));
    if (version !== '6' && version !== '7')
      return fail(damaged(source.name, 10, 'version 6 or 7 of trace.dat', version));
    if (version === '7') return readSections(source, head, isBig, pageBytes);
    const found = await readParts(source, head, isBig, pageBytes);
    if (found !== undefined) return found;
    // The parts may be all of the file, or too large.
    if (size === source.size || size > MOST_BYTES)
      return fail(damaged(source.name, size, 'the header of a trace.dat', 'its end'));
  }
}

/** Reads the parts of version 6; undefined: the bytes end within them. */
async function readParts(
  source: ByteSource,
  head: Bytes,
  isBig: boolean,
  pageBytes: number,
): Promise<Result<TraceDat> | undefined> {
  const page = readHeaderPage(head);
  const formats = [...readOwnFormats(head), ...readEventFormats(head)];
  const options = noOptions();
  options.kallsyms = head.take(head.u32());
  // Formats of texts in the kernel.
  head.skip(head.u32());
  options.commands = head.string(head.size64());
  const cpus = Math.min(head.u32(), MOST_CPUS);
  const places: { readonly name: string; readonly offset: number }[] = [];
  let kind = head.string(10);
  if (kind === 'options  ') {
    for (let id = head.u16(); id !== ID.done && !head.isCut; id = head.u16()) {
      const data = new Bytes(head.take(head.u32()), isBig);
      if (id === ID.buffer) {
        const offset = data.size64();
        places.push({ name: data.text(), offset });
      } else readOption(id, data, options);
    }
    kind = head.string(10);
  }
  if (head.isCut) return undefined;
  if (kind !== 'flyrecord')
    return fail(damaged(source.name, head.at - 10, 'data of events ("flyrecord")', `"${kind}"`));
  const buffers: TraceBuffer[] = [{ name: '', clock: '', cpus: readPlaces(head, cpus), unpack: undefined }];
  if (head.isCut) return undefined;
  for (const { name, offset } of places.slice(0, MOST_BUFFERS)) {
    const size = 10 + 16 * cpus;
    const read = offset + size <= source.size ? await source.read(offset, size) : undefined;
    if (read?.ok !== true) continue;
    const data = new Bytes(read.value, isBig);
    if (data.string(10) === 'flyrecord')
      buffers.push({ name, clock: '', cpus: readPlaces(data, cpus), unpack: undefined });
  }
  return ok({ isBig, pageBytes, page, formats, buffers, ...options });
}

function readPlaces(bytes: Bytes, cpus: number): CpuData[] {
  return Array.from({ length: cpus }, (_, cpu) => ({ cpu, offset: bytes.size64(), size: bytes.size64() }));
}

function noOptions(): WritableOptions {
  return {
    ...{ clock: '', uname: '', version: '', commands: '', processes: '', id: '' },
    ...{ kallsyms: new Uint8Array(0), cycles: undefined, corrections: [], shift: 0n, isDate: false },
  };
}

function readOption(id: number, data: Bytes, options: WritableOptions): void {
  // "[local] global counter uptime …"
  if (id === ID.clock) options.clock = /\[([^\]]*)\]/.exec(data.text())?.[1] ?? '';
  else if (id === ID.uname) options.uname = data.text().trim();
  else if (id === ID.version) options.version = data.text();
  else if (id === ID.processes || (id === ID.cpus && data.bytes.length > 8))
    options.processes = data.string(data.bytes.length);
  else if (id === ID.traceId) options.id = `0x${data.u64().toString(16)}`;
  else if (id === ID.timeShift) options.corrections = readCorrections(data);
  else if (id === ID.cycles) {
    const cycles = { mult: BigInt(data.u32()), shift: BigInt(data.u32() & 63) };
    if (cycles.mult > 0n) options.cycles = cycles;
  } else if (id === ID.date || id === ID.offset) {
    const text = data.text().trim();
    if (!/^[+-]?(0x[0-9a-f]+|\d+)$/i.test(text)) return;
    const value = BigInt(text.replace(/^[+-]/, '')) * (text.startsWith('-') ? -1n : 1n);
    // A date is in µs.
    options.shift += id === ID.date ? value * 1000n : value;
    if (id === ID.date) options.isDate = true;
  }
}

/** Reads the option TIME_SHIFT: for each CPU its times, offsets and scalings, then the fractions of all CPUs. */
function readCorrections(data: Bytes): Correction[] {
  data.skip(12);
  const cpus = data.u32();
  const list = (count: number) =>
    Array.from({ length: Math.min(count, (data.bytes.length - data.at) >> 3) }, () =>
      BigInt.asIntN(64, data.u64()),
    );
  const read: Omit<Correction, 'fractions'>[] = [];
  for (let cpu = 0; cpu < cpus && data.at + 4 <= data.bytes.length; cpu++) {
    const count = data.u32();
    read.push({ times: list(count), offsets: list(count), scalings: list(count) });
  }
  return read.map((correction) => ({ ...correction, fractions: list(correction.times.length) }));
}

async function readSections(
  source: ByteSource,
  head: Bytes,
  isBig: boolean,
  pageBytes: number,
): Promise<Result<TraceDat>> {
  const algorithm = head.text();
  head.text();
  let next = head.size64();
  const unpack = unpackerOf(algorithm, byteBudget(source));
  if (unpack === undefined)
    return fail({
      code: 'unsupported',
      place: { file: source.name },
      found: `data packed by "${algorithm}"`,
    });
  const options = noOptions();
  const formats: KernelFormat[] = [];
  const buffers: TraceBuffer[] = [];
  let page: HeaderPage | undefined;
  for (let sections = 0; next > 0 && sections < MOST_SECTIONS; sections++) {
    const section = await readSection(source, next, isBig, unpack);
    if (!section.ok) return section;
    const bytes = section.value;
    next = 0;
    while (!bytes.isCut) {
      const id = bytes.u16();
      const data = new Bytes(bytes.take(bytes.u32()), isBig);
      if (bytes.isCut) break;
      if (id === ID.done) {
        next = data.size64();
        break;
      }
      if (id === ID.buffer && buffers.length < MOST_BUFFERS) {
        const at = data.size64();
        const name = data.text();
        const clock = data.text();
        data.skip(4);
        const count = Math.min(data.u32(), MOST_CPUS);
        const cpus = Array.from({ length: count }, () => {
          return { cpu: data.u32(), offset: data.size64(), size: data.size64() };
        });
        const head = await readSectionHead(source, at, isBig);
        const isPacked = head?.ok === true && head.value.isPacked;
        buffers.push({ name, clock, cpus, unpack: isPacked ? unpack : undefined });
      } else if (SECTIONS.has(id)) {
        const found = await readSection(source, data.size64(), isBig, unpack);
        if (!found.ok) return found;
        if (id === ID.headerInfo) page = readHeaderPage(found.value);
        else if (id === ID.kallsyms) options.kallsyms = found.value.take(found.value.u32());
        else if (id === ID.commands) options.commands = found.value.string(found.value.size64());
        else append(formats, (id === ID.formats ? readEventFormats : readOwnFormats)(found.value));
      } else readOption(id, data, options);
    }
  }
  if (page === undefined) return fail(damaged(source.name, 0, 'a section about pages', 'none'));
  return ok({ isBig, pageBytes, page, formats, buffers, ...options });
}

/** @param budget bytes that it may unpack to; undefined: not known here */
function unpackerOf(algorithm: string, budget: number): Unpack | undefined {
  let left = budget;
  const room = (size: number) => {
    left -= size;
    if (left < 0) throw new Error('more than a recording would unpack to');
    return new Uint8Array(size);
  };
  if (algorithm === 'zstd') return (packed, size) => decompress(packed, room(size));
  if (algorithm === 'zlib') return (packed, size) => unzlibSync(packed, { out: room(size) });
  return algorithm === 'none' ? (packed) => packed : undefined;
}

async function readSection(
  source: ByteSource,
  at: number,
  isBig: boolean,
  unpack: Unpack,
): Promise<Result<Bytes>> {
  const wrong = (found: string) => fail(damaged(source.name, at, 'a section of a trace.dat', found));
  const head = await readSectionHead(source, at, isBig);
  if (head === undefined) return wrong('the end of the file');
  if (!head.ok) return head;
  const { isPacked, size } = head.value;
  if (size > MOST_BYTES || at + SECTION_HEADER_BYTES + size > source.size)
    return wrong(`one of ${size} bytes`);
  const data = await source.read(at + SECTION_HEADER_BYTES, size);
  if (!data.ok) return data;
  if (!isPacked) return ok(new Bytes(data.value, isBig));
  const unpacked = unpackChunk(new Bytes(data.value, isBig), unpack);
  return unpacked === undefined ? wrong('packed data that are damaged') : ok(new Bytes(unpacked, isBig));
}

/** Undefined: the file ends within it. */
async function readSectionHead(source: ByteSource, at: number, isBig: boolean) {
  if (at + SECTION_HEADER_BYTES > source.size) return undefined;
  const read = await source.read(at, SECTION_HEADER_BYTES);
  if (!read.ok) return read;
  const head = new Bytes(read.value, isBig);
  head.skip(2);
  const isPacked = (head.u16() & 1) === 1;
  head.skip(4);
  return ok({ isPacked, size: head.size64() });
}

/** Unpacks a chunk: two sizes and the packed data. undefined: it is damaged. */
export function unpackChunk(bytes: Bytes, unpack: Unpack): Uint8Array | undefined {
  const [packed, size] = [bytes.u32(), bytes.u32()];
  const data = bytes.take(packed);
  if (bytes.isCut || size > MOST_BYTES) return undefined;
  try {
    return unpack(data, size);
  } catch {
    return undefined;
  }
}
