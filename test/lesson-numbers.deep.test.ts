/** Each time that a lesson tells or asks for is one that `inspect` prints of its example. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOf } from '../scripts/lessons-plugin.mjs';
import type { LessonHead } from '../src/app/lessons/lesson.ts';
import { inspectJson } from './support/inspect-run.ts';
import { projectDir } from './support/shared.ts';

const PUBLIC = join(projectDir(), 'public');
const LESSONS = JSON.parse(listOf(join(PUBLIC, 'lessons'))) as LessonHead[];

const EXECUTIONS = ['--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id', '--slow', 'auto'];

/** Commands beside the summary that print what a lesson tells. */
const COMMANDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '01-timeline': [['stats', 'cpu']],
  '02-scheduling': [['stats', 'sched']],
  '04-critical-path': [
    ['critical-path', '--thread', '216'],
    ['critical-path', '--thread', '216', '--criterion', 'exact'],
  ],
  '05-interrupts': [['stats', 'irq']],
  '06-disk': [['stats', 'io']],
  '07-locks': [['locks']],
  '08-deadlock': [['locks']],
  '09-spinning': [['locks']],
  '10-fairness': [['locks']],
  '11-services': [
    ['critical-path', '--thread', '227', '--range', '1372157944..1396400401'],
    ['critical-path', '--thread', '227', '--range', '1120116203..1144360368'],
  ],
  '12-two-hosts': [['sync']],
  '13-tail-latency': [['executions', ...EXECUTIONS]],
  '15-own-machine': [['critical-path', '--thread', '186']],
};

const UNITS: Readonly<Record<string, number>> = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

interface StatedNumber {
  readonly text: string;
  readonly ns: number;
  /** Half of the last digit, ns. */
  readonly off: number;
}

/** Times of a lesson with five digits or more, which no other number has by chance. */
function timesOf(lesson: string): readonly StatedNumber[] {
  return [...lesson.matchAll(/(?<!± )(?<![\d.])(\d+)\.(\d+) (ns|µs|ms|s)\b/g)].flatMap(
    ([text, whole, part, unit]) => {
      const scale = UNITS[unit];
      const digits = (whole + part).replace(/^0+/, '').length;
      const off = (0.5 * scale) / 10 ** part.length;
      return digits < 5 ? [] : [{ text, ns: Number(`${whole}.${part}`) * scale, off }];
    },
  );
}

/** All numbers in a JSON value; of a critical path also the time away from its thread. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const { worker, from, to, segments } = value as Partial<Path>;
  const own = (segments ?? []).filter((each) => each.worker === worker);
  const away = (to ?? 0) - (from ?? 0) - own.reduce((sum, each) => sum + each.to - each.from, 0);
  return [...(segments === undefined ? [] : [away]), ...Object.values(value).flatMap(numbersIn)];
}

interface Path {
  readonly worker: string;
  readonly from: number;
  readonly to: number;
  readonly segments: readonly Pick<Path, 'worker' | 'from' | 'to'>[];
}

describe('times in lessons are those of their examples', () => {
  const stated = LESSONS.map(({ name, example }) => {
    const times = timesOf(readFileSync(join(PUBLIC, 'lessons', `${name}.md`), 'utf8'));
    return { name, example, times };
  }).filter(({ times }) => times.length > 0);

  it.each(stated)('$name', async ({ name, example, times }) => {
    const folder = join(PUBLIC, 'examples', example);
    const commands = [['summary'], ...(COMMANDS[name] ?? [])];
    const printed: number[] = [];
    for (const [command, ...rest] of commands) {
      const [kind, options] = command === 'stats' ? [[rest[0]], rest.slice(1)] : [[], rest];
      const json = await inspectJson<unknown>(command, ...kind, folder, ...options);
      for (const number of numbersIn(json)) printed.push(number);
    }
    const without = times.filter(({ ns, off }) => !printed.some((number) => Math.abs(number - ns) <= off));
    expect(without.map(({ text }) => text)).toEqual([]);
  });
});
