/** Headers of tar archives: blocks of 512 bytes (POSIX.1-1988 ustar; GNU tar; pax, POSIX.1-2001). */

export const BLOCK_BYTES = 512;

export interface TarHeader {
  readonly name: string;
  /** Bytes of the content, which is padded to whole blocks. */
  readonly size: number;
  /** '0': a file; '1': a hard link; 'x', 'L' and 'K': a description of the next entry. */
  readonly type: string;
  /** Target of a link. */
  readonly link: string;
  /** Whether the map of a sparse file (GNU's type 'S') continues in the next block (`mapGoesOn`). */
  readonly mapGoesOn: boolean;
}

const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

/** A header; undefined: the checksum does not match. */
export function readTarHeader(block: Uint8Array): TarHeader | undefined {
  const stated = numberAt(block, CHECKSUM_AT, CHECKSUM_BYTES);
  if (stated !== sumOf(block)) return undefined;
  const size = numberAt(block, 124, 12);
  if (size === undefined) return undefined;
  const name = textAt(block, 0, 100);
  // Only ustar has a prefix; GNU keeps other things there.
  const prefix = textAt(block, 257, 8).startsWith('ustar') && block[262] === 0 ? textAt(block, 345, 155) : '';
  const type = block[156] === 0 || block[156] === 0x37 ? '0' : String.fromCharCode(block[156]);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size,
    type,
    link: textAt(block, 157, 100),
    mapGoesOn: type === 'S' && block[482] !== 0,
  };
}

/** Whether another map block follows this one, which itself follows a header with `mapGoesOn`. */
export function mapGoesOn(block: Uint8Array): boolean {
  return block[504] !== 0;
}

/** Whether a block is all zeros; such blocks end an archive. */
export function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** Records of a pax header, `LENGTH KEY=VALUE\n`, up to the first malformed one. */
export function readPax(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  const text = new TextDecoder();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    if (space < 0 || space - at > 10) break;
    const length = Number(text.decode(bytes.subarray(at, space)));
    const equals = bytes.indexOf(0x3d, space);
    const end = at + length;
    if (!Number.isInteger(length) || end > bytes.length || equals < 0 || equals >= end) break;
    records.set(
      text.decode(bytes.subarray(space + 1, equals)),
      text.decode(bytes.subarray(equals + 1, end - 1)),
    );
    at = end;
  }
  return records;
}

/** Text up to its first zero. */
export function textAt(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

/** Octal digits, or where they do not suffice 63 bits (GNU); undefined: neither, or not exact as a double. */
function numberAt(block: Uint8Array, at: number, length: number): number | undefined {
  if (block[at] === 0x80) {
    let value = 0;
    for (let i = at + 1; i < at + length; i++) value = value * 256 + block[i];
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const digits = textAt(block, at, length).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : undefined;
}

/** Sum of all bytes, with the checksum field itself taken as spaces. */
function sumOf(block: Uint8Array): number {
  let sum = 0x20 * CHECKSUM_BYTES;
  for (let i = 0; i < BLOCK_BYTES; i++) {
    if (i < CHECKSUM_AT || i >= CHECKSUM_AT + CHECKSUM_BYTES) sum += block[i];
  }
  return sum;
}
