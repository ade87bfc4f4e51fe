/** Deflated bytes of an archive, unpacked piece by piece into a temporary file. What comes before damage is kept. */
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
  /** Bytes that may be unpacked; what is unpacked is taken off. */
  readonly budget: { left: number };
  readonly signal?: AbortSignal;
  /** Hears of packed bytes, from the first on. */
  readonly onProgress?: (bytes: number) => void;
}

export interface Inflated {
  /** Unpacked bytes that are in the temporary file. */
  readonly size: number;
  /**
   * CRC-32 of the unpacked bytes; that of a gzip of several members is the last one's, which is what `memberSize`
   * counts.
   */
  readonly crc: number;
  readonly memberSize: number;
  /** Reason why not all was unpacked. */
  readonly fault?: Fault;
}

/** Damage loses what was made of the same piece. Deflate makes at most 1032 bytes of one. */
const PIECE_BYTES = 16 * 1024;
const READ_BYTES = 1024 * 1024;
/** A gzip header may hold a name; one that does not end is damage. */
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

/** The first unpacked bytes, as far as the first `packed` bytes hold them. */
export function inflatedHead(packed: Uint8Array, format: InflateJob['format']): Uint8Array {
  const inflater = new Inflater(format);
  inflater.push(packed);
  return inflater.take()[0] ?? new Uint8Array(0);
}

/** Inflater of the library, without its exceptions. */
class Inflater {
  crc = new Crc32();
  memberSize = 0;
  readonly #stream: Inflate | Gunzip;
  #made: Uint8Array[] = [];
  /** Bytes pushed since something came out. */
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

  /** Says when more should have come. Apart from the last bytes, since an exception loses what they gave. */
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

  /** Takes the bytes that came out since the last time. */
  take(): readonly Uint8Array[] {
    const made = this.#made;
    this.#made = [];
    return made;
  }
}

type Damage = Pick<Fault, 'code' | 'found'>;

/** Whether the packed bytes are to blame. */
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
