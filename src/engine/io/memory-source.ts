/** Bytes that are in memory already: tests. */
import { fail, ok } from '../base/result.ts';
import type { ByteSource } from './byte-source.ts';
import { beyondEnd } from './source-fault.ts';

export function memorySource(name: string, bytes: Uint8Array): ByteSource {
  return {
    name,
    size: bytes.byteLength,
    read(offset, length) {
      const end = offset + length;
      return Promise.resolve(
        end > bytes.byteLength ? fail(beyondEnd(name, end, bytes.byteLength)) : ok(bytes.slice(offset, end)),
      );
    },
  };
}
