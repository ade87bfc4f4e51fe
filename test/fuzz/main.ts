/** `npm run fuzz`: random cases for some minutes, or so many of them; exit code 1 when something is wrong. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fuzzer, type Report } from './fuzzer.ts';
import { keptCases } from './kept-cases.ts';
import { allSeeds } from './seeds.ts';
import { Watchdog } from './watchdog.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    cases: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: 'random' },
    only: { type: 'string', default: '' },
    project: { type: 'string', default: process.cwd() },
    failures: { type: 'string', default: 'test-results/fuzz' },
  },
});

const seed = values.seed === 'random' ? Math.floor(Math.random() * 2 ** 31) : numberOf('seed');
const watchdog = new Watchdog(new URL('./check-worker.js', import.meta.url));
const fuzzer = new Fuzzer({
  watchdog,
  seeds: allSeeds(values.project).filter(({ name }) => name.includes(values.only)),
  kept: keptCases(join(values.project, 'test/fuzz/cases')),
  failures: join(values.project, values.failures),
  onFailure: (text) => console.error(text),
});
console.log(`seed ${seed}`);
const report = await fuzzer.run(seed, numberOf('first'), numberOf('cases'), 60_000 * numberOf('minutes'));
await watchdog.close();
console.log(textOf(report));
process.exitCode = report.failures > 0 ? 1 : 0;

function numberOf(option: 'seed' | 'first' | 'cases' | 'minutes'): number {
  const value = Number(values[option]);
  if (!(value >= 0)) throw new TypeError(`--${option}: a number is expected, not "${values[option]}"`);
  return value;
}

function textOf({ cases, failures, seconds, slowest, largest, faults }: Report): string {
  const codes = [...faults].sort((a, b) => b[1] - a[1]).map(([code, count]) => `${code} ${count}`);
  return [
    `slowest ${Math.round(slowest.amount)} ms: ${slowest.name}`,
    `most memory ${Math.round(largest.amount / 2 ** 20)} MB: ${largest.name}`,
    `faults: ${codes.join(', ')}`,
    `${cases} cases in ${Math.round(seconds)} s, ${failures} failed`,
  ].join('\n');
}
