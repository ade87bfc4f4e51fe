/** Writes summaries of rows: time per state (`engine/history/summary.ts` tells the format). */
import { f64At, i32At, setF64 } from '../columns';
import { ByteWriter } from './bytes';
import { STATES, stateOf } from './schemes';
import { GAP, Sorted } from './tiles';

export class SummaryWriter {
  private ns: usize = heap.alloc(<usize>STATES << 3);

  /** Appends the summary of one row. */
  write(tiles: Sorted, row: i32, isState: bool, out: ByteWriter): void {
    const stop = i32At(tiles.start, row + 1);
    let from = f64At(tiles.begin, row);
    let gaps = 0;
    let outside: f64 = 0;
    for (let state = 0; state < STATES; state++) setF64(this.ns, state, 0);
    for (let i = i32At(tiles.start, row); i < stop; i++) {
      const value = f64At(tiles.value, i);
      const end = f64At(tiles.end, i);
      if (value === GAP) {
        gaps++;
        outside += end - from;
      } else {
        const state = stateOf(value);
        setF64(this.ns, state, f64At(this.ns, state) + (end - from));
      }
      from = end;
    }
    outside += tiles.to - from;
    out.varint(<f64>(gaps * 2 + (outside > 0 ? 1 : 0)));
    if (outside > 0) out.varint(outside);
    if (isState) this.writeStates(out);
  }

  private writeStates(out: ByteWriter): void {
    let present = 0;
    let last = 0;
    for (let state = 0; state < STATES; state++) {
      if (f64At(this.ns, state) === 0) continue;
      present |= 1 << state;
      last = state;
    }
    out.varint(present);
    for (let state = 0; state < last; state++) {
      const ns = f64At(this.ns, state);
      if (ns > 0) out.varint(ns);
    }
  }
}
