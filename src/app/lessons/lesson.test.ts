import { describe, expect, it } from 'vitest';
import { parseLesson } from './lesson.ts';

const HEAD = ['---', 'title: A title', 'example: disk-io', 'minutes: 5', 'learn: one thing', '---', ''];

function parsed(...lines: readonly string[]) {
  const lesson = parseLesson([...HEAD, ...lines].join('\n'), 'a');
  if (!lesson.ok) throw new Error(JSON.stringify(lesson.fault));
  return lesson.value;
}

/** The line and what is expected there. */
function fault(text: string): readonly [number | undefined, string | undefined] {
  const lesson = parseLesson(text, 'a');
  if (lesson.ok) throw new Error('no fault');
  const { code, place, expected } = lesson.fault;
  expect([code, place.file]).toEqual(['lesson-unreadable', 'lessons/a.md']);
  return [place.line, expected];
}

describe('a lesson', () => {
  it('has a head and steps with what they show and ask', () => {
    const { steps, ...head } = parsed(
      '## First step',
      'view: #tab=path&view=1~2',
      'Read **this**.',
      '',
      '- a list',
      '## Second step',
      'check: thread = imb-80',
      'check: state = blocked',
      'hint: Look below.',
      'right: So it is.',
    );
    expect(head).toEqual({
      name: 'a',
      title: 'A title',
      example: 'disk-io',
      minutes: 5,
      learn: 'one thing',
      length: 2,
    });
    expect(steps[0]).toEqual({
      title: 'First step',
      view: 'tab=path&view=1~2',
      text: 'Read **this**.\n\n- a list',
      checks: [],
      options: [],
      hint: '',
      right: '',
    });
    expect(steps[1].checks).toEqual([
      { kind: 'thread', thread: 'imb-80' },
      { kind: 'state', words: ['blocked'] },
    ]);
    expect([steps[1].hint, steps[1].right]).toEqual(['Look below.', 'So it is.']);
  });

  it('may come from any editor', () => {
    const lesson = parseLesson('\uFEFF' + [...HEAD, '## A', 'text', ''].join('\r\n'), 'a');
    expect(lesson).toMatchObject({ ok: true, value: { steps: [{ text: 'text' }] } });
  });

  it('has answers to choose from', () => {
    const { steps } = parsed('## A', '- [ ] one', '- [x] two `code`', 'hint: h');
    expect(steps[0].options).toEqual([
      { text: 'one', isRight: false },
      { text: 'two `code`', isRight: true },
    ]);
  });

  it('may show how a lesson is written, in code', () => {
    const { steps } = parsed('## A', '```', '## B', 'check: thread = a', '- [x] b', '```');
    expect(steps).toHaveLength(1);
    expect(steps[0].text).toBe('```\n## B\ncheck: thread = a\n- [x] b\n```');
  });
});

describe('what is wrong has a line', () => {
  const inStep = (...lines: readonly string[]) => fault([...HEAD, ...lines].join('\n'));

  it('in the head', () => {
    expect(fault('# Title')).toEqual([1, 'a line `---`, then the head of the lesson']);
    expect(fault('---\ntitle: A')).toEqual([2, 'a line `---` that ends the head']);
    expect(fault('---\ntitle: A\ncolour: red\n---')).toEqual([
      3,
      'one line for each of title, example, minutes, learn',
    ]);
    expect(fault(HEAD.filter((line) => !line.startsWith('minutes')).join('\n'))).toEqual([
      5,
      'a line `minutes: …` in the head',
    ]);
    expect(fault(HEAD.join('\n').replace('5', 'five'))).toEqual([4, 'a whole number of minutes']);
    expect(fault(HEAD.join('\n').replace('disk-io', '../disk-io'))).toEqual([3, 'the name of an example']);
  });

  it('where there is no step', () => {
    expect(inStep()).toEqual([7, 'a step: `## Title`']);
    expect(inStep('Text')).toEqual([8, 'a step: `## Title`']);
  });

  it('in a check', () => {
    expect(inStep('## A', 'check: colour = red')[0]).toBe(9);
    expect(inStep('## A', 'check: zoom = far')).toEqual([9, 'a time as `zoom = 20 ms`']);
    expect(inStep('## A', 'check: number = 5')[1]).toContain('`number = 12 ± 0`');
  });

  it('of a step that asks without a hint, or without one right answer', () => {
    expect(inStep('## A', '## B', 'check: thread = a')).toEqual([9, 'a line `hint: …` for wrong answers']);
    const options = 'two answers `- [ ] …` or more, one of which is right: `- [x] …`';
    expect(inStep('## A', '- [x] a', 'hint: h')).toEqual([8, options]);
    expect(inStep('## A', '- [x] a', '- [x] b', 'hint: h')).toEqual([8, options]);
    expect(inStep('## A', '- [x] a', '- [ ] b', 'check: zoom = 1 s', 'hint: h')).toEqual([
      8,
      'either a `check:` or answers to choose from',
    ]);
  });

  it('of what is said twice, and of code without an end', () => {
    expect(inStep('## A', 'view: a=1', 'view: a=2')).toEqual([10, 'one line `view:` in a step']);
    expect(inStep('## A', '```', '## B')).toEqual([8, 'a line ``` that ends the code']);
  });

  it('of what is too long', () => {
    expect(fault('-'.repeat(100_001))[1]).toBe('at most 100000 characters');
    expect(inStep(...Array<string>(51).fill('## A'))).toEqual([58, 'at most 50 steps']);
  });

  // Each took the square of the spaces once: many seconds.
  it('of any characters, soon', { timeout: 3000 }, () => {
    const spaces = ' '.repeat(98_000);
    expect(fault(['---', `title:${spaces}`, '---'].join('\n'))[0]).toBe(2);
    expect(inStep(`##${spaces}`)[1]).toBe('a step: `## Title`');
    expect(inStep('## A', `hint: a${spaces}b`, 'hint: c')[1]).toBe('one line `hint:` in a step');
    expect(inStep('## A', `check: number = 5${spaces}x`)[0]).toBe(9);
  });
});
