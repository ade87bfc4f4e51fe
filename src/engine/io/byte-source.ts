/**
 * Random access to the bytes of one file, wherever it is: a dropped `File`, a path under Node, memory.
 * A `SourceRef` names such a file and can be posted to a worker; a `SourceOpener`, which differs between
 * browser and Node, turns it into a `ByteSource` there.
 */
import type { Result } from '../base/result.ts';

export interface ByteSource {
  /** Path for people, relative to what the user opened. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /**
   * The bytes [offset, offset + length) in a buffer of their own, which the caller owns (it may be transferred).
   * Faults: `file-unreadable` when the file vanished, `truncated` when the range is beyond its end.
   */
  read(offset: number, length: number): Promise<Result<Uint8Array>>;
  close?(): Promise<void>;
}

export type SourceRef =
  | { readonly kind: 'file'; readonly path: string; readonly size: number; readonly file: Blob }
  | { readonly kind: 'path'; readonly path: string; readonly size: number; readonly absolute: string }
  | { readonly kind: 'memory'; readonly path: string; readonly size: number; readonly bytes: Uint8Array };

export type SourceOpener = (ref: SourceRef) => Promise<Result<ByteSource>>;
