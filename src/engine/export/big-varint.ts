/** Writes integers that a double does not hold exactly to protocol buffers. */
import type { PbfWriter } from 'pbf';

const VARINT = 0;

/** A field of type uint64 or int64: seven bits a byte, lowest first. */
export function writeBigVarintField(out: PbfWriter, field: number, value: bigint): void {
  out.writeTag(field, VARINT);
  out.realloc(10);
  let rest = BigInt.asUintN(64, value);
  while (rest > 0x7fn) {
    out.buf[out.pos++] = Number(rest & 0x7fn) | 0x80;
    rest >>= 7n;
  }
  out.buf[out.pos++] = Number(rest);
}
