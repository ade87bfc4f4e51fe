/** Bytes of a text field → string, in the encodings of CTF; what is invalid becomes U+FFFD. */
import type { TextEncoding } from '../../model.ts';

export type TextDecode = (bytes: Uint8Array, encoding: TextEncoding) => string;

/** UTF-8 and UTF-16 as the WHATWG Encoding Standard decodes them, byte order marks kept. */
export function createTextDecode(): TextDecode {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  const utf16le = new TextDecoder('utf-16le', { ignoreBOM: true });
  const utf16be = new TextDecoder('utf-16be', { ignoreBOM: true });
  return (bytes, encoding) => {
    switch (encoding) {
      case 'utf-8':
        return utf8.decode(bytes);
      case 'utf-16le':
        return utf16le.decode(bytes);
      case 'utf-16be':
        return utf16be.decode(bytes);
      case 'utf-32le':
      case 'utf-32be':
        return decodeUtf32(bytes, encoding === 'utf-32le');
    }
  };
}

const REPLACEMENT = 0xfffd;

function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const code = at + 4 <= bytes.length ? view.getUint32(at, littleEndian) : REPLACEMENT;
    const valid = code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
    text += String.fromCodePoint(valid ? code : REPLACEMENT);
  }
  return text;
}
