/** Ten minutes of the fuzzer, always the same cases: `npm run fuzz` tries others. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import { projectDir } from '../support/shared.ts';

const MINUTES = 10;

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

function run(script: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: projectDir() });
    const pieces: string[] = [];
    child.stdout.on('data', (piece: Buffer) => void pieces.push(piece.toString()));
    child.stderr.on('data', (piece: Buffer) => void pieces.push(piece.toString()));
    child.on('close', (code) => resolve({ code, text: pieces.join('') }));
  });
}

describe('mutated traces', () => {
  const timeout = 120_000 + 2 * 60_000 * MINUTES;
  it(
    'give faults with places, the same for both decoders and any chunks, within bounds',
    { timeout },
    async () => {
      const root = projectDir();
      await build({ root, configFile: join(root, 'test/fuzz/vite.config.ts'), logLevel: 'warn' });
      const limits = ['--minutes', `${MINUTES}`, '--seed', '20261'];
      const { code, text } = await run(join(root, 'build/fuzz/main.js'), limits);
      expect(text).toMatch(/^\d+ cases in \d+ s, 0 failed$/m);
      expect(code).toBe(0);
    },
  );
});
