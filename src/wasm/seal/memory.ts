/** Memory of a kernel's own, and lists in it. */
import { I32Column } from '../columns';

/** Memory that grows by doubling and keeps its content. */
export class Arena {
  start: usize = 0;
  bytes: i32 = 0;

  /** Makes room for at least so many bytes from `start` on. */
  reserve(bytes: i32): void {
    if (bytes <= this.bytes) return;
    this.bytes = max(bytes, this.bytes * 2);
    this.start = this.start === 0 ? heap.alloc(this.bytes) : heap.realloc(this.start, this.bytes);
  }
}

/** A list of whole numbers. */
export class IntList {
  length: i32 = 0;
  private arena: Arena = new Arena();

  push(value: i32): void {
    this.arena.reserve((this.length + 1) << 2);
    changetype<I32Column>(this.arena.start)[this.length++] = value;
  }

  at(index: i32): i32 {
    return changetype<I32Column>(this.arena.start)[index];
  }
}
