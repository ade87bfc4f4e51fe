/**
 * The packet index of a data stream file: from LTTng's own index where there is one that agrees with the file, else
 * by walking from packet to packet. Reads bounded pieces around packet heads, never the whole file.
 */
import { viewOf } from '../../base/byte-arrays.ts';
import { type Fault, ok, type Result } from '../../base/fault.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { WindowReader } from '../../io/window-reader.ts';
import type { TraceModel } from '../model.ts';
import { createPacketHeadReader, type PacketHead, type PacketHeadReader } from './packet-head.ts';
import { PacketTableBuilder, type IndexedFile, type PacketTable } from './packet-table.ts';

/** Bytes read for one packet head; most are below 200. */
const HEAD_PIECE = 4096;
/** Longest head, bytes; a longer one is damage, such as a text without end, which would be read and kept up to the file's end. */
const LONGEST_HEAD = 2 ** 24;
/**
 * Packets that are looked for in a file without index. A packet may be a byte long and takes a hundred times as much
 * memory: this many take 250 MiB and some 10 s. They are 8 GiB of LTTng's smallest packets, or 512 MiB of packets of
 * 256 bytes, as tracers of small machines may write. An index is bounded by its own bytes.
 */
const MOST_PACKETS = 2 ** 21;
/** Bytes read at once where packets are small, so that one read serves several heads. */
const SMALL_PACKET = 65_536;
const MANY_HEADS_PIECE = 262_144;

/**
 * @param lttngIndex bytes of the file's `.idx`, if there is one
 * @param mostPackets that are looked for without it
 * @returns the packets that can be decoded; what ends them early is in `faults`, with packet and byte. Fails only if
 * the file cannot be read at all.
 */
export async function indexStreamFile(
  model: TraceModel,
  source: ByteSource,
  lttngIndex?: Uint8Array,
  mostPackets = MOST_PACKETS,
): Promise<Result<IndexedFile>> {
  const indexing = { model, reader: createPacketHeadReader(model), file: new WindowReader(source) };
  const faults: Fault[] = [];
  if (lttngIndex !== undefined && source.size > 0) {
    const known = await tableFromIndex(indexing, lttngIndex);
    if (!known.ok) return known;
    const { value } = known;
    if (typeof value !== 'string')
      return ok({ path: source.name, size: source.size, packets: value, faults });
    const expected = 'an index that fits the file';
    faults.push({ code: 'index-disagrees', place: { file: source.name }, expected, found: value });
  }
  const walked = await walkPackets(indexing, mostPackets);
  if (!walked.ok) return walked;
  const { packets } = walked.value;
  return ok({ path: source.name, size: source.size, packets, faults: [...faults, ...walked.value.faults] });
}

/** A file whose packets are looked for. */
interface Indexing {
  readonly model: TraceModel;
  readonly reader: PacketHeadReader;
  readonly file: WindowReader;
}

interface HeadRead {
  readonly head: PacketHead;
  readonly warning?: Fault;
}

/** Reads the head of the packet at an offset; a fault if it is wrong or does not end within the file. */
async function readHead(
  { reader, file }: Indexing,
  offset: number,
  ahead: number,
): Promise<Result<HeadRead | Fault>> {
  const left = file.size - offset;
  for (let length = HEAD_PIECE; ; length *= 2) {
    const piece = await file.at(offset, length, ahead);
    if (!piece.ok) return piece;
    const outcome = reader.read(piece.value, 0);
    if (outcome.kind === 'head') return ok(outcome);
    if (outcome.kind === 'fault') return ok(outcome.fault);
    if (length < left && length < LONGEST_HEAD) continue;
    const expected = 'a packet header and context';
    return length < left
      ? ok({ code: 'over-limit', place: {}, expected: `${expected} of at most ${LONGEST_HEAD} bytes` })
      : ok({ code: 'truncated', place: {}, expected, found: `${left} bytes` });
  }
}

interface Extent {
  /** Bytes in the file. */
  readonly size: number;
  /** Bits the packet claims, which may be more than the file has. */
  readonly contentBits: number;
  readonly fault?: Fault;
}

