/** The labels of an enumeration with their ranges (CTF 1.8.3 section 4.1.8). */
import type { LabelRange } from '../../model.ts';
import type { LabelNode } from './ast.ts';
import { integerOf } from './attributes.ts';
import type { Reading } from '../source.ts';

/**
 * A label without a value has the one after the label before it, the first 0. Values wrap as 64-bit integers of the
 * container's sign; a range with its ends exchanged is put in order.
 */
export function enumLabels(
  reading: Reading,
  nodes: readonly LabelNode[],
  signed: boolean,
): readonly LabelRange[] {
  const wrap = (value: bigint) => (signed ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value));
  let following = 0n;
  return nodes.map(({ label, from, to }) => {
    const first = from === undefined ? following : wrap(integerOf(reading, from, 'value of a label'));
    const last = to === undefined ? first : wrap(integerOf(reading, to, 'value of a label'));
    following = wrap(last + 1n);
    return first <= last ? { label, from: first, to: last } : { label, from: last, to: first };
  });
}
