/** Growing bytes, as `engine/history/bytes.ts`: base-128 integers, little-endian words. */
import { VARINT_BYTES } from '../../engine/history/bytes';
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

export class ByteWriter {
  length: i32 = 0;
  private arena: Arena = new Arena();

  get start(): usize {
    return this.arena.start;
  }

  /** Where the next byte goes. */
  get end(): usize {
    return this.arena.start + this.length;
  }

  /** All before `address` is written, in room reserved before. */
  set end(address: usize) {
    this.length = <i32>(address - this.arena.start);
  }

  /** Makes room for `count` more bytes. */
  reserve(count: i32): void {
    this.arena.reserve(this.length + count);
  }

  varint(value: u64): void {
    this.reserve(VARINT_BYTES);
    this.end = writeVarint(this.end, value);
  }

  float64(value: f64): void {
    this.reserve(8);
    store<f64>(this.end, value);
    this.length += 8;
  }

  uint32(value: u32): void {
    this.reserve(4);
    store<u32>(this.end, value);
    this.length += 4;
  }

  appendWritten(other: ByteWriter): void {
    this.reserve(other.length);
    memory.copy(this.end, other.start, other.length);
    this.length += other.length;
  }
}

/** Writes at an address, which has `VARINT_BYTES`; the address behind it. */
@inline
export function writeVarint(address: usize, value: u64): usize {
  let at = address;
  let rest = value;
  for (; rest > 127; rest >>= 7) store<u8>(at++, <u8>(rest | 128));
  store<u8>(at++, <u8>rest);
  return at;
}

/** Bytes that go through the lanes at a time. */
const STEP: usize = 64;
const lanes: usize = memory.data(64, 16);

/** Checksum of bytes, the same as that of `engine/base/checksum.ts`. */
export function checksum(start: usize, bytes: i32): u32 {
  const end = start + bytes;
  let at = start;
  let a = i32x4.splat(0);
  let b = i32x4.splat(0);
  let c = i32x4.splat(0);
  let d = i32x4.splat(0);
  for (; at + STEP <= end; at += STEP) {
    a = mixLanes(a, v128.load(at));
    b = mixLanes(b, v128.load(at, 16));
    c = mixLanes(c, v128.load(at, 32));
    d = mixLanes(d, v128.load(at, 48));
  }
  v128.store(lanes, a);
  v128.store(lanes, b, 16);
  v128.store(lanes, c, 32);
  v128.store(lanes, d, 48);
  let hash: u32 = bytes;
  for (let lane: usize = 0; lane < STEP; lane += 4) hash = mix(hash, load<u32>(lanes + lane));
  for (; at + 4 <= end; at += 4) hash = mix(hash, load<u32>(at));
  for (; at < end; at++) hash = mix(hash, load<u8>(at));
  hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
  return hash ^ (hash >>> 16);
}

@inline
function mixLanes(hashes: v128, words: v128): v128 {
  const mixed = i32x4.mul(v128.xor(hashes, words), i32x4.splat(0xcc9e2d51));
  return v128.or(i32x4.shl(mixed, 15), i32x4.shr_u(mixed, 17));
}

@inline
function mix(hash: u32, word: u32): u32 {
  return rotl<u32>((hash ^ word) * 0xcc9e2d51, 15);
}
