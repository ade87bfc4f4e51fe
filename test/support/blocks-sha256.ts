import { createHash } from 'node:crypto';
import type { HistorySource } from '../../src/engine/history/query-context.ts';

/**
 * SHA-256 (hex) over what is stored of a history: attributes, directories and blocks, in order. Equal for equal
 * sequences of sink calls, fresh or opened again. (The outline follows from the pieces and from how long the packets
 * say the trace is.)
 */
export async function blocksSha256(
  source: HistorySource,
  load?: (segment: number) => Promise<Uint8Array | undefined>,
): Promise<string> {
  await source.ready('segments');
  const all = createHash('sha256').update(sha256(new TextEncoder().encode(source.tree.toText())));
  for (const { index, directory, blocks } of source.segments) {
    all.update(sha256(directory.bytes));
    all.update(sha256(blocks ?? (await load?.(index)) ?? new Uint8Array(0)));
  }
  return all.digest('hex');
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}
