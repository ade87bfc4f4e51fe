import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkExamples } from '../scripts/examples-plugin.mjs';
import { exampleTraces, projectDir } from './support/shared.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

interface Example {
  readonly name: string;
  readonly question: string;
  readonly text: string;
  readonly bytes: number;
  readonly files: readonly string[];
}

const folder = join(projectDir(), 'public/examples');
const other = temporaryFolder();
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

  it('ends the build where an entry is not that of its files', async () => {
    cpSync(join(folder, 'lost-events'), join(other, 'lost-events'), { recursive: true });
    const entry = examples.find(({ name }) => name === 'lost-events');
    const check = (changed: object) => {
      writeFileSync(join(other, 'examples.json'), JSON.stringify([{ ...entry, ...changed }]));
      return checkExamples(other);
    };
    await check({});
    await expect(check({ trace: '0' })).rejects.toThrow(/"lost-events": by its files "trace" is "9061fd34/);
    await expect(check({ files: [] })).rejects.toThrow(/"files" is \["lost-events.zip"\], not \[\]/);
    await expect(check({ bytes: 1 })).rejects.toThrow(/"bytes" is 76150, not 1/);
  });
});
