/** A metadata file: the TSDL text as it is, or in packets (CTF 1.8.3 section 7.1). */
import type { ByteOrder } from '../../../src/engine/ctf/model.ts';

export interface MetadataForm {
  /** Text bytes per packet; undefined: plain text. */
  readonly packetBytes?: number;
  readonly byteOrder: ByteOrder;
  readonly uuid?: string;
}

const METADATA_MAGIC = 0x75d11d57;
const HEADER_BYTES = 37;

export function metadataFile(text: string, form: MetadataForm): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const { packetBytes } = form;
  if (packetBytes === undefined) return bytes;
  const count = Math.max(1, Math.ceil(bytes.length / packetBytes));
  const size = HEADER_BYTES + packetBytes;
  const file = new Uint8Array(count * size);
  for (let packet = 0; packet < count; packet++) {
    const part = bytes.subarray(packet * packetBytes, (packet + 1) * packetBytes);
    writeHeader(new DataView(file.buffer, packet * size, HEADER_BYTES), form, part.length, size);
    file.set(part, packet * size + HEADER_BYTES);
  }
  return file;
}

function writeHeader(view: DataView, form: MetadataForm, content: number, size: number): void {
  const little = form.byteOrder === 'le';
  view.setUint32(0, METADATA_MAGIC, little);
  uuidBytes(form.uuid).forEach((byte, index) => view.setUint8(4 + index, byte));
  view.setUint32(24, (HEADER_BYTES + content) * 8, little);
  view.setUint32(28, size * 8, little);
  view.setUint8(35, 1); // major; no compression, encryption, checksum before it
  view.setUint8(36, 8);
}

/** The 16 bytes of a canonical uuid; zeros for none. */
export function uuidBytes(uuid: string | undefined): Uint8Array {
  const digits = (uuid ?? '').replaceAll('-', '').padEnd(32, '0');
  return Uint8Array.from({ length: 16 }, (_, index) => parseInt(digits.slice(index * 2, index * 2 + 2), 16));
}
