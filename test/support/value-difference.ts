/** How two plain values (numbers, texts, arrays, typed arrays, objects) differ. */
import { firstDifference } from './decoded-difference.ts';

/** Says the first difference, in words; undefined: there is none. NaN is itself, and -0 is not 0. */
export function valueDifference(actual: unknown, expected: unknown, path = 'it'): string | undefined {
  if (ArrayBuffer.isView(actual) && ArrayBuffer.isView(expected)) {
    const [ours, theirs] = [actual, expected] as unknown as [ArrayLike<number>, ArrayLike<number>];
    if (actual.constructor !== expected.constructor || ours.length !== theirs.length)
      return `${path}: ${actual.constructor.name}[${ours.length}], not ${expected.constructor.name}[${theirs.length}]`;
    const at = firstDifference(ours, theirs);
    return at < 0 ? undefined : `${path}[${at}] is ${ours[at]} and not ${theirs[at]}`;
  }
  if (!isObject(actual) || !isObject(expected))
    return Object.is(actual, expected) ? undefined : `${path}: ${String(actual)} and not ${String(expected)}`;
  const [ours, theirs] = [Object.keys(actual), Object.keys(expected)];
  if (ours.join() !== theirs.join()) return `${path}: {${ours.join()}} and not {${theirs.join()}}`;
  for (const key of theirs) {
    const found = valueDifference(actual[key], expected[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
