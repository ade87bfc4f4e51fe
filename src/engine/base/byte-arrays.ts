/** All parts, one behind the other, in an array of their own. */
export function joinBytes(parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A view of the same bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const DIGITS = '0123456789abcdef';

/** Hexadecimal text, two lower-case digits a byte. */
export function hexText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS[byte >> 4] + DIGITS[byte & 15];
  return text;
}

/** The canonical form of a UUID. @param hex its 32 digits */
export function uuidText(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
