/** Doc comments begin with their subject. */
import { expect, test } from 'vitest';
import { limit, refusedBelow, refusedOpenings } from '../../scripts/lint/doc-openings.mjs';

test.each(['Of the chunk.', 'As of threads.', 'What is read.', 'Those left.', 'By thread.', 'Whoever asks.'])(
  '"%s" is no opening',
  (opening) => {
    expect(refusedOpenings(`const a = 1;\n/** ${opening} */`)).toEqual([{ line: 2, text: opening }]);
    expect(refusedOpenings(`/**\n * ${opening}\n * More.\n */`)).toEqual([{ line: 1, text: opening }]);
  },
);

test.each(['/** Index of the chunk. */', '/** Reads one. */', '/** Offset, ns. */', '/* Of. */', '// Of.'])(
  '%s may stay',
  (comment) => expect(refusedOpenings(comment)).toEqual([]),
);

// They are listed by `node scripts/lint/doc-openings.mjs --list`; where there are fewer, `--lower` writes the new limit.
test('there are no more of them than there were', () => {
  const { length } = refusedBelow('src');
  expect(length).toBeLessThanOrEqual(limit());
});
