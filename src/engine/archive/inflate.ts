/** Inflates packed bytes of an archive piece by piece into a temporary file. What comes before damage is kept. */
import { FlateErrorCode, Gunzip, Inflate, type FlateError } from 'fflate';
import type { Fault } from '../base/fault.ts';
import type { ByteSource } from '../io/byte-source.ts';
import type { TempFile } from '../io/temp-file.ts';
import { Crc32 } from '../base/crc32.ts';

export interface InflateJob {
  readonly format: 'deflate' | 'gzip';
  readonly source: ByteSource;
  /** The packed bytes. */
  readonly offset: number;
  readonly length: number;
  readonly tempFile: TempFile;
  /** Name of the member in faults. */
  readonly path: string;
  /** Number of bytes that may still be unpacked; it is reduced by what is unpacked. */
  readonly budget: { left: number };
  readonly signal?: AbortSignal;
  /** Called with numbers of packed bytes, counted from the first. */
  readonly onProgress?: (bytes: number) => void;
}

export interface Inflated {
  /** Unpacked bytes that are in the temporary file. */
  readonly size: number;
  /** CRC-32 of the unpacked bytes; for a gzip of several members that of the last one, whose size is `memberSize`. */
  readonly crc: number;
  readonly memberSize: number;
  /** Reason why not all was unpacked. */
  readonly fault?: Fault;
}

/** Damage loses what was unpacked of the same piece. Deflate unpacks at most 1032 bytes per packed byte. */
const PIECE_BYTES = 16 * 1024;
const READ_BYTES = 1024 * 1024;
/** Longest gzip header, which may hold a name; a longer one is damage. */
const HEADER_BYTES = 256 * 1024;

export async function inflateToTempFile(job: InflateJob): Promise<Inflated> {
  const inflater = new Inflater(job.format);
  let size = 0;
  const ended = (fault?: Fault): Inflated => {
    return { size, crc: inflater.crc.value, memberSize: inflater.memberSize, fault };
  };
  for (let at = 0; at < job.length;) {
    if (job.signal?.aborted === true) return ended({ code: 'cancelled', place: { file: job.path } });
    const packed = await job.source.read(job.offset + at, Math.min(READ_BYTES, job.length - at));
    if (!packed.ok) return ended(packed.fault);
    for (let piece = 0; piece < packed.value.length; piece += PIECE_BYTES) {
      const damage = inflater.push(packed.value.subarray(piece, piece + PIECE_BYTES));
      for (const bytes of inflater.take()) {
        if (bytes.length > job.budget.left) return ended(tooLarge(job, size));
        const written = await job.tempFile.write(bytes);
        if (!written.ok) return ended({ ...written.fault, place: { file: job.path } });
        job.budget.left -= bytes.length;
        size += bytes.length;
      }
      if (damage !== undefined) return ended(damagedAt(job, at + piece, damage, size));
    }
    at += packed.value.length;
    job.onProgress?.(at);
  }
  const missing = inflater.end();
  return ended(missing && damagedAt(job, job.length, missing, size));
}

/** The first unpacked bytes, from the first `packed` bytes. */
export function inflatedHead(packed: Uint8Array, format: InflateJob['format']): Uint8Array {
  const inflater = new Inflater(format);
  inflater.push(packed);
  return inflater.take()[0] ?? new Uint8Array(0);
}

/** The library's inflater, with results instead of exceptions. */
class Inflater {
  crc = new Crc32();
  memberSize = 0;
  readonly #stream: Inflate | Gunzip;
  #made: Uint8Array[] = [];
  /** Bytes pushed since the last output. */
  #silent = 0;

  constructor(format: InflateJob['format']) {
    const onBytes = (bytes: Uint8Array): void => {
      this.#silent = 0;
      if (bytes.length === 0) return;
      this.crc.update(bytes);
      this.memberSize += bytes.length;
      this.#made.push(bytes);
    };
    if (format === 'deflate') this.#stream = new Inflate(onBytes);
    else {
      const gunzip = new Gunzip(onBytes);
      gunzip.onmember = () => {
        this.crc = new Crc32();
        this.memberSize = 0;
      };
      this.#stream = gunzip;
    }
  }

  push(bytes: Uint8Array): Damage | undefined {
    this.#silent += bytes.length;
    const damage = this.#push(bytes, false);
    if (damage === undefined && this.#silent > HEADER_BYTES) {
      return { code: 'archive-damaged', found: 'a gzip header without end' };
    }
    return damage;
  }

  /**
   * Ends the input; reports damage if more should follow. Apart from the last push, as an exception loses its output.
   */
  end(): Damage | undefined {
    return this.#push(new Uint8Array(0), true);
  }

  #push(bytes: Uint8Array, isLast: boolean): Damage | undefined {
    try {
      this.#stream.push(bytes, isLast);
      return undefined;
    } catch (error) {
      const isCut = (error as Partial<FlateError>).code === FlateErrorCode.UnexpectedEOF;
      return { code: isCut ? 'archive-truncated' : 'archive-damaged', found: (error as Error).message };
    }
  }

  /** Takes the output since the last call. */
  take(): readonly Uint8Array[] {
    const made = this.#made;
    this.#made = [];
    return made;
  }
}

type Damage = Pick<Fault, 'code' | 'found'>;

/** Whether the fault lies in the packed bytes. */
export function isDamage({ code }: Fault): boolean {
  return code === 'archive-damaged' || code === 'archive-truncated';
}

function damagedAt({ path, offset }: InflateJob, at: number, damage: Damage, size: number): Fault {
  return { ...damage, place: { file: path, byte: offset + at }, readSoFar: `${size} bytes unpacked` };
}

function tooLarge({ path, length }: InflateJob, size: number): Fault {
  return {
    code: 'archive-too-large',
    place: { file: path },
    found: `more than ${size} bytes out of ${length}`,
    readSoFar: `${size} bytes unpacked`,
  };
}
