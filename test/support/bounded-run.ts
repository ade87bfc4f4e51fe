/** The built command line as a program of its own, with the bounds that hold for any small input. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InspectOutcome } from './inspect-run.ts';
import { projectDir } from './shared.ts';

/** Bounds for an input below 1 MB: time of processors in user and system mode, s, and memory, bytes. */
const MOST_CPU_S = 15;
const MOST_BYTES = 2 ** 30;

export interface BoundedOutcome extends InspectOutcome {
  /** Processor time of all threads, s. */
  readonly cpuSeconds: number;
  /** Most memory in use, bytes. */
  readonly peakBytes: number;
}

/** Writes the times and memory of its process to a file as that ends, however it does. */
const MEASURE = `data:text/javascript,import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(process.env.WAKEPATH_MEASURES, JSON.stringify(process.resourceUsage())));`;

let count = 0;

/**
 * Runs `inspect ARGS` without decode workers.
 * @throws where it takes more time or memory than an input below 1 MB may
 */
export async function boundedInspect(...args: readonly string[]): Promise<BoundedOutcome> {
  const measures = join(tmpdir(), `wakepath-measures-${process.pid}-${count++}`);
  const program = [process.execPath, '--import', MEASURE, join(projectDir(), 'build/cli/inspect.js')];
  // One second more, so that the measures tell what was too much where it still ends.
  const limited = `ulimit -t ${MOST_CPU_S + 1}; exec "$@"`;
  const child = spawn('sh', ['-c', limited, 'sh', ...program, ...args, '--workers', '0'], {
    env: { ...process.env, WAKEPATH_MEASURES: measures },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = [child.stdout, child.stderr].map(async (stream) => {
    let text = '';
    for await (const piece of stream.setEncoding('utf8')) text += piece;
    return text;
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on('error', reject).on('close', (code, signal) => resolve(code ?? signal ?? ''));
  });
  const [code, stdout, stderr] = await Promise.all([ended, ...texts]);
  const what = `inspect ${args.join(' ')}`;
  if (typeof code === 'string') throw new Error(`${what}: ended by ${code} after ${MOST_CPU_S} s or less`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(
    readFileSync(measures, 'utf8'),
  ) as NodeJS.ResourceUsage;
  rmSync(measures);
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  const peakBytes = maxRSS * 1024;
  if (cpuSeconds > MOST_CPU_S || peakBytes > MOST_BYTES)
    throw new Error(
      `${what}: ${cpuSeconds.toFixed(1)} s of processor time, ${(peakBytes / 2 ** 20).toFixed(0)} MiB`,
    );
  return { code, stdout, stderr, cpuSeconds, peakBytes };
}
