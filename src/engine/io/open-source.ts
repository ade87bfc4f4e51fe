/** The opener of the browser: dropped files, memory, and parts of both. */
import { fail, ok } from '../base/fault.ts';
import { blobSource } from './blob-source.ts';
import { type SourceOpener, openPart } from './byte-source.ts';
import { memorySource } from './memory-source.ts';

/** Paths are refused: they are for Node (`node-source.ts`). */
export const openSource: SourceOpener = (ref) => {
  switch (ref.kind) {
    case 'file':
      return Promise.resolve(ok(blobSource(ref.path, ref.file)));
    case 'memory':
      return Promise.resolve(ok(memorySource(ref.path, ref.bytes)));
    case 'part':
      return openPart(ref, openSource);
    case 'path':
      return Promise.resolve(
        fail({
          code: 'file-unreadable',
          place: { file: ref.path },
          expected: 'a dropped file',
          found: 'a path of the file system',
        }),
      );
  }
};
