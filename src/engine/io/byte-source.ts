/**
 * Random access to the bytes of one file, wherever it is: a dropped `File`, a path under Node, memory.
 * A `SourceRef` names such a file and can be posted to a worker; a `SourceOpener`, which differs between
 * browser and Node, turns it into a `ByteSource` there. `tempFile` marks what we wrote ourselves (`temp-file.ts`).
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
  /**
   * The bytes [from, to) piece by piece. Only where that saves much: the way to a file is dear in a browser, and so are
   * new pages of memory.
   */
  readOn?(from: number, to: number): PieceReader;
  /** Gives back what the source holds; absent: nothing. */
  close?(): Promise<void>;
}

/** Bytes of a source, one piece after the other. */
export interface PieceReader {
  /**
   * The next `length` bytes, in memory that the caller has: `memory` is given away and holds as many or more; the answer
   * begins where it began. May be asked before the piece ahead has come. Faults as of `ByteSource.read`, after which
   * nothing more can be read.
   */
  next(length: number, memory: ArrayBuffer): Promise<Result<Uint8Array>>;
  /** Nothing more is wanted than what was asked for. */
  close(): void;
}

/** Names a file that bytes are read from. It can be posted to workers. */
export type SourceRef =
  | (NamedBytes & { readonly kind: 'file'; readonly file: Blob; readonly tempFile?: string })
  | (NamedBytes & { readonly kind: 'path'; readonly absolute: string; readonly tempFile?: string })
  | (NamedBytes & { readonly kind: 'memory'; readonly bytes: Uint8Array })
  | PartRef;

/** The bytes [offset, offset + size) of another source: a member of an archive, read where it lies. */
export type PartRef = NamedBytes & { readonly kind: 'part'; readonly of: SourceRef; readonly offset: number };

interface NamedBytes {
  /** Path for people, relative to what the user opened. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Fingerprint of the recording by another tracer that it was made of: of metadata that we wrote. */
  readonly recording?: string;
}

/** Opens a source for reading. Faults: `file-unreadable`. */
export type SourceOpener = (ref: SourceRef) => Promise<Result<ByteSource>>;
