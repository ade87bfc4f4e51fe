/** Bytes as people read them. Pure. */

const A_LINE = 8;

/** Lines of eight bytes: where they are in the file, the bytes, and the characters of ASCII among them. @param offset of the first byte */
export function hexDump(bytes: Uint8Array, offset: number): string {
  const last = offset + bytes.length;
  const digits = Math.max(8, last.toString(16).length);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += A_LINE) {
    const line = Array.from(bytes.subarray(at, at + A_LINE));
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = line
      .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
      .join('');
    lines.push(
      `${(offset + at).toString(16).padStart(digits, '0')}  ${hex.padEnd(3 * A_LINE - 1)}  ${ascii}`,
    );
  }
  return lines.join('\n');
}
