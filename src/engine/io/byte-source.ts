/**
 * Random access to the bytes of one file, wherever it is: a dropped `File`, a path under Node, memory.
 * A `SourceRef` names such a file and can be posted to a worker; a `SourceOpener`, which differs between
 * browser and Node, turns it into a `ByteSource` there. `tempFile` marks what we wrote ourselves (`temp-file.ts`).
 */
import { fail, type Fault, ok, type Result } from '../base/fault.ts';

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
   * The bytes [from, to) piece by piece. Only for sources where that saves much: in a browser each access to a file is
   * expensive, and so are new pages of memory.
   */
  readOn?(from: number, to: number): PieceReader;
  /** Releases what the source holds; absent: nothing. */
  close?(): Promise<void>;
}

/** Bytes of a source, one piece after the other. */
export interface PieceReader {
  /**
   * The next `length` bytes, in memory of the caller, which is given away and holds at least as many; they are placed
   * at its begin. May be called before the previous piece has arrived. Faults as of `ByteSource.read`, after which
   * nothing more can be read.
   */
  next(length: number, memory: ArrayBuffer): Promise<Result<Uint8Array>>;
  /** Ends reading after the pieces that were already asked for. */
  close(): void;
}

/** Reference to a file that can be posted to workers. */
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
  /** Fingerprint of the other tracer's recording that was imported, for metadata that the importer wrote. */
  readonly recording?: string;
}

/** Opens a source for reading. Faults: `file-unreadable`. */
export type SourceOpener = (ref: SourceRef) => Promise<Result<ByteSource>>;

/** A range that ends at byte `end` of a file of `size` bytes. */
export function beyondEnd(file: string, end: number, size: number): Fault {
  return {
    code: 'truncated',
    place: { file, byte: size },
    expected: `${end} bytes`,
    found: `${size} bytes`,
  };
}

/** A file that vanished, changed or may not be read; `error` is what the platform threw. */
export function unreadable(file: string, error: unknown, byte?: number): Fault {
  return {
    code: 'file-unreadable',
    place: { file, byte },
    expected: 'a readable file',
    found: error instanceof Error ? error.message : String(error),
  };
}

/**
 * Reader of pieces that reads each at its offset.
 * @param readInto fills `into` with the bytes at `offset` and returns it; it does not throw
 * @param close releases the source after the last read
 */
export function placedPieces(
  from: number,
  readInto: (offset: number, into: Uint8Array) => Promise<Result<Uint8Array>>,
  close?: () => Promise<void>,
): PieceReader {
  let at = from;
  let underWay: Promise<unknown> = Promise.resolve();
  return {
    next(length, memory) {
      const piece = readInto(at, new Uint8Array(memory, 0, length));
      at += length;
      underWay = Promise.all([underWay, piece]);
      return piece;
    },
    close() {
      // The bytes have arrived: a failure to close does not matter.
      if (close !== undefined) underWay.then(close).catch(() => undefined);
    },
  };
}

/** @param open opens the source that the part lies in */
export async function openPart(ref: PartRef, open: SourceOpener): Promise<Result<ByteSource>> {
  const whole = await open(ref.of);
  return whole.ok ? ok(partSource(ref, whole.value)) : whole;
}

function partSource(part: PartRef, whole: ByteSource): ByteSource {
  const { path, size, offset } = part;
  const { readOn } = whole;
  return {
    name: path,
    size,
    async read(from, length) {
      if (from + length > size) return fail(beyondEnd(path, from + length, size));
      return placed(await whole.read(offset + from, length), path, from);
    },
    readOn: readOn && ((from, to) => partIntervals(part, from, readOn(offset + from, offset + to))),
    close: () => whole.close?.() ?? Promise.resolve(),
  };
}

/** @param from where the pieces begin in the part */
function partIntervals({ path, size }: PartRef, from: number, pieces: PieceReader): PieceReader {
  let at = from;
  return {
    async next(length, memory) {
      const offset = at;
      at += length;
      if (at > size) return fail(beyondEnd(path, at, size));
      return placed(await pieces.next(length, memory), path, offset);
    },
    close: () => pieces.close(),
  };
}

/** Reports faults for the part, whatever contains it. */
function placed(read: Result<Uint8Array>, path: string, byte: number): Result<Uint8Array> {
  return read.ok ? read : fail({ ...read.fault, place: { file: path, byte } });
}

/** A source that is opened for each read; faults of opening become those of reading. */
export function reopenedSource(ref: SourceRef, open: SourceOpener): ByteSource {
  return {
    name: ref.path,
    size: ref.size,
    async read(offset, length) {
      const source = await open(ref);
      if (!source.ok) return source;
      const bytes = await source.value.read(offset, length);
      await source.value.close?.();
      return bytes;
    },
  };
}
