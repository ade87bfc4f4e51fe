import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOf } from '../scripts/lessons-plugin.mjs';
import type { LessonHead } from '../src/app/lessons/lesson.ts';
import { projectDir } from './support/shared.ts';

const publicDir = join(projectDir(), 'public');
const lessons = JSON.parse(listOf(join(publicDir, 'lessons'))) as LessonHead[];
const examples = JSON.parse(readFileSync(join(publicDir, 'examples/examples.json'), 'utf8')) as {
  readonly name: string;
}[];

describe('the lessons', () => {
  it.each(lessons)('$name is on an example and has 4 to 8 steps', ({ example, length }) => {
    expect(examples.map(({ name }) => name)).toContain(example);
    expect(length).toBeGreaterThanOrEqual(4);
    expect(length).toBeLessThanOrEqual(8);
  });

  it('begin with one that takes less than ten minutes', () => {
    expect(lessons[0].minutes).toBeLessThan(10);
  });
});

describe('the list of lessons', () => {
  it('has a file that was copied into the folder, and says what is wrong with one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wakepath-'));
    try {
      copyFileSync(join(publicDir, 'lessons', `${lessons[0].name}.md`), join(folder, 'of-our-class.md'));
      expect(JSON.parse(listOf(folder))).toEqual([{ ...lessons[0], name: 'of-our-class' }]);
      writeFileSync(join(folder, 'b.md'), '---\ntitle: B\n---\n');
      expect(() => listOf(folder)).toThrow(/lessons\/b\.md, line 3.*a line `example: …` in the head/s);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
