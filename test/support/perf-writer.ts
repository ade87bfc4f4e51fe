/** Writes small files as `perf record -o -` would. */
/** IDENTIFIER, IP, TID, TIME, CPU, PERIOD. */
const SAMPLE_TYPE = 0x10000 | 1 | 2 | 4 | 0x80 | 0x100;
const CPU = 0x80;
const RAW = 0x400;

/** Writes what `perf record -o -` writes, in either byte order. */
export class PipeWriter {
  readonly #parts: Uint8Array[] = [];
  readonly #isLittle: boolean;

  constructor(isBig: boolean) {
    this.#isLittle = !isBig;
    this.#put(8 + 8, (view) => {
      const sign = isBig ? '2ELIFREP' : 'PERFILE2';
      for (let i = 0; i < 8; i++) view.setUint8(i, sign.charCodeAt(i));
      view.setBigUint64(8, 16n, !isBig);
    });
  }

  get bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }

  #put(size: number, write: (view: DataView) => void): void {
    const bytes = new Uint8Array(size);
    write(new DataView(bytes.buffer));
    this.#parts.push(bytes);
  }

  /** @param words numbers of 4 or, as `bigint`, 8 bytes */
  record(type: number, words: readonly (number | bigint)[], misc = 0): void {
    const size = 8 + words.reduce<number>((sum, word) => sum + (typeof word === 'bigint' ? 8 : 4), 0);
    this.#put(size, (view) => {
      view.setUint32(0, type, this.#isLittle);
      view.setUint16(4, misc, this.#isLittle);
      view.setUint16(6, size, this.#isLittle);
      let at = 8;
      for (const word of words) {
        if (typeof word === 'bigint') view.setBigUint64(at, word, this.#isLittle);
        else view.setUint32(at, word, this.#isLittle);
        at += typeof word === 'bigint' ? 8 : 4;
      }
    });
  }

  /** @param isRaw samples have the record of a tracepoint behind their other fields */
  attribute(
    type: number,
    config: bigint,
    id: bigint,
    { isOfProgram = false, isRaw = false, hasCpu = true, period = 1000n, isFrequency = false } = {},
  ): void {
    // sample_id_all is bit 18; on a big-endian machine bits of a field are counted from the other end.
    const bit = (number: bigint) => 1n << (this.#isLittle ? number : 63n - number);
    const flags = bit(18n) | (isOfProgram ? bit(12n) : 0n) | (isFrequency ? bit(10n) : 0n);
    const sampleType = (SAMPLE_TYPE | (isRaw ? RAW : 0)) & ~(hasCpu ? 0 : CPU);
    const words = [type, 64, config, period, BigInt(sampleType), 0n, flags, 0n, 0n];
    this.record(64, [...words, id]);
  }

  /** A fact of the header (`HEADER_…`) that is a text. */
  feature(number: number, text: string): void {
    const padded = text.padEnd((text.length + 8) & ~7, '\0');
    const at = new DataView(new Uint8Array(Buffer.from(padded)).buffer);
    const words = Array.from({ length: padded.length / 4 }, (_, i) => at.getUint32(4 * i, this.#isLittle));
    this.record(80, [BigInt(number), padded.length, ...words]);
  }

  /** SWITCH_CPU_WIDE, of a thread that leaves for another one or comes from there. */
  switched(misc: number, tid: number, other: number, time: bigint, cpu: number, id: bigint): void {
    this.record(15, [other, other, tid, tid, time, cpu, 0, id], misc);
  }

  /** @param raw words of the record of a tracepoint */
  sample(id: bigint, tid: number, time: bigint, cpu: number, raw: readonly (number | bigint)[] = []): void {
    const size = raw.reduce<number>((sum, word) => sum + (typeof word === 'bigint' ? 8 : 4), 0);
    this.record(9, [id, 0x401000n, tid - 1, tid, time, cpu, 0, 1000n, ...(size > 0 ? [size, ...raw] : [])]);
  }

  /** The begin of a trace.dat, as perf has formats of events. */
  tracingData(bytes: Uint8Array): void {
    this.record(66, [bytes.length]);
    this.#parts.push(bytes, new Uint8Array(-bytes.length & 7));
  }

  /** Ends a record that is no sample: TID, TIME, CPU, IDENTIFIER. */
  other(
    type: number,
    words: readonly (number | bigint)[],
    time: bigint,
    cpu: number,
    id: bigint,
    misc = 0,
  ): void {
    this.record(type, [...words, 6, 7, time, cpu, 0, id], misc);
  }
}
