/**
 * Columns in linear memory: pointers to numbers of one width side by side, which are read and written by index. Nothing
 * checks their bounds, so the writer reserves before. Classes of the tables that have them are made of the forms in
 * the engine (`scripts/wasm-layout.mjs`).
 */

@unmanaged
export class F64Column {
  @inline
  @operator('[]')
  get(index: i32): f64 {
    return load<f64>(this.at(index));
  }

  @inline
  @operator('[]=')
  set(index: i32, value: f64): void {
    store<f64>(this.at(index), value);
  }

  /** Address of a number. */
  @inline
  at(index: i32): usize {
    return changetype<usize>(this) + (<usize>index << 3);
  }
}

@unmanaged
export class I32Column {
  @inline
  @operator('[]')
  get(index: i32): i32 {
    return load<i32>(this.at(index));
  }

  @inline
  @operator('[]=')
  set(index: i32, value: i32): void {
    store<i32>(this.at(index), value);
  }

  @inline
  at(index: i32): usize {
    return changetype<usize>(this) + (<usize>index << 2);
  }
}

@unmanaged
export class U32Column {
  @inline
  @operator('[]')
  get(index: i32): u32 {
    return load<u32>(this.at(index));
  }

  @inline
  @operator('[]=')
  set(index: i32, value: u32): void {
    store<u32>(this.at(index), value);
  }

  @inline
  at(index: i32): usize {
    return changetype<usize>(this) + (<usize>index << 2);
  }
}

/** Bytes, which are numbers of 32 bits outside of their column. */
@unmanaged
export class U8Column {
  @inline
  @operator('[]')
  get(index: i32): i32 {
    return load<u8>(this.at(index));
  }

  @inline
  @operator('[]=')
  set(index: i32, value: i32): void {
    store<u8>(this.at(index), <u8>value);
  }

  @inline
  at(index: i32): usize {
    return changetype<usize>(this) + <usize>index;
  }
}

@unmanaged
export class I64Column {
  @inline
  @operator('[]')
  get(index: i32): i64 {
    return load<i64>(this.at(index));
  }

  @inline
  @operator('[]=')
  set(index: i32, value: i64): void {
    store<i64>(this.at(index), value);
  }

  @inline
  at(index: i32): usize {
    return changetype<usize>(this) + (<usize>index << 3);
  }
}
