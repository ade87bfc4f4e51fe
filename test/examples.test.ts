import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleTraces, projectDir } from './support/shared.ts';

interface Example {
  readonly name: string;
  readonly question: string;
  readonly text: string;
  readonly bytes: number;
  readonly files: readonly string[];
}

const folder = join(projectDir(), 'public/examples');
const examples = JSON.parse(readFileSync(join(folder, 'examples.json'), 'utf8')) as Example[];

describe('examples.json', () => {
  it.each(examples)('$name lists its files and their size', ({ name, bytes, files }) => {
    const sizes = files.map((file) => statSync(join(folder, name, file)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes);
  });

  it('lists every trace of the folder', () => {
    const listed = examples.flatMap(({ name, files }) =>
      files.filter((file) => file.endsWith('/metadata')).map((file) => `${name}/${file}`),
    );
    expect(listed.sort()).toEqual(
      exampleTraces()
        .map((trace) => `${trace.name}/metadata`)
        .sort(),
    );
  });
});