/** Extent of a packet; a fault if its sizes are impossible. */
function extentOf(head: PacketHead, left: number): Extent | Fault {
  const whole = BigInt(left) * 8n;
  const total = head.totalBits ?? head.contentBits ?? whole;
  const content = head.contentBits ?? total;
  const impossible = (expected: string, found: bigint): Fault => ({
    code: 'packet-size',
    place: {},
    expected,
    found: `${found} bits`,
  });
  if (total % 8n !== 0n) return impossible('a packet size of whole bytes', total);
  if (content > total) return impossible(`a content of at most the packet's ${total} bits`, content);
  if (content < BigInt(head.eventsBits)) {
    return impossible(`a content of at least the ${head.eventsBits} bits of header and context`, content);
  }
  if (total <= whole) return { size: Number(total / 8n), contentBits: Number(content) };
  const [expected, found] = [`${total / 8n} bytes`, `${left} bytes`];
  const fault: Fault = { code: 'truncated', place: {}, expected, found };
  return { size: left, contentBits: Number(content), fault };
}

const OF_ANOTHER_STREAM: Fault = {
  code: 'unsupported',
  place: {},
  expected: 'packets of one stream in a file: a capture of several CPUs has to be cut into a file for each',
  found: 'a packet of another; it and what follows is not read',
};

function isOfStream(head: PacketHead, first: PacketHead): boolean {
  return head.streamClass === first.streamClass && head.streamId === first.streamId;
}

async function walkPackets(
  indexing: Indexing,
  mostPackets: number,
): Promise<Result<Pick<IndexedFile, 'packets' | 'faults'>>> {
  const { model, file } = indexing;
  const builder = new PacketTableBuilder();
  const faults: Fault[] = [];
  let first: PacketHead | undefined;
  let ahead = HEAD_PIECE;
  let lastSize = 0;
  /** Consecutive packets of the same size. */
  let equal = 0;
  let packet = 0;
  let isDamaged = false;
  for (let offset = 0; offset < file.size; packet++) {
    const warn = (fault: Fault): void => {
      faults.push({ ...fault, place: { file: file.name, packet, byte: offset } });
    };
    const report = (fault: Fault): void => {
      isDamaged = true;
      warn(fault);
    };
    if (packet === mostPackets) {
      report({ code: 'over-limit', place: {}, expected: `at most ${mostPackets} packets in a file` });
      break;
    }
    const read = await readHead(indexing, offset, ahead);
    if (!read.ok) return read;
    if ('code' in read.value) {
      report(read.value);
      break;
    }
    const { head, warning } = read.value;
    // One warning stands for all packets.
    if (first === undefined && warning !== undefined) warn(warning);
    first ??= head;
    const extent = isOfStream(head, first) ? extentOf(head, file.size - offset) : OF_ANOTHER_STREAM;
    if ('code' in extent) {
      report(extent);
      break;
    }
    if (extent.fault !== undefined) report(extent.fault);
    builder.add(head, offset, extent.size, extent.contentBits);
    if (extent.size === 0) break;
    offset += extent.size;
    ahead = offset / (packet + 1) < SMALL_PACKET ? MANY_HEADS_PIECE : HEAD_PIECE;
    // Packets of one size are the rule, and each request to a file costs a browser more than reading does. As many
    // are expected as were equal, so that little is read in vain where sizes change.
    equal = extent.size === lastSize ? equal + 1 : 0;
    if (equal > 0 && ahead === HEAD_PIECE) file.expect(offset, extent.size, HEAD_PIECE, equal);
    lastSize = extent.size;
  }
  return ok({ packets: builder.finish(first && model.streams[first.streamClass], isDamaged), faults });
}

