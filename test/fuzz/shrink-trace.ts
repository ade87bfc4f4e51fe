/** A trace made small enough for thousands of cases: shorter data files, metadata without the classes of no event. */
import { readMetadata } from '../support/read-metadata.ts';
import { isPacketised, joinPackets } from '../../src/engine/ctf/metadata/packetised.ts';
import type { TraceModel } from '../../src/engine/ctf/model.ts';
import { PacketReader } from '../support/ctf-reader/packet-reader.ts';
import type { MemoryFiles } from '../support/memory-files.ts';
import { splitPackets } from '../support/packet-splitter.ts';

/** Bytes of a data file that are kept: some packets. */
const LARGEST_FILE = 12 * 1024;
const MOST_FILES = 6;
/** What metadata of user space have; those of kernels declare some hundred events. */
const LARGEST_METADATA = 48 * 1024;
/** Of events, where a packet is larger than what is kept of a file. */
const SMALL_PACKET = 40;

/** @param files paths from the folder with the metadata on; gives those that are small as they are */
export function shrunkTrace(files: MemoryFiles): MemoryFiles {
  const metadata = files.get('metadata') ?? new Uint8Array(0);
  const isSmall = ([path, bytes]: [string, Uint8Array]): boolean =>
    bytes.length <= (path === 'metadata' ? LARGEST_METADATA : LARGEST_FILE);
  if (files.size <= MOST_FILES && [...files].every(isSmall)) return files;
  const read = readMetadata(metadata, 'metadata');
  try {
    if (read.ok) return shrunkPackets(read.value.model, metadata, files);
  } catch {
    // The reader for tests throws at what it does not know; the files are cut where they happen to be.
  }
  return new Map(
    [...files].map(([path, bytes]) => [path, path === 'metadata' ? bytes : bytes.subarray(0, LARGEST_FILE)]),
  );
}

function shrunkPackets(model: TraceModel, metadata: Uint8Array, files: MemoryFiles): MemoryFiles {
  const reader = new PacketReader(model);
  const first = new Map<string, Uint8Array>([['metadata', metadata]]);
  for (const [path, bytes] of files) {
    const isData = path !== 'metadata' && !path.endsWith('.idx') && bytes.length > 0;
    if (isData && first.size <= MOST_FILES) first.set(path, leadingPackets(reader, bytes));
  }
  const split = splitPackets(model, first, SMALL_PACKET);
  const small = new Map<string, Uint8Array>();
  const names = new Set<string>();
  for (const [path, bytes] of split) {
    if (path === 'metadata') continue;
    let end = 0;
    for (const packet of reader.packets(bytes)) {
      if (end > 0 && end + packet.bytes.length > LARGEST_FILE) break;
      end += packet.bytes.length;
      for (const { eventClass } of packet.events) {
        names.add(model.streams[packet.streamClass].events[eventClass].name ?? '');
      }
    }
    small.set(path, bytes.subarray(0, end));
  }
  small.set('metadata', metadata.length <= LARGEST_METADATA ? metadata : withEvents(metadata, names));
  return small;
}

/** As many packets as are kept; one at least. */
function leadingPackets(reader: PacketReader, file: Uint8Array): Uint8Array {
  let end = 0;
  for (const { bytes } of reader.packets(file)) {
    end += bytes.length;
    if (end >= LARGEST_FILE) break;
  }
  return file.subarray(0, end);
}

/** TSDL as tracers print it, with the blocks of some events only. */
function withEvents(metadata: Uint8Array, names: ReadonlySet<string>): Uint8Array {
  const text = isPacketised(metadata) ? joinPackets(metadata, 'metadata') : undefined;
  const all = new TextDecoder().decode(text?.ok === true ? text.value.text : metadata);
  const kept = all.replace(/^event \{[^]*?^\};\n/gm, (block) => {
    const name = /name = "?([^";]*)"?;/.exec(block)?.[1];
    return name === undefined || names.has(name) ? block : '';
  });
  return new TextEncoder().encode(kept);
}
