import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOf } from '../scripts/lessons-plugin.mjs';
import { parseLesson, type Lesson, type LessonHead } from '../src/app/lessons/lesson.ts';
import { projectDir } from './support/shared.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const publicDir = join(projectDir(), 'public');
const lessons = JSON.parse(listOf(join(publicDir, 'lessons'))) as LessonHead[];
const examples = JSON.parse(readFileSync(join(publicDir, 'examples/examples.json'), 'utf8')) as {
  readonly name: string;
}[];

const WORDS_A_MINUTE = 200;
/** For a click, or a number that is looked up and typed. */
const MINUTES_AN_ACTION = 5 / 60;

function lessonOf({ name }: LessonHead): Lesson {
  const lesson = parseLesson(readFileSync(join(publicDir, 'lessons', `${name}.md`), 'utf8'), name);
  if (!lesson.ok) throw new Error(JSON.stringify(lesson.fault));
  return lesson.value;
}

/** Who knows the answers reads all but the hints, does what is asked, presses Check where there is one, and Next. */
function leastMinutes({ steps }: Lesson): number {
  const texts = steps.flatMap(({ title, text, options, right }) => [
    title,
    text,
    right,
    ...options.map((option) => option.text),
  ]);
  const words = texts.join(' ').match(/[^\s]*\w[^\s]*/g) ?? [];
  const actions = steps.map(({ checks, options }) => {
    const isTyped = checks.some(({ kind }) => kind === 'number');
    return checks.length + Math.min(1, options.length) + (isTyped || options.length > 0 ? 1 : 0) + 1;
  });
  return words.length / WORDS_A_MINUTE + actions.reduce((sum, some) => sum + some, 0) * MINUTES_AN_ACTION;
}

describe('the lessons', () => {
  // Who learns looks around, thinks and errs.
  it.each(lessons)('$name has twice the minutes of who knows the answers', (head) => {
    expect(head.minutes).toBeGreaterThanOrEqual(2 * leastMinutes(lessonOf(head)));
  });

  it.each(lessons)('$name is on an example and has 4 to 8 steps', ({ example, length }) => {
    expect(examples.map(({ name }) => name)).toContain(example);
    expect(length).toBeGreaterThanOrEqual(4);
    expect(length).toBeLessThanOrEqual(8);
  });

  it('begin with one that takes less than ten minutes', () => {
    expect(lessons[0].minutes).toBeLessThan(10);
  });
});

const folder = temporaryFolder();

it('the list of lessons has a file that was copied into the folder, and says what is wrong with one', () => {
  copyFileSync(join(publicDir, 'lessons', `${lessons[0].name}.md`), join(folder, 'of-our-class.md'));
  expect(JSON.parse(listOf(folder))).toEqual([{ ...lessons[0], name: 'of-our-class' }]);
  writeFileSync(join(folder, 'b.md'), '---\ntitle: B\n---\n');
  expect(() => listOf(folder)).toThrow(/lessons\/b\.md, line 3.*a line `example: …` in the head/s);
});
