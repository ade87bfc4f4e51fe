/**
 * `npm run property -- --minutes 60 [FILE…]`: tries the property tests over and over, with other cases in each round,
 * and says at the end which rounds failed and how to have them again.
 */
import { runTool } from './tools.mjs';

const args = process.argv.slice(2);
const minutesAt = args.indexOf('--minutes');
const minutes = minutesAt < 0 ? 60 : Number(args.splice(minutesAt, 2)[1]);
const files = args.length > 0 ? args : ['test/property'];
const end = performance.now() + minutes * 60_000;
const failures = [];
let rounds = 0;

for (; performance.now() < end; rounds++) {
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  const code = await runTool('vitest', ['run', '--reporter=dot', ...files], { env: { PROPERTY_SEED: seed } });
  if (code !== 0) failures.push(`PROPERTY_SEED=${seed} npx vitest run ${files.join(' ')}`);
}
console.log(`${rounds} rounds in ${minutes} minutes, ${failures.length} failed`);
for (const failure of failures) console.log(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
