/** First bytes of a file of executions: what tells it from other files before the rest is read. */

export const MAGIC = 'wakepath-exec';
/** Versions of the format that can be read; the last one is written. Version 1 tells no pools, and no elapsed times. */
export const OLDEST_VERSION = 1;
export const VERSION = 2;
export const HEADER = Uint8Array.from([...new TextEncoder().encode(MAGIC), VERSION]);

/** Tells whether bytes are meant as a database, of whatever version. */
export function isDatabase(bytes: Uint8Array): boolean {
  return (
    bytes.length >= MAGIC.length && HEADER.subarray(0, MAGIC.length).every((byte, i) => byte === bytes[i])
  );
}
