/** First bytes of a file of executions: what tells it from other files before the rest is read. */

export const MAGIC = 'wakepath-exec';
/** Version of the format: raise it when files of before cannot be read any more. */
export const VERSION = 1;
export const HEADER = Uint8Array.from([...new TextEncoder().encode(MAGIC), VERSION]);

/** Tells whether bytes are meant as a database, of whatever version. */
export function isDatabase(bytes: Uint8Array): boolean {
  return (
    bytes.length >= MAGIC.length && HEADER.subarray(0, MAGIC.length).every((byte, i) => byte === bytes[i])
  );
}
