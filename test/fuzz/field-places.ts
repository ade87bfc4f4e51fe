/** Where a trace's integers lie: fields of packet headers and contexts, ids, times, lengths and tags of events. */
import { basename, dirname, join } from 'node:path/posix';
import { readMetadata } from '../support/read-metadata.ts';
import type { IntegerClass } from '../../src/engine/ctf/model.ts';
import { PacketReader } from '../support/ctf-reader/packet-reader.ts';
import type { MemoryFiles } from '../support/memory-files.ts';

export interface PacketPlace {
  /** Bytes. */
  readonly offset: number;
  readonly size: number;
}

export interface FieldPlace {
  /** Bits from the file's begin. */
  readonly position: number;
  readonly type: IntegerClass;
}

export interface DataPlaces {
  readonly packets: readonly PacketPlace[];
  readonly fields: readonly FieldPlace[];
}

const NONE: DataPlaces = { packets: [], fields: [] };
/** Fields of a file that are known: the heads of its packets and more events than a few cases change. */
const MOST_FIELDS = 5000;

/** Of each data file, as far as an independent reader of CTF 1.8 can follow. */
export function placesOf(files: MemoryFiles): ReadonlyMap<string, DataPlaces> {
  const places = new Map<string, DataPlaces>();
  for (const [path, metadata] of files) {
    if (basename(path) !== 'metadata') continue;
    const folder = dirname(path);
    const reader = readerOf(metadata);
    for (const [data, bytes] of files) {
      if (dirname(data) !== folder || data === path) continue;
      places.set(data, reader === undefined ? NONE : dataPlaces(reader, bytes));
    }
  }
  return places;
}

function readerOf(metadata: Uint8Array): PacketReader | undefined {
  const read = readMetadata(metadata, 'metadata');
  if (!read.ok) return undefined;
  try {
    return new PacketReader(read.value.model, () => true);
  } catch {
    // It knows fewer field classes than the engine.
    return undefined;
  }
}

function dataPlaces(reader: PacketReader, bytes: Uint8Array): DataPlaces {
  const packets: PacketPlace[] = [];
  const fields: FieldPlace[] = [];
  let offset = 0;
  const keepFields = (): void => {
    const left = MOST_FIELDS - fields.length;
    for (const { position, type } of reader.marks.slice(0, left)) {
      if (position + type.size <= (bytes.length - offset) * 8)
        fields.push({ position: offset * 8 + position, type });
    }
  };
  try {
    for (const packet of reader.packets(bytes)) {
      packets.push({ offset, size: packet.bytes.length });
      keepFields();
      offset += packet.bytes.length;
      if (packet.bytes.length === 0) break;
    }
  } catch {
    // It throws at damage: what it read until then is known.
    keepFields();
  }
  return { packets, fields };
}

/** The file of LTTng's index of a data file. */
export function indexPath(data: string): string {
  return join(dirname(data), 'index', `${basename(data)}.idx`);
}
