/** Spreads a trace over several folders, as the chunks of a rotated session or snapshots that overlap lie. */
import { joinBytes } from '../../src/engine/base/byte-arrays.ts';
import { indexStreamFile } from '../../src/engine/ctf/packets/packet-index.ts';
import type { PacketTable } from '../../src/engine/ctf/packets/packet-table.ts';
import type { TraceModel } from '../../src/engine/ctf/model.ts';
import { memorySource } from '../../src/engine/io/memory-source.ts';
import { metadataFile } from './ctf-writer/metadata-file.ts';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import { tsdlOf } from './ctf-writer/tsdl.ts';
import { splitPackets } from './packet-splitter.ts';
import { randomOf, type Random } from './simulator/random.ts';
import { modelOf } from './trace-files.ts';

export interface ChunkForm {
  readonly folders: number;
  /** Each folder also has packets of the ones before it, as snapshots have. */
  readonly overlap: boolean;
  /** Each folder's metadata know only some event classes, all of them together every one. */
  readonly partial: boolean;
}

/** The same packets in folders whose order of names says nothing, every stream cut at places of its own. */
export async function inFolders(files: TraceFiles, form: ChunkForm, random: Random): Promise<TraceFiles> {
  const model = modelOf(files);
  const names = Array.from(
    { length: form.folders },
    (_, n) => `session/${random.between(100, 999)}-${n}/kernel`,
  );
  const spread: TraceFiles = new Map();
  const owner = model.streams.map(({ events }) => events.map(() => random.between(0, form.folders - 1)));
  names.forEach((folder, n) => {
    const bytes = form.partial ? partOf(model, owner, n) : files.get('metadata');
    spread.set(`${folder}/metadata`, bytes ?? new Uint8Array());
  });
  for (const [file, bytes] of files) {
    if (file === 'metadata' || file.startsWith('index/')) continue;
    const indexed = await indexStreamFile(model, memorySource(file, bytes));
    if (!indexed.ok) throw new Error(`${file}: ${indexed.fault.code}`);
    cutsOf(indexed.value.packets.length, form, random).forEach(([from, to], n) => {
      const piece = packetsOf(bytes, indexed.value.packets, from, to);
      if (piece.length > 0) spread.set(`${names[n]}/${file}`, piece);
    });
  }
  return new Map([...spread].reverse());
}

/** How a trace is recorded anew: undefined `perPacket` for its own packets, one folder for the folder it is in. */
export interface Recording {
  /** Events a packet. */
  readonly perPacket: number | undefined;
  readonly folders: number;
  readonly overlap: boolean;
}

/** The same events in other packets and folders. */
export async function recordedAs(
  files: TraceFiles,
  { perPacket, folders, overlap }: Recording,
  seed: number,
): Promise<TraceFiles> {
  const packets = perPacket === undefined ? files : splitPackets(modelOf(files), files, perPacket);
  return folders === 1 ? packets : inFolders(packets, { folders, overlap, partial: false }, randomOf(seed));
}

/** Packets [from, to) of each folder. */
function cutsOf(packets: number, { folders, overlap }: ChunkForm, random: Random): [number, number][] {
  const ends = Array.from({ length: folders - 1 }, () => random.between(0, packets)).sort((a, b) => a - b);
  ends.push(packets);
  return ends.map((to, n) => {
    const from = n === 0 ? 0 : ends[n - 1];
    return [overlap ? random.between(0, from) : from, to];
  });
}

function packetsOf(bytes: Uint8Array, { offset, size }: PacketTable, from: number, to: number): Uint8Array {
  return joinBytes(
    Array.from({ length: to - from }, (_, n) =>
      bytes.subarray(offset[from + n], offset[from + n] + size[from + n]),
    ),
  );
}

/** Metadata of the event classes that folder `n` owns. */
function partOf(model: TraceModel, owner: readonly (readonly number[])[], n: number): Uint8Array {
  const streams = model.streams.map((stream, index) => {
    return { ...stream, events: stream.events.filter((_, event) => owner[index][event] === n) };
  });
  return metadataFile(tsdlOf({ ...model, streams }), { byteOrder: model.byteOrder, uuid: model.uuid });
}
