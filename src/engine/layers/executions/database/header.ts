/** First bytes of a file of executions, which identify it before the rest is read. */

export const MAGIC = 'wakepath-exec';
/** Versions of the format that can be read; the last one is written. Version 1 has no pools and no elapsed times. */
export const OLDEST_VERSION = 1;
export const VERSION = 2;
export const HEADER = Uint8Array.from([...new TextEncoder().encode(MAGIC), VERSION]);

/** Whether bytes begin like a database of any version. */
export function isDatabase(bytes: Uint8Array): boolean {
  return (
    bytes.length >= MAGIC.length && HEADER.subarray(0, MAGIC.length).every((byte, i) => byte === bytes[i])
  );
}
