/** A bounded run of the fuzzer, always the same cases: `npm run fuzz` goes on from there. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import { projectDir } from '../support/shared.ts';

const CASES = 2000;
/** The run ends with fewer cases where a machine is slow. */
const MINUTES = 0.75;

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
  it('give faults with places, the same for both decoders and any chunks, within bounds', async () => {
    const root = projectDir();
    await build({ root, configFile: join(root, 'test/fuzz/vite.config.ts'), logLevel: 'warn' });
    const limits = ['--cases', `${CASES}`, '--minutes', `${MINUTES}`, '--seed', '20261'];
    const { code, text } = await run(join(root, 'build/fuzz/main.js'), limits);
    expect(text).toMatch(/^\d+ cases in \d+ s, 0 failed$/m);
    expect(code).toBe(0);
  });
});
