/**
 * Cache of the blocks that queries need. They are copied while the segment's bytes are in memory, which may be freed at
 * any time; otherwise loaded from the store and checked. The cache has a budget and evicts the least recently used.
 * Blocks stay encoded, as decoding a run again is cheap.
 */
import type { Fault } from '../base/fault.ts';
import { checksum } from '../base/checksum.ts';
import type { Segment } from './directory.ts';

export interface BlockCacheOptions {
  /** Loads all blocks of a segment from the store; undefined: they are not available. */
  readonly load?: (segment: number) => Promise<Uint8Array | undefined>;
  /** Called when blocks are missing or damaged; their contents are then without value. */
  readonly onFault?: (fault: Fault) => void;
  /** Maximum bytes of loaded blocks; default 64 MiB. */
  readonly budgetBytes?: number;
}

/** Blocks of one segment by number, those that were wanted and are sound. */
export type Blocks = readonly (Uint8Array | undefined)[];

const NO_BLOCKS: Blocks = [];

export class BlockCache {
  readonly #options: BlockCacheOptions;
  readonly #budget: number;
  /** Cached blocks by segment and number, least recently used first. */
  readonly #kept = new Map<string, Uint8Array>();
  /** Reported fault of a block, by segment and number. An absent one is asked for again, as the store may recover. */
  readonly #reported = new Map<string, 'absent' | 'damaged'>();
  /** Segments being loaded: many rows of a picture ask for the same ones at once. */
  readonly #loading = new Map<number, Promise<Uint8Array | undefined>>();
  #bytes = 0;

  constructor(options: BlockCacheOptions = {}) {
    this.#options = options;
    this.#budget = options.budgetBytes ?? 64 * 1024 * 1024;
  }

  /** Bytes of loaded blocks that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The wanted blocks of a segment. */
  async blocks(segment: Segment, wanted: ReadonlySet<number>): Promise<Blocks> {
    if (wanted.size === 0) return NO_BLOCKS;
    const blocks: (Uint8Array | undefined)[] = [];
    const missing: number[] = [];
    for (const block of wanted) {
      const key = keyOf(segment, block);
      const kept = this.#kept.get(key);
      if (kept !== undefined) {
        this.#kept.delete(key);
        this.#kept.set(key, kept);
        blocks[block] = kept;
      } else if (this.#reported.get(key) !== 'damaged') {
        missing.push(block);
      }
    }
    if (missing.length > 0) await this.#load(segment, missing, blocks);
    return blocks;
  }

  async #load(
    segment: Segment,
    missing: readonly number[],
    blocks: (Uint8Array | undefined)[],
  ): Promise<void> {
    const inMemory = segment.blocks;
    const bytes = inMemory ?? (await this.#bytesOf(segment.index));
    const { blockStart, blockChecksum } = segment.directory;
    for (const block of missing) {
      const kept = this.#kept.get(keyOf(segment, block));
      if (kept !== undefined) {
        blocks[block] = kept;
        continue;
      }
      const content = bytes?.slice(blockStart[block], blockStart[block + 1]);
      if (content === undefined || (inMemory === undefined && checksum(content) !== blockChecksum[block])) {
        this.#report(segment, block, content === undefined ? 'absent' : 'damaged');
        continue;
      }
      blocks[block] = content;
      this.#keep(keyOf(segment, block), content);
    }
  }

  /** All blocks of a segment; concurrent callers share one reading. */
  #bytesOf(segment: number): Promise<Uint8Array | undefined> | undefined {
    const under = this.#loading.get(segment);
    if (under !== undefined) return under;
    const loading = this.#options.load?.(segment).finally(() => this.#loading.delete(segment));
    if (loading !== undefined) this.#loading.set(segment, loading);
    return loading;
  }

  #keep(key: string, content: Uint8Array): void {
    this.#kept.set(key, content);
    this.#bytes += content.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= this.#budget) return;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }

  /** Reports a fault once. */
  #report(segment: Segment, block: number, what: 'absent' | 'damaged'): void {
    const key = keyOf(segment, block);
    if (this.#reported.get(key) === what) return;
    this.#reported.set(key, what);
    const found = what === 'absent' ? 'no such record' : 'a block whose checksum does not match';
    const place = { file: `segment ${segment.index}`, byte: segment.directory.blockStart[block] };
    this.#options.onFault?.({ code: 'store-damaged', place, found });
  }
}

function keyOf(segment: Segment, block: number): string {
  return `${segment.index}:${block}`;
}
