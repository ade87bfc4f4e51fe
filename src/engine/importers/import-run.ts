/** Work shared by importers of all formats: reading in pieces, written files, faults, counts of what is left out. */
import { append } from '../base/append.ts';
import type { Fault } from '../base/fault.ts';
import { joinBytes } from '../base/byte-arrays.ts';
import type { Unpacked } from '../archive/types.ts';
import { addNumber } from '../base/group-by.ts';
import type { ByteSource, SourceOpener, SourceRef } from '../io/byte-source.ts';
import type { TempFiles } from '../io/temp-file.ts';
import { CtfOutput, type OutputTrace } from './ctf-output.ts';

interface ImportOptions {
  readonly tempFiles: TempFiles;
  /** Ends importing; what was imported until then stays. */
  readonly signal?: AbortSignal;
  /** Called with the number of bytes of the file that were read. */
  readonly onBytes?: (bytes: number) => void;
  /** All files, in which those of a recording are found by their paths. */
  readonly files: readonly SourceRef[];
  readonly open: SourceOpener;
}

/** Converts a file of another recorder into a CTF trace in a folder with the file's path. */
export type Importer = (run: ImportRun) => Promise<void>;

/** Bytes that are read at once. */
const PIECE_BYTES = 1 << 20;

/** Consecutive bytes of a file. */
export interface Span {
  readonly source: ByteSource;
  readonly from: number;
  readonly to: number;
}

/** Reads the contents of a span. */
interface Taking {
  /**
   * Takes bytes that were not taken yet, the first of which is byte `byte` of the file. Returns how many it took, or
   * more to skip the bytes that follow; or the fault that ends the reading.
   */
  readonly take: (bytes: Uint8Array, byte: number) => number | Fault;
  /** Bytes needed to take more than before, as far as is known. */
  readonly needed?: (bytes: Uint8Array) => number;
}

export class ImportRun {
  /** Files of traces, other files they are made of, and faults. */
  readonly files: SourceRef[] = [];
  readonly parts: SourceRef[] = [];
  readonly faults: Fault[] = [];
  readonly #outputs = new Set<CtfOutput>();
  readonly #leftOut = new Map<string, number>();
  /** Bytes of this file and its parts read so far. */
  #done = 0;

  constructor(
    readonly file: SourceRef,
    readonly source: ByteSource,
    readonly options: ImportOptions,
  ) {}

  /** Begins a trace. */
  output(path: string, isBig: boolean): CtfOutput {
    const output = new CtfOutput(this.options.tempFiles, path, isBig);
    this.#outputs.add(output);
    return output;
  }

  /** Ends a trace and keeps its files. */
  async finish(output: CtfOutput, trace: OutputTrace): Promise<void> {
    this.#outputs.delete(output);
    this.add(await output.finish(trace));
  }

  add({ files, faults }: Unpacked): void {
    append(this.files, files);
    append(this.faults, faults);
  }

  /**
   * Reads a span piece by piece. Returns the bytes at its end that were not taken; undefined: a fault, which is kept,
   * ended it.
   */
  async read({ source, from, to }: Span, { take, needed }: Taking): Promise<Uint8Array | undefined> {
    let rest: Uint8Array = new Uint8Array(0);
    for (let at = from; at < to;) {
      const wanted = Math.max(PIECE_BYTES, (needed?.(rest) ?? 0) - rest.length);
      const read = await source.read(at, Math.min(wanted, to - at));
      if (!read.ok) return this.#end(read.fault);
      const begin = at - rest.length;
      const bytes = rest.length === 0 ? read.value : joinBytes([rest, read.value]);
      const taken = take(bytes, begin);
      if (typeof taken !== 'number') return this.#end(taken);
      const next = Math.max(at + read.value.length, begin + taken);
      this.#done += next - at;
      at = next;
      rest = bytes.slice(taken);
      const fault = await this.#flush();
      if (fault !== undefined) return this.#end(fault);
    }
    return rest;
  }

  #end(fault: Fault): undefined {
    if (fault.code !== 'cancelled') this.faults.push(fault);
  }

  /** Writes full packets. Faults: `cancelled`, `spill-full`. */
  async #flush(): Promise<Fault | undefined> {
    const { signal, onBytes } = this.options;
    if (signal?.aborted === true) return { code: 'cancelled', place: { file: this.file.path } };
    onBytes?.(this.#done);
    for (const output of this.#outputs) {
      const fault = await output.flush();
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Counts what is left out, by kind. */
  leaveOut(what: string, count = 1): void {
    addNumber(this.#leftOut, what, count);
  }

  /** Reports what was left out. @param unit what was counted, in the singular */
  sayLeftOut(unit: string, file = this.file.path): void {
    for (const [what, count] of this.#leftOut)
      this.faults.push({
        code: 'records-left-out',
        place: { file },
        found: `${count} ${unit}${count === 1 ? '' : 's'} ${what}`,
      });
    this.#leftOut.clear();
  }
}

/** Bytes that packed parts of a file may unpack to, and limit of repeated reads. */
export function byteBudget({ size }: ByteSource): number {
  return Math.max(256 * 1024 * 1024, 200 * size);
}

/** Fault for bytes that contradict the format. */
export function damaged(file: string, byte: number, expected: string, found: string): Fault {
  return { code: 'recording-damaged', place: { file, byte }, expected, found };
}
