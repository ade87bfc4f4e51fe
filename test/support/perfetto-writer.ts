/** Writes Perfetto traces by numbers of fields, as `protos/perfetto/trace` of its sources has them. */
import { PbfWriter } from 'pbf';

/** A message: values by numbers of fields; a list is a field that is repeated. */
export interface Message {
  readonly [field: number]: Value | readonly Value[];
}
type Value =
  number | bigint | string | Uint8Array | Message | { readonly packed: readonly (number | bigint)[] };

function message(fields: Message): Uint8Array {
  const out = new PbfWriter();
  for (const [field, values] of Object.entries(fields))
    for (const value of [values as Value | readonly Value[]].flat() as Value[])
      writeField(out, Number(field), value);
  return out.finish().slice();
}

function writeField(out: PbfWriter, field: number, value: Value): void {
  if (typeof value === 'number') out.writeVarintField(field, value);
  else if (typeof value === 'bigint') {
    out.writeTag(field, 0);
    const bytes = varint(value);
    out.realloc(bytes.length);
    out.buf.set(bytes, out.pos);
    out.pos += bytes.length;
  } else if (typeof value === 'string') out.writeStringField(field, value);
  else if (value instanceof Uint8Array) out.writeBytesField(field, value);
  else if ('packed' in value)
    out.writeBytesField(field, Uint8Array.from(value.packed.flatMap((item) => varint(BigInt(item)))));
  else out.writeBytesField(field, message(value));
}

/** A file of these packets. */
export function perfettoTrace(packets: readonly Message[]): Uint8Array {
  return message({ 1: packets });
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}
