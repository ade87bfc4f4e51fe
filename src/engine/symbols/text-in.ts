/** Texts in tables of texts that each end with a byte 0. */

const decoder = new TextDecoder();

/** The text that begins at a byte; undefined: it does not end within the bytes, or begins behind them. */
export function textIn(bytes: Uint8Array, at: number): string | undefined {
  if (!(at < bytes.length)) return undefined;
  const end = bytes.indexOf(0, at);
  return end < 0 ? undefined : decoder.decode(bytes.subarray(at, end));
}
