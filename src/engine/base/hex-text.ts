const DIGITS = '0123456789abcdef';

/** Two lower-case digits a byte. */
export function hexText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += DIGITS[byte >> 4] + DIGITS[byte & 15];
  return text;
}
