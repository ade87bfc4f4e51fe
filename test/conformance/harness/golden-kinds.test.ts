import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAULT_MEANINGS } from '../../../src/engine/base/fault-meanings.ts';
import { CODES_OF_KINDS } from './golden-kinds.ts';

test('the documentation has the codes of every kind', () => {
  const document = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, table] = document.split('## Kinds of the conformance corpus');
  const rows = [...table.matchAll(/^\| `([a-z0-9-]+)` +\| (`[a-z-]+`(?:, `[a-z-]+`)*) +\|$/gm)];
  const documented = rows.map(([, kind, codes]) => [kind, codes.replaceAll('`', '').split(', ')]);
  expect(documented).toEqual([...CODES_OF_KINDS]);
  expect(Object.keys(FAULT_MEANINGS)).toEqual(expect.arrayContaining([...CODES_OF_KINDS.values()].flat()));
});
