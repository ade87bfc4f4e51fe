/** Reads numbers and texts of a header one after the other; beyond its end all are zero or empty. */
export class Bytes {
  at = 0;
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #isLittle: boolean;

  constructor(bytes: Uint8Array, isBig: boolean) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#isLittle = !isBig;
  }

  /** Whether more was read than is there. */
  get isCut(): boolean {
    return this.at > this.bytes.length;
  }

  skip(length: number): void {
    this.at += length;
  }

  u16(): number {
    this.at += 2;
    return this.isCut ? 0 : this.#view.getUint16(this.at - 2, this.#isLittle);
  }

  u32(): number {
    this.at += 4;
    return this.isCut ? 0 : this.#view.getUint32(this.at - 4, this.#isLittle);
  }

  u64(): bigint {
    this.at += 8;
    return this.isCut ? 0n : this.#view.getBigUint64(this.at - 8, this.#isLittle);
  }

  /** Reads a size or offset, at most the greatest exact number. */
  size64(): number {
    const value = this.u64();
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
  }

  /** Takes the next `length` bytes; empty if they are not all there. */
  take(length: number): Uint8Array {
    this.at += length;
    return this.isCut ? new Uint8Array(0) : this.bytes.subarray(this.at - length, this.at);
  }

  /** Reads a text up to its null. */
  text(): string {
    const { at, bytes } = this;
    const end = bytes.indexOf(0, at);
    this.at = end < 0 ? bytes.length + 1 : end + 1;
    return decoder.decode(bytes.subarray(at, end < 0 ? at : end));
  }

  /** Reads a text of `length` bytes, without the nulls at its end. */
  string(length: number): string {
    const text = this.take(length);
    const end = text.indexOf(0);
    return decoder.decode(end < 0 ? text : text.subarray(0, end));
  }
}

const decoder = new TextDecoder();
