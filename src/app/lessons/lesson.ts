/**
 * Reads lessons: Markdown files with a head and steps, described in docs/teaching.md. Anybody may have written them, so
 * sizes are bounded, and faults have a file and a line.
 */
import { fail, type Fault, ok, type Result } from '../../engine/base/fault.ts';
import { readCheck, type Check } from './check.ts';

/** Entry of a lesson in the list of lessons. */
export interface LessonHead {
  /** Name of its file, without `.md`. */
  readonly name: string;
  readonly title: string;
  /** Name of the example that it uses. */
  readonly example: string;
  readonly minutes: number;
  /** Subject that it teaches, in a few words. */
  readonly learn: string;
  readonly length: number;
}

export interface Lesson extends LessonHead {
  readonly steps: readonly Step[];
}

interface Option {
  /** Markdown. */
  readonly text: string;
  readonly isRight: boolean;
}

export interface Step {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** View at the begin of the step, as parameters of a link; undefined: the view stays. */
  readonly view?: string;
  /** Checks that all hold once the step is done. */
  readonly checks: readonly Check[];
  /** Answers to choose from, one of them right; empty: the step has none. */
  readonly options: readonly Option[];
  /** Markdown, shown after a wrong answer. */
  readonly hint: string;
  /** Markdown, shown after the right answer. */
  readonly right: string;
}

/** Whether the reader has to do or answer something. */
export function asks({ checks, options }: Step): boolean {
  return checks.length > 0 || options.length > 0;
}

/** Most characters of a file; our longest has a tenth of that. */
const MOST_CHARACTERS = 100_000;
const MOST_STEPS = 50;
const HEAD = ['title', 'example', 'minutes', 'learn'] as const;
type HeadKey = (typeof HEAD)[number];

/** @param name of the file, without `.md` */
export function parseLesson(text: string, name: string): Result<Lesson> {
  if (text.length > MOST_CHARACTERS) {
    return fail(wrong(name, 1, `at most ${MOST_CHARACTERS} characters`, `${text.length}`));
  }
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  const head = readHead(lines, name);
  if (!head.ok) return head;
  const { title, example, minutes, learn, end } = head.value;
  const steps = readSteps(lines, end, name);
  if (!steps.ok) return steps;
  return ok({ name, title, example, minutes, learn, length: steps.value.length, steps: steps.value });
}

interface Head extends Record<Exclude<HeadKey, 'minutes'>, string> {
  readonly minutes: number;
  /** Index of the first line after the head. */
  readonly end: number;
}

function readHead(lines: readonly string[], name: string): Result<Head> {
  if (lines[0] !== '---') return fail(wrong(name, 1, 'a line `---`, then the head of the lesson', lines[0]));
  const end = lines.indexOf('---', 1);
  if (end < 0) return fail(wrong(name, lines.length, 'a line `---` that ends the head'));
  const given = new Map<string, string>();
  for (let at = 1; at < end; at++) {
    const match = /^(\w+):(.*)$/.exec(lines[at]);
    const value = match?.[2].trim() ?? '';
    if (match === null || value === '' || !HEAD.includes(match[1] as HeadKey) || given.has(match[1])) {
      return fail(wrong(name, at + 1, `one line for each of ${HEAD.join(', ')}`, lines[at]));
    }
    given.set(match[1], value);
  }
  const missing = HEAD.find((key) => !given.has(key));
  if (missing !== undefined) return fail(wrong(name, end + 1, `a line \`${missing}: …\` in the head`));
  const of = (key: HeadKey) => given.get(key) ?? '';
  const minutes = Number(of('minutes'));
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > 600) {
    return fail(wrong(name, lineOf(lines, 'minutes'), 'a whole number of minutes', of('minutes')));
  }
  if (!/^[\w.-]+$/.test(of('example'))) {
    return fail(wrong(name, lineOf(lines, 'example'), 'the name of an example', of('example')));
  }
  return ok({ title: of('title'), example: of('example'), learn: of('learn'), minutes, end: end + 1 });
}

