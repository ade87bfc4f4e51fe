/** Runs `inspect` in this process, as its program does; one run at a time, as output is caught at the console. */
import { format } from 'node:util';
import { expect } from 'vitest';
import { runInspect } from '../../src/cli/run.ts';

export interface InspectOutcome {
  /** The exit code. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line, without the program's name; resolves to its exit code. */
export type RunInspect = (args: readonly string[]) => Promise<number>;

let before: Promise<unknown> = Promise.resolve();

/** Without decode workers, which only the built program has. */
export function inspect(...args: readonly string[]): Promise<InspectOutcome> {
  return inspectBy(runInspect, args);
}

/** The same by another build of the command line; decode workers as `--workers` says, default none. */
export function inspectBy(run: RunInspect, args: readonly string[]): Promise<InspectOutcome> {
  const workers = args.includes('--workers') ? [] : ['--workers', '0'];
  // What is installed on this machine names no function.
  const debugDir = args.includes('--debug-dir') ? [] : ['--debug-dir', ''];
  const outcome = before.then(() => runCaught(run, [...args, ...workers, ...debugDir]));
  before = outcome.catch(() => undefined);
  return outcome;
}

/** What a command prints with `--json`; throws with its messages where it does not end well. */
export async function inspectJson<T>(...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await inspect(...args, '--json');
  if (code !== 0) throw new Error(`inspect ${args.join(' ')}: exit ${code}\n${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Fails unless a command is refused with these words. */
export async function expectRefused(words: RegExp | string, ...args: readonly string[]): Promise<void> {
  const says = typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words);
  expect(await inspect(...args)).toMatchObject({ code: 2, stderr: says as string });
}

async function runCaught(run: RunInspect, args: readonly string[]): Promise<InspectOutcome> {
  const written = { stdout: [] as string[], stderr: [] as string[] };
  const { log, error } = console;
  const write = process.stdout.write;
  console.log = (...values: unknown[]) => void written.stdout.push(`${format(...values)}\n`);
  console.error = (...values: unknown[]) => void written.stderr.push(`${format(...values)}\n`);
  process.stdout.write = (text: string | Uint8Array) =>
    written.stdout.push(Buffer.from(text as Uint8Array).toString()) > 0;
  try {
    const code = await run(args);
    return { code, stdout: written.stdout.join(''), stderr: written.stderr.join('') };
  } finally {
    Object.assign(console, { log, error });
    process.stdout.write = write;
  }
}
