/**
 * Packetised metadata (CTF 1.8.3 section 7.1): the text cut into packets, each with a header of 37 bytes.
 *
 *     0 magic 0x75D11D57 · 4 uuid (16) · 20 checksum · 24 content size · 28 packet size (bits, header included)
 *     32 compression · 33 encryption · 34 checksum scheme · 35 major · 36 minor
 */
import { fail, type Fault, ok, type Result } from '../../base/fault.ts';
import { hexText, uuidText, viewOf } from '../../base/byte-arrays.ts';

const MAGIC = 0x75d1_1d57;
const HEADER_BYTES = 37;
/** Versions in packet headers: LTTng packs CTF 1.8 and CTF 2 metadata alike. */
const VERSIONS = ['1.8', '2.0'];

interface Packet {
  readonly at: number;
  readonly uuid: string;
  readonly contentEnd: number;
  readonly end: number;
}

/** Whether the file begins like a packet. */
export function isPacketised(bytes: Uint8Array): boolean {
  return isLittleEndian(bytes) !== undefined;
}

function isLittleEndian(bytes: Uint8Array): boolean | undefined {
  if (bytes.byteLength < 4) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(0, true) === MAGIC) return true;
  return view.getUint32(0, false) === MAGIC ? false : undefined;
}

/**
 * Joins the contents of all packets. If the file ends within a packet, `cut` is the fault and the text goes on to the
 * cut; the reader of the text decides what that means.
 */
export function joinPackets(bytes: Uint8Array, file: string): Result<{ text: Uint8Array; cut?: Fault }> {
  const littleEndian = isLittleEndian(bytes) ?? true;
  const text = new Uint8Array(bytes.byteLength);
  let length = 0;
  let uuid: string | undefined;
  for (let at = 0, packet = 0; at < bytes.byteLength; packet++) {
    const read = readPacket(bytes, at, littleEndian, file, packet);
    if (!read.ok)
      return read.fault.code === 'metadata-truncated'
        ? ok({ text: text.subarray(0, length), cut: read.fault })
        : read;
    const { value } = read;
    uuid ??= value.uuid;
    if (value.uuid !== uuid)
      return refuse(file, at + 4, packet, `the uuid ${uuid} of the packets before`, value.uuid);
    const content = bytes.subarray(at + HEADER_BYTES, Math.min(value.contentEnd, bytes.byteLength));
    text.set(content, length);
    length += content.byteLength;
    if (value.end > bytes.byteLength)
      return ok({ text: text.subarray(0, length), cut: cutAt(file, bytes, packet, value.end - at) });
    at = value.end;
  }
  return ok({ text: text.subarray(0, length) });
}

function readPacket(
  bytes: Uint8Array,
  at: number,
  littleEndian: boolean,
  file: string,
  packet: number,
): Result<Packet> {
  if (bytes.byteLength - at < HEADER_BYTES) return fail(cutAt(file, bytes, packet, HEADER_BYTES));
  const view = viewOf(bytes.subarray(at, at + HEADER_BYTES));
  const magic = view.getUint32(0, littleEndian);
  if (magic !== MAGIC) return refuse(file, at, packet, 'the magic number 0x75d11d57', hexadecimal(magic));
  const schemes = ['compression', 'encryption', 'checksum'];
  for (const [i, scheme] of schemes.entries()) {
    const number = view.getUint8(32 + i);
    if (number !== 0) return refuse(file, at + 32 + i, packet, `no ${scheme}`, `${scheme} scheme ${number}`);
  }
  const version = `${view.getUint8(35)}.${view.getUint8(36)}`;
  if (!VERSIONS.includes(version))
    return refuse(file, at + 35, packet, `version ${VERSIONS.join(' or ')}`, version, 'metadata-version');
  const contentBits = view.getUint32(24, littleEndian);
  const packetBits = view.getUint32(28, littleEndian);
  const sizes = `content ${contentBits}, packet ${packetBits}`;
  const possible =
    packetBits % 8 === 0 &&
    contentBits % 8 === 0 &&
    contentBits <= packetBits &&
    contentBits >= HEADER_BYTES * 8;
  if (!possible)
    return refuse(file, at + 24, packet, 'sizes in bits of whole bytes, header ≤ content ≤ packet', sizes);
  return ok({
    at,
    uuid: uuidText(hexText(bytes.subarray(at + 4, at + 20))),
    contentEnd: at + contentBits / 8,
    end: at + packetBits / 8,
  });
}

function refuse(
  file: string,
  byte: number,
  packet: number,
  expected: string,
  found: string,
  code: Fault['code'] = 'metadata-packet',
): { readonly ok: false; readonly fault: Fault } {
  return fail({ code, place: { file, byte, packet }, expected, found });
}

function cutAt(file: string, bytes: Uint8Array, packet: number, size: number): Fault {
  const place = { file, byte: bytes.byteLength, packet };
  const expected = `${size} bytes of the packet`;
  return { code: 'metadata-truncated', place, expected, found: 'the end of the file' };
}

function hexadecimal(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}
