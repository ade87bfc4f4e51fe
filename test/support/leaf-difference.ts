/** How two leaves of the kernel state differ. */
import type { StateLeaf } from '../../src/engine/kernel/transitions.ts';
import { firstDifference } from './decoded-difference.ts';
import { isDeepStrictEqual } from 'node:util';

/** Says the first difference, in words; undefined: there is none. */
export function leafDifference(actual: StateLeaf, expected: StateLeaf): string | undefined {
  for (const part of ['length', 'texts', 'windows'] as const) {
    if (!isDeepStrictEqual(actual[part], expected[part]))
      return `${part}: ${JSON.stringify(actual[part])} and not ${JSON.stringify(expected[part])}`;
  }
  const columns = (leaf: StateLeaf): Readonly<Record<string, ArrayLike<number>>> => {
    const { time, kind, cpu, args, historyText, packets } = leaf;
    return { time, kind, cpu, args, historyText, packetKind: packets.kind, packetKey: packets.key };
  };
  const [ours, theirs] = [columns(actual), columns(expected)];
  for (const name of Object.keys(theirs)) {
    const at = firstDifference(ours[name], theirs[name]);
    if (at >= 0) return `${name}[${at}] is ${ours[name][at]} and not ${theirs[name][at]}`;
  }
  return undefined;
}
