/**
 * `npm run property -- --minutes 60 [FILE…]`: tries the property tests over and over with other cases each time, and
 * says at the end which seeds failed. Each file is a run of its own, so that a failure tells its seed alone.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, runTool } from './tools.mjs';

const args = process.argv.slice(2);
const minutesAt = args.indexOf('--minutes');
const minutes = minutesAt < 0 ? 60 : Number(args.splice(minutesAt, 2)[1]);
const folder = 'test/property';
const files =
  args.length > 0 ? args : readdirSync(join(root, folder)).filter((name) => name.endsWith('.test.ts'));
const end = performance.now() + minutes * 60_000;
const failures = [];
let runs = 0;

while (performance.now() < end) {
  for (const file of files) {
    if (performance.now() >= end) break;
    const seed = String(Math.floor(Math.random() * 2 ** 31));
    const env = { PROPERTY_SEED: seed };
    const code = await runTool('vitest', ['run', '--reporter=dot', join(folder, file)], { env });
    runs++;
    if (code !== 0) failures.push(`PROPERTY_SEED=${seed} npx vitest run ${join(folder, file)}`);
  }
}
console.log(`${runs} runs of ${files.length} files in ${minutes} minutes, ${failures.length} failed`);
for (const failure of failures) console.log(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