/** The table that an index gives, or the reason why the index is wrong. */
async function tableFromIndex(indexing: Indexing, bytes: Uint8Array): Promise<Result<PacketTable | string>> {
  const { model, reader, file } = indexing;
  const entries = parseLttngIndex(bytes);
  if (entries === undefined || entries.length === 0) return ok('another form');
  let next = 0n;
  for (const { offset, totalBits } of entries) {
    if (offset !== next || totalBits === 0n || totalBits % 8n !== 0n) return ok(`a packet at byte ${offset}`);
    next = offset + totalBits / 8n;
  }
  if (next !== BigInt(file.size)) return ok(`packets up to byte ${next} of ${file.size}`);

  const heads: PacketHead[] = [];
  for (const index of [0, entries.length - 1]) {
    const entry = entries[index];
    const read = await readHead(indexing, Number(entry.offset), HEAD_PIECE);
    if (!read.ok) return read;
    if ('code' in read.value || read.value.warning !== undefined || !agrees(model, entry, read.value.head))
      return ok(`another packet ${index}`);
    heads.push(read.value.head);
  }
  const [first, last] = heads;
  if (!isOfStream(last, first) || first.cpu !== last.cpu) return ok('packets of several streams');
  const hasNoSequence = first.sequence !== undefined && entries[0].sequence === undefined;
  if (hasNoSequence || !reader.hasConstantSize(first.streamClass)) return ok('less than the packets state');
  const builder = new PacketTableBuilder();
  for (const entry of entries) {
    const head = headFromEntry(first, entry);
    const extent = extentOf(head, Number(entry.totalBits / 8n));
    if ('code' in extent) return ok(`a packet of ${extent.found}`);
    builder.add(head, Number(entry.offset), extent.size, extent.contentBits);
  }
  return ok(builder.finish(model.streams[first.streamClass], false));
}

/** The index entry of a packet in the form of a packet head, with the constant parts of the first one. */
function headFromEntry(first: PacketHead, entry: LttngIndexEntry): PacketHead {
  return {
    ...first,
    totalBits: entry.totalBits,
    contentBits: entry.contentBits,
    begin: first.begin === undefined ? undefined : entry.begin,
    end: entry.end >= entry.begin ? entry.end : undefined,
    discarded: first.discarded === undefined ? undefined : entry.discarded,
    sequence: first.sequence === undefined ? undefined : entry.sequence,
  };
}

function agrees(model: TraceModel, entry: LttngIndexEntry, head: PacketHead): boolean {
  const said = headFromEntry(head, entry);
  return (
    model.streams[head.streamClass].id === entry.streamClassId &&
    (entry.streamId === undefined || head.streamId === undefined || head.streamId === entry.streamId) &&
    TOLD_BY_BOTH.every((name) => said[name] === head[name])
  );
}

const TOLD_BY_BOTH = ['totalBits', 'contentBits', 'begin', 'end', 'discarded', 'sequence'] as const;

/**
 * LTTng's packet index files, `index/NAME.idx` (all versions): a header of four 32-bit words - magic, major, minor,
 * bytes per entry - and entries of 64-bit words, everything big-endian. Version 1.1 added stream instance and
 * sequence number; later versions may add more at the end of an entry.
 */
interface LttngIndexEntry
  extends
    Required<Pick<PacketHead, 'totalBits' | 'contentBits' | 'begin' | 'end' | 'discarded'>>,
    Pick<PacketHead, 'streamId' | 'sequence'> {
  /** Bytes. */
  readonly offset: bigint;
  readonly streamClassId: bigint;
}

const MAGIC = 0xc1f1dcc1;
const HEADER_BYTES = 16;
const ENTRY_BYTES_1_0 = 56;
const ENTRY_BYTES_1_1 = 72;

/** The entries, or undefined where the form is not that of an index file. */
function parseLttngIndex(bytes: Uint8Array): readonly LttngIndexEntry[] | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = viewOf(bytes);
  const entryBytes = view.getUint32(12);
  if (view.getUint32(0) !== MAGIC || view.getUint32(4) !== 1 || entryBytes < ENTRY_BYTES_1_0)
    return undefined;
  if ((bytes.length - HEADER_BYTES) % entryBytes !== 0) return undefined;
  const entries: LttngIndexEntry[] = [];
  for (let at = HEADER_BYTES; at < bytes.length; at += entryBytes) {
    const word = (index: number): bigint => view.getBigUint64(at + 8 * index);
    entries.push({
      offset: word(0),
      totalBits: word(1),
      contentBits: word(2),
      begin: word(3),
      end: word(4),
      discarded: word(5),
      streamClassId: word(6),
      streamId: entryBytes >= ENTRY_BYTES_1_1 ? word(7) : undefined,
      sequence: entryBytes >= ENTRY_BYTES_1_1 ? word(8) : undefined,
    });
  }
  return entries;
}
