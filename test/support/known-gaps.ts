/** What does not hold yet (`conformance/known-gaps.json`): it must fail, so that the list may only shrink. */
import { test } from 'vitest';
import gaps from '../conformance/known-gaps.json' with { type: 'json' };

/** One test for each name; those listed under `group` pass while they fail. */
export function testEach(
  group: keyof typeof gaps,
  names: readonly string[],
  check: (name: string) => Promise<void>,
): void {
  const known = new Set<string>(gaps[group]);
  test.each(names)('%s', async (name) => {
    if (!known.has(name)) return check(name);
    const failed = await check(name).then(
      () => false,
      () => true,
    );
    if (!failed) throw new Error(`${name} holds now: take it out of "${group}" in known-gaps.json`);
  });
}
