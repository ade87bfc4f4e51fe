/** A whole trace as files: metadata, data streams, LTTng's index files. */
import { joinBytes } from '../../../src/engine/base/byte-arrays.ts';
import type { StreamClass, TraceModel } from '../../../src/engine/ctf/model.ts';
import { ctf2Of } from './ctf2.ts';
import { indexFile } from './index-file.ts';
import { metadataFile, type MetadataForm } from './metadata-file.ts';
import { PacketWriter, type EventToWrite, type PacketFrame, type WrittenPacket } from './packet-writer.ts';
import { tsdlOf } from './tsdl.ts';

/** Path relative to the trace's folder → contents. */
export type TraceFiles = Map<string, Uint8Array>;

export interface PacketToWrite extends PacketFrame {
  readonly events: readonly EventToWrite[];
}

export interface StreamToWrite {
  /** Name of the data stream file. */
  readonly file: string;
  /** Index in `TraceModel.streams`. */
  readonly streamClass: number;
  readonly packets: readonly PacketToWrite[];
}

export interface TraceForm {
  /** Packets are padded to a multiple of this; 1: no padding beyond the byte. */
  readonly padBytes?: number;
  /** Text bytes per metadata packet; undefined: plain text. */
  readonly metadataPacketBytes?: number;
  readonly index?: boolean;
}

/** The files of a trace with the given packets. Throws where an event header cannot hold an event. */
export function writeTrace(
  model: TraceModel,
  streams: readonly StreamToWrite[],
  form: TraceForm = {},
): TraceFiles {
  const files: TraceFiles = new Map();
  const text = model.version === '1.8' ? tsdlOf(model) : ctf2Of(model);
  files.set('metadata', metadataFile(text, metadataForm(model, form)));
  for (const { file, streamClass, packets } of streams) {
    const type = model.streams[streamClass];
    const written = writePackets(model, type, packets, form.padBytes);
    files.set(file, joinBytes(written.map((packet) => packet.bytes)));
    if (form.index) files.set(`index/${file}.idx`, indexFile(type.id, written));
  }
  return files;
}

export function metadataForm(model: TraceModel, form: TraceForm): MetadataForm {
  return { packetBytes: form.metadataPacketBytes, byteOrder: model.byteOrder, uuid: model.uuid };
}

function writePackets(
  model: TraceModel,
  stream: StreamClass,
  packets: readonly PacketToWrite[],
  padBytes: number | undefined,
): WrittenPacket[] {
  return packets.map((packet) => {
    const writer = new PacketWriter(model, stream, packet);
    for (const event of packet.events) writer.add(event);
    return writer.close(padBytes);
  });
}
