/** Readers of members, in one module that is loaded with the first archive. */
export { gunzip } from './gunzip.ts';
export { listTar } from './tar-listing.ts';
export { unpackZip } from './unpack-zip.ts';
