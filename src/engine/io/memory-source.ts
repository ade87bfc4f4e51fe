/** Source of bytes in memory, for tests and benches. */
import { fail, ok, type Result } from '../base/fault.ts';
import { type ByteSource, beyondEnd, placedPieces } from './byte-source.ts';

export function memorySource(name: string, bytes: Uint8Array): ByteSource {
  const readInto = (offset: number, into: Uint8Array): Promise<Result<Uint8Array>> => {
    const end = offset + into.length;
    if (end > bytes.length) return Promise.resolve(fail(beyondEnd(name, end, bytes.length)));
    into.set(bytes.subarray(offset, end));
    return Promise.resolve(ok(into));
  };
  return {
    name,
    size: bytes.length,
    read: (offset, length) => readInto(offset, new Uint8Array(length)),
    readOn: (from) => placedPieces(from, readInto),
  };
}
