/**
 * Columns in linear memory. They begin at an address and hold numbers of one width side by side; nothing checks their
 * bounds, so whoever writes reserves before.
 */

@inline
export function i32At(column: usize, index: i32): i32 {
  return load<i32>(column + (<usize>index << 2));
}

@inline
export function setI32(column: usize, index: i32, value: i32): void {
  store<i32>(column + (<usize>index << 2), value);
}

@inline
export function i64At(column: usize, index: i32): i64 {
  return load<i64>(column + (<usize>index << 3));
}

@inline
export function setI64(column: usize, index: i32, value: i64): void {
  store<i64>(column + (<usize>index << 3), value);
}

@inline
export function f64At(column: usize, index: i32): f64 {
  return load<f64>(column + (<usize>index << 3));
}

@inline
export function setF64(column: usize, index: i32, value: f64): void {
  store<f64>(column + (<usize>index << 3), value);
}

@inline
export function u8At(column: usize, index: i32): i32 {
  return load<u8>(column + index);
}

@inline
export function setU8(column: usize, index: i32, value: i32): void {
  store<u8>(column + index, <u8>value);
}

/** Address of column `place` of the table with this directory, in the order of its form (`engine/base/tables.ts`). */
@inline
export function columnOf(directory: usize, place: i32): usize {
  return <usize>i32At(directory, place);
}

/** In rows, of a table with so many columns. */
@inline
export function capacityOf(directory: usize, columns: i32): i32 {
  return i32At(directory, columns);
}
