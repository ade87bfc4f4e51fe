/**
 * Size of a rectangle for the GPU: begin and end in columns from the tile's begin (two floats), row slot, form, cause, 0,
 * then two times four shares of 0-255.
 */
export const INSTANCE_BYTES = 20;

/**
 * Forms above the draw codes: a column of shares; a piece of a load area (shares 0, 1: height of used time at its left and
 * right, 2, 3: of used and unknown time); a bar of event density; numbers (share 0: height of the least, 1: of the
 * greatest).
 */
export const FORM_MIXED = 64;
export const FORM_LOAD = 65;
export const FORM_DENSITY = 66;
export const FORM_PLOT = 67;

/** Offsets of the share bytes in an instance. */
export const SLOT_AT = 8;
export const FORM_AT = 9;
export const CAUSE_AT = 10;
export const SHARES_AT = 12;
export const SHARE_COUNT = 8;

export interface Instances {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly count: number;
}

/** Appends rectangles to a growing buffer; `take` copies what was written and begins anew. */
export class InstanceWriter {
  #buffer = new ArrayBuffer(1024 * INSTANCE_BYTES);
  #bytes = new Uint8Array(this.#buffer);
  #floats = new Float32Array(this.#buffer);
  #count = 0;

  /** A rectangle without shares; `begin` and `end` in columns. */
  state(slot: number, code: number, begin: number, end: number): void {
    const at = this.#next(slot, code, 0, begin, end);
    this.#bytes.fill(0, at + SHARES_AT, at + INSTANCE_BYTES);
  }

  /** Writes a rectangle with `SHARE_COUNT` shares, 0 … 255; joins mixed ones and plots to an equal one they touch. */
  shares(slot: number, form: number, cause: number, begin: number, end: number, shares: Uint8Array): void {
    const last = this.#count - 1;
    const isJoined = form === FORM_MIXED || form === FORM_PLOT;
    if (isJoined && last >= 0 && this.#touches(last, slot, form, cause, begin, shares)) {
      this.#floats[(last * INSTANCE_BYTES) / 4 + 1] = end;
      return;
    }
    const at = this.#next(slot, form, cause, begin, end);
    this.#bytes.set(shares, at + SHARES_AT);
  }

  take(): Instances {
    const count = this.#count;
    this.#count = 0;
    return { bytes: this.#bytes.slice(0, count * INSTANCE_BYTES), count };
  }

  #next(slot: number, form: number, cause: number, begin: number, end: number): number {
    const at = this.#count * INSTANCE_BYTES;
    if (at + INSTANCE_BYTES > this.#bytes.length) this.#grow();
    this.#floats[at / 4] = begin;
    this.#floats[at / 4 + 1] = end;
    this.#bytes[at + SLOT_AT] = slot;
    this.#bytes[at + FORM_AT] = form;
    this.#bytes[at + CAUSE_AT] = cause;
    this.#bytes[at + CAUSE_AT + 1] = 0;
    this.#count++;
    return at;
  }

  #touches(
    index: number,
    slot: number,
    form: number,
    cause: number,
    begin: number,
    shares: Uint8Array,
  ): boolean {
    const at = index * INSTANCE_BYTES;
    const bytes = this.#bytes;
    if (this.#floats[at / 4 + 1] !== begin) return false;
    if (bytes[at + SLOT_AT] !== slot || bytes[at + FORM_AT] !== form || bytes[at + CAUSE_AT] !== cause)
      return false;
    for (let i = 0; i < SHARE_COUNT; i++) if (bytes[at + SHARES_AT + i] !== shares[i]) return false;
    return true;
  }

  #grow(): void {
    const bytes = new Uint8Array(this.#bytes.length * 2);
    bytes.set(this.#bytes);
    this.#buffer = bytes.buffer;
    this.#bytes = bytes;
    this.#floats = new Float32Array(this.#buffer);
  }
}
