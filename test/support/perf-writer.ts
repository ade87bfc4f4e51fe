/** Writes small files as `perf record` would, with and without `-o -`. */
/** IDENTIFIER, IP, TID, TIME, CPU, PERIOD. */
const SAMPLE_TYPE = 0x10000 | 1 | 2 | 4 | 0x80 | 0x100;
const CPU = 0x80;
const CHAIN = 0x20;
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

  /** The same records as a file, whose header has a feature behind them. */
  file(feature: number, content: Uint8Array): Uint8Array {
    const records = this.bytes.subarray(16);
    const head = new Uint8Array(104);
    head.set(this.bytes.subarray(0, 8));
    const section = new Uint8Array(16);
    const end = 104 + records.length;
    const put = (bytes: Uint8Array, at: number, value: number) =>
      new DataView(bytes.buffer).setBigUint64(at, BigInt(value), this.#isLittle);
    // Sizes of the header and of an attribute, sections of attributes (none) and data, bits of features.
    for (const [i, value] of [104, 80, 104, 0, 104, records.length, 0, 0, 2 ** feature].entries())
      put(head, 8 + 8 * i, value);
    put(section, 0, end + 16);
    put(section, 8, content.length);
    return new Uint8Array(Buffer.concat([head, records, section, content]));
  }

  /** Bytes as words of a record, with zeros behind them. */
  words(bytes: Uint8Array): number[] {
    const padded = new Uint8Array((bytes.length + 3) & ~3);
    padded.set(bytes);
    const view = new DataView(padded.buffer);
    return Array.from({ length: padded.length / 4 }, (_, i) => view.getUint32(4 * i, this.#isLittle));
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

  /** @param isRaw samples have the record of a tracepoint behind their other fields @param hasChain a call chain before it */
  attribute(
    type: number,
    config: bigint,
    id: bigint,
    {
      isOfProgram = false,
      isRaw = false,
      hasChain = false,
      hasCpu = true,
      period = 1000n,
      isFrequency = false,
    } = {},
  ): void {
    // sample_id_all is bit 18; on a big-endian machine bits of a field are counted from the other end.
    const bit = (number: bigint) => 1n << (this.#isLittle ? number : 63n - number);
    const flags = bit(18n) | (isOfProgram ? bit(12n) : 0n) | (isFrequency ? bit(10n) : 0n);
    const sampleType = (SAMPLE_TYPE | (isRaw ? RAW : 0) | (hasChain ? CHAIN : 0)) & ~(hasCpu ? 0 : CPU);
    const words = [type, 64, config, period, BigInt(sampleType), 0n, flags, 0n, 0n];
    this.record(64, [...words, id]);
  }

  /** A fact of the header (`HEADER_…`) that is a text. */
  feature(number: number, text: string): void {
    const padded = text.padEnd((text.length + 8) & ~7, '\0');
    this.record(80, [BigInt(number), padded.length, ...this.words(Buffer.from(padded))]);
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