/** Number of a line of the head, from 1; 0: there is none. */
function lineOf(lines: readonly string[], key: HeadKey): number {
  return lines.findIndex((line) => line.startsWith(`${key}:`)) + 1;
}

/** A step that is being read. */
class OpenStep {
  readonly text: string[] = [];
  readonly checks: Check[] = [];
  readonly options: Option[] = [];
  readonly words: { view?: string; hint?: string; right?: string } = {};
  isInCode = false;

  constructor(
    readonly title: string,
    readonly line: number,
  ) {}

  /** Takes a line of the step; undefined: it is valid. */
  take(line: string): Pick<Fault, 'expected' | 'found'> | undefined {
    if (/^\s{0,3}(```|~~~)/.test(line)) this.isInCode = !this.isInCode;
    const option = this.isInCode ? null : /^[-*] \[([ xX])\] (.*\S)\s*$/.exec(line);
    const word = this.isInCode ? null : /^(view|check|hint|right):(.*)$/.exec(line);
    const value = word?.[2].trim() ?? '';
    if (option !== null) this.options.push({ isRight: option[1] !== ' ', text: option[2] });
    else if (word === null) this.text.push(line);
    else if (word[1] === 'check') {
      const check = readCheck(value);
      if (typeof check === 'string') return { expected: check, found: line };
      this.checks.push(check);
    } else {
      const key = word[1] as 'view' | 'hint' | 'right';
      if (this.words[key] !== undefined) return { expected: `one line \`${key}:\` in a step`, found: line };
      this.words[key] = key === 'view' ? value.replace(/^#/, '') : value;
    }
    return undefined;
  }

  /** Text of what the step lacks; undefined: nothing. */
  get missing(): string | undefined {
    const { checks, options, words } = this;
    if (this.isInCode) return 'a line ``` that ends the code';
    if (options.length > 0 && checks.length > 0) return 'either a `check:` or answers to choose from';
    if (options.length > 0 && (options.length < 2 || options.filter(({ isRight }) => isRight).length !== 1))
      return 'two answers `- [ ] …` or more, one of which is right: `- [x] …`';
    if (checks.filter(({ kind }) => kind === 'number').length > 1) return 'one number in a step';
    if (checks.length + options.length > 0 && !words.hint) return 'a line `hint: …` for wrong answers';
    return undefined;
  }

  get step(): Step {
    const { title, text, checks, options, words } = this;
    const { view, hint = '', right = '' } = words;
    return { title, text: text.join('\n').trim(), view, checks, options, hint, right };
  }
}

function readSteps(lines: readonly string[], begin: number, name: string): Result<readonly Step[]> {
  const steps: OpenStep[] = [];
  for (let at = begin; at < lines.length; at++) {
    const line = lines[at];
    const last = steps.at(-1);
    // `trim`, since a regular expression for spaces at both ends takes quadratic time.
    const title = last?.isInCode === true ? '' : (/^##\s(.*)$/.exec(line)?.[1].trim() ?? '');
    if (title !== '') {
      if (steps.length === MOST_STEPS) return fail(wrong(name, at + 1, `at most ${MOST_STEPS} steps`));
      steps.push(new OpenStep(title, at + 1));
    } else if (last !== undefined) {
      const problem = last.take(line);
      if (problem !== undefined) return fail({ ...wrong(name, at + 1), ...problem });
    } else if (line.trim() !== '') return fail(wrong(name, at + 1, 'a step: `## Title`', line));
  }
  if (steps.length === 0) return fail(wrong(name, lines.length, 'a step: `## Title`'));
  const incomplete = steps.find(({ missing }) => missing !== undefined);
  if (incomplete !== undefined) return fail(wrong(name, incomplete.line, incomplete.missing));
  return ok(steps.map(({ step }) => step));
}

/** @param line from 1 */
function wrong(name: string, line: number, expected?: string, found?: string): Fault {
  return { code: 'lesson-unreadable', place: { file: `lessons/${name}.md`, line }, expected, found };
}
