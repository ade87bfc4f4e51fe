/** Writes Perfetto traces by numbers of fields, as `protos/perfetto/trace` of its sources has them. */
import { PbfWriter } from 'pbf';

/** A message: each field with its number; a list in a list is a packed field. */
export type Fields = readonly (readonly [field: number, value: FieldValue])[];
type FieldValue =
  number | bigint | string | Uint8Array | Fields | { readonly packed: readonly (number | bigint)[] };

/** The same by numbers of fields; a list is a field that is repeated. */
export interface ByNumber {
  readonly [field: number]: Plain | readonly Plain[];
}
type Plain =
  number | bigint | string | Uint8Array | ByNumber | { readonly packed: readonly (number | bigint)[] };

export function fieldsOf(message: ByNumber): Fields {
  return Object.entries(message).flatMap(([field, values]: readonly [string, Plain | readonly Plain[]]) =>
    (Array.isArray(values) ? (values as readonly Plain[]) : [values as Plain]).map((value) => {
      const isMessage = typeof value === 'object' && !(value instanceof Uint8Array) && !('packed' in value);
      return [Number(field), isMessage ? fieldsOf(value as ByNumber) : (value as FieldValue)] as const;
    }),
  );
}

function message(fields: Fields): Uint8Array {
  const out = new PbfWriter();
  for (const [field, value] of fields) {
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
  return out.finish().slice();
}

/** A file of these packets. */
export function perfettoTrace(packets: readonly Fields[]): Uint8Array {
  return message(packets.map((packet) => [1, packet]));
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}
