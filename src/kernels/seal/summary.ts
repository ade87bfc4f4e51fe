/** Writes summaries of rows: time per state (`engine/history/summary.ts` tells the format). */
import { i64At } from '../columns';
import { ByteWriter } from './bytes';
import { STATES } from './schemes';
import { endOf, MIXED, Run, TILE, valueOf } from './tiles';

/** Where gaps are summed up, behind the states. */
const OUTSIDE: i32 = STATES;

export class SummaryWriter {
  /** Whether neighbours of the row written last have equal values. */
  repeats: bool = false;
  private ns: usize = heap.alloc(<usize>(STATES + 1) << 3);

  /** Appends the summary of one row of a segment that ends at `to`. */
  write(row: Run, to: i64, isState: bool, out: ByteWriter): void {
    const ns = this.ns;
    memory.fill(ns, 0, (STATES + 1) << 3);
    let gaps: i64 = 0;
    let repeats = false;
    let before = MIXED;
    let from = row.begin;
    for (let tile = row.first; tile < row.stop; tile += TILE) {
      const end = endOf(tile);
      const value = valueOf(tile);
      // 1 for a gap, whose low bits are those of the last state.
      const gap = <i64>(<u64>value >> 63);
      const at = ns + ((<usize>value & (STATES - 1)) << 3) + (<usize>gap << 3);
      store<i64>(at, load<i64>(at) + (end - from));
      gaps += gap;
      repeats |= value === before;
      before = value;
      from = end;
    }
    this.repeats = repeats;
    const outside = i64At(ns, OUTSIDE) + (to - from);
    out.varint(gaps * 2 + i64(outside > 0));
    if (outside > 0) out.varint(outside);
    if (isState) this.writeStates(out);
  }

  private writeStates(out: ByteWriter): void {
    let present = 0;
    let last = 0;
    for (let state = 0; state < STATES; state++) {
      if (i64At(this.ns, state) === 0) continue;
      present |= 1 << state;
      last = state;
    }
    out.varint(present);
    for (let state = 0; state < last; state++) {
      const ns = i64At(this.ns, state);
      if (ns > 0) out.varint(ns);
    }
  }
}
