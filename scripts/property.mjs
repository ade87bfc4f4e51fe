/**
 * `npm run property -- --minutes 60 [FILE…]`: tries the property tests over and over, with other cases in each round,
 * and says at the end which rounds failed and how to have them again.
 */
import { parseArgs } from 'node:util';
import { runTool } from './tools.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '60' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new TypeError(`--minutes: a number is expected, not "${values.minutes}"`);
const files = positionals.length > 0 ? positionals : ['test/property'];
const end = performance.now() + minutes * 60_000;
const failures = [];
let rounds = 0;

for (; performance.now() < end; rounds++) {
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  const code = await runTool('vitest', ['run', '--reporter=dot', ...files], {
    env: { DEEP: '1', PROPERTY_SEED: seed },
  });
  if (code !== 0) failures.push(`DEEP=1 PROPERTY_SEED=${seed} npx vitest run ${files.join(' ')}`);
}
console.log(`${rounds} rounds in ${minutes} minutes, ${failures.length} failed`);
for (const failure of failures) console.log(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
