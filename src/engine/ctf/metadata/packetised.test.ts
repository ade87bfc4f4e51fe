import { describe, expect, test } from 'vitest';
import { readMetadata } from '../../../../test/support/read-metadata.ts';
import { isPacketised, joinPackets } from './packetised.ts';

interface PacketOptions {
  readonly littleEndian?: boolean;
  readonly contentBits?: number;
  readonly packetBits?: number;
  readonly uuidByte?: number;
  readonly schemes?: readonly [number, number, number];
  readonly version?: readonly [number, number];
}

function packet(text: string, options: PacketOptions = {}): Uint8Array {
  const { littleEndian = true, uuidByte = 7, schemes = [0, 0, 0], version = [1, 8] } = options;
  const content = new TextEncoder().encode(text);
  const { contentBits = (37 + content.length) * 8, packetBits = contentBits + 24 } = options;
  const bytes = new Uint8Array(Math.max(37, Math.ceil(packetBits / 8)));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x75d1_1d57, littleEndian);
  bytes.fill(uuidByte, 4, 20);
  view.setUint32(24, contentBits, littleEndian);
  view.setUint32(28, packetBits, littleEndian);
  bytes.set([...schemes, ...version], 32);
  bytes.set(content.subarray(0, bytes.length - 37), 37);
  return bytes;
}

function join(...packets: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(packets.flatMap((bytes) => [...bytes]));
}

function textOf(bytes: Uint8Array): string | undefined {
  const joined = joinPackets(bytes, 'metadata');
  return joined.ok ? new TextDecoder().decode(joined.value.text) : undefined;
}

describe('packetised metadata', () => {
  test.each([true, false])('contents are joined without padding (little-endian: %s)', (littleEndian) => {
    const bytes = join(
      packet('/* CTF', { littleEndian }),
      packet(' 1.8 */', { littleEndian, version: [2, 0] }),
    );
    expect(isPacketised(bytes)).toBe(true);
    expect(textOf(bytes)).toBe('/* CTF 1.8 */');
  });

  test('text is not packetised', () => {
    expect(isPacketised(new TextEncoder().encode('/* CTF 1.8 */'))).toBe(false);
    expect(isPacketised(new Uint8Array(3))).toBe(false);
  });

  test.each<[string, PacketOptions, string, number]>([
    ['another version', { version: [1, 9] }, 'metadata-version', 35],
    ['compression', { schemes: [1, 0, 0] }, 'metadata-packet', 32],
    ['encryption', { schemes: [0, 1, 0] }, 'metadata-packet', 33],
    ['a checksum', { schemes: [0, 0, 1] }, 'metadata-packet', 34],
    ['content beyond the packet', { contentBits: 400, packetBits: 320 }, 'metadata-packet', 24],
    ['a size that is no whole byte', { packetBits: 321 }, 'metadata-packet', 24],
    ['content smaller than its header', { contentBits: 8 }, 'metadata-packet', 24],
    ['another uuid than before', { uuidByte: 8 }, 'metadata-packet', 4],
  ])('%s is refused at its byte', (_, options, code, byte) => {
    const first = packet('ab');
    const joined = joinPackets(join(first, packet('cd', options)), 'metadata');
    expect(joined).toMatchObject({
      ok: false,
      fault: { code, place: { file: 'metadata', packet: 1, byte: first.length + byte } },
    });
  });

  test('a file cut anywhere gives the text until there, and says so', () => {
    const whole = join(packet('abc'), packet('def'));
    for (let length = 4; length < whole.length; length++) {
      const joined = joinPackets(whole.subarray(0, length), 'metadata');
      const text = joined.ok ? new TextDecoder().decode(joined.value.text) : '';
      expect('abcdef'.startsWith(text)).toBe(true);
      if (length !== packet('abc').length)
        expect(joined).toMatchObject({ value: { cut: { code: 'metadata-truncated' } } });
    }
  });

  test('metadata that are cut are refused where their text is, else warned about', () => {
    const whole = packet('trace { major = 1; minor = 8; byte_order = le; };');
    expect(readMetadata(whole.subarray(0, -1), 'metadata')).toMatchObject({
      ok: true,
      value: { warnings: [{ code: 'metadata-incomplete', place: { packet: 0 } }] },
    });
    expect(readMetadata(whole.subarray(0, -10), 'metadata')).toMatchObject({
      ok: false,
      fault: { code: 'metadata-truncated', place: { line: 1, packet: 0 } },
    });
  });
});
