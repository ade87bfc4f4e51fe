/** Spans of a program in a pid namespace, as `inspect overlays` prints them: of the host's thread. */
import { expect, test } from 'vitest';
import { inspectJson } from '../support/inspect-run.ts';
import { casePath } from '../support/states-goldens.ts';

test('spans of a container are of the thread of the host, not of the one with the same number', async () => {
  const told = await inspectJson<{ readonly spans: readonly unknown[] }>(
    'overlays',
    casePath('container-vtid'),
  );
  expect(told.spans).toMatchObject([
    { tid: 4711, level: 0, from: 2_000_000, to: 8_000_000, hasEnd: true, text: 'id 1' },
  ]);
});
