/** Events as `inspect canonical` prints them, one stream behind the other. */
import { compare } from '../../src/engine/base/compare.ts';
import { inspect } from './inspect-run.ts';

export interface Line {
  /** ns of its clock */
  readonly time: bigint;
  readonly name: string;
  /** All but the time. */
  readonly text: string;
}

export async function canonical(path: string): Promise<Line[]> {
  const { stdout } = await inspect('canonical', path);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf(' ');
      const text = line.slice(at + 1);
      return { time: BigInt(line.slice(0, at)), name: /^"([^"]*)"/.exec(text)?.[1] ?? '', text };
    });
}

/** Times in order. */
export function timesOf(lines: readonly Line[]): bigint[] {
  return lines.map(({ time }) => time).sort((a, b) => compare(a, b));
}

/** How many there are by name. */
export function counts(lines: readonly Pick<Line, 'name'>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { name } of lines) sums[name] = (sums[name] ?? 0) + 1;
  return sums;
}

/** A time as perf prints it, in s with six digits. */
export const micros = (time: bigint) =>
  `${time / 1_000_000_000n}.${String((time % 1_000_000_000n) / 1000n).padStart(6, '0')}`;
