/** Readers of what is in archives, as one part: loaded with the first archive. */
export { gunzip } from './gunzip.ts';
export { listTar } from './tar-listing.ts';
export { unpackZip } from './unpack-zip.ts';
