/** Eight minutes of the fuzzer, however busy the machine: as many of the same cases as there is time for. `npm run fuzz` tries others. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { projectDir } from '../support/shared.ts';

/** Time for all of it, with building the fuzzer: ten minutes less what `programs.deep.test.ts` takes. */
const MOST_MS = 8 * 60_000;
/** Time in which the fuzzer, whose own time is over, ends. */
const END_MS = 30_000;

it(
  'mutated traces give faults with places, the same for both decoders and any chunks, within bounds',
  { timeout: MOST_MS + 2 * END_MS },
  async () => {
    const end = performance.now() + MOST_MS;
    const root = projectDir();
    await build({ root, configFile: join(root, 'test/fuzz/vite.config.ts'), logLevel: 'warn' });
    const timeout = Math.ceil(end - performance.now());
    const minutes = Math.max(0, timeout - END_MS) / 60_000;
    const args = [join(root, 'build/fuzz/main.js'), '--minutes', `${minutes}`, '--seed', '20261'];
    const { error, text } = await new Promise<{ readonly error: Error | null; readonly text: string }>(
      (resolve) =>
        execFile(process.execPath, args, { cwd: root, timeout }, (error, stdout, stderr) =>
          resolve({ error, text: stdout + stderr }),
        ),
    );
    expect(text).toMatch(/^\d+ cases in \d+ s, 0 failed$/m);
    expect(error).toBeNull();
  },
);
