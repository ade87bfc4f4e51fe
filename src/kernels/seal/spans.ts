/** Spans of a row as they are drawn at some width (`engine/history/bucket-fold.ts`). */
import { f64At, setF64, setI32 } from '../columns';
import { Room } from './memory';
import { GROUP_COUNT } from './schemes';

/** Numbers of one mixed part: ns of each group, then the length of the longest wait and its cause. */
export const MIX: i32 = GROUP_COUNT + 2;
export const MIX_LONGEST: i32 = GROUP_COUNT;
export const MIX_CAUSE: i32 = GROUP_COUNT + 1;

export class SpanList {
  length: i32 = 0;
  mixes: i32 = 0;
  /** f64 each; `value` may be GAP or MIXED. */
  begin: usize = 0;
  end: usize = 0;
  value: usize = 0;
  /** i32: of a mixed span the number of its first bucket's mix. */
  mix: usize = 0;
  private begins: Room = new Room();
  private ends: Room = new Room();
  private values: Room = new Room();
  private firsts: Room = new Room();
  private mixRoom: Room = new Room();

  /** f64: `MIX` numbers for each mix. */
  get mixNs(): usize {
    return this.mixRoom.start;
  }

  clear(): void {
    this.length = 0;
    this.mixes = 0;
  }

  push(begin: f64, end: f64, value: f64, mix: i32): void {
    const at = this.length++;
    if (this.length << 3 > this.begins.bytes) this.grow();
    setF64(this.begin, at, begin);
    setF64(this.end, at, end);
    setF64(this.value, at, value);
    setI32(this.mix, at, mix);
  }

  private grow(): void {
    const length = max(256, this.length);
    this.begins.reserve(length << 3);
    this.ends.reserve(length << 3);
    this.values.reserve(length << 3);
    this.firsts.reserve(length << 2);
    this.begin = this.begins.start;
    this.end = this.ends.start;
    this.value = this.values.start;
    this.mix = this.firsts.start;
  }

  /** Appends a mix; its number. */
  pushMix(mix: usize): i32 {
    const bytes = MIX << 3;
    this.mixRoom.reserve((this.mixes + 1) * bytes);
    memory.copy(this.mixRoom.start + this.mixes * bytes, mix, bytes);
    return this.mixes++;
  }

  @inline
  endAt(index: i32): f64 {
    return f64At(this.end, index);
  }
}
