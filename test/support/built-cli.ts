/** The command line as users get it, with its decode workers; `build.ts` has built it. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspectBy, type InspectOutcome, type RunInspect } from './inspect-run.ts';
import { projectDir } from './shared.ts';

export interface BuiltCli {
  /** Runs a command in this process. */
  inspect(...args: readonly string[]): Promise<InspectOutcome>;
  /** Starts the program. */
  start(...args: readonly string[]): Promise<InspectOutcome>;
}

/** @param temp where programs that are started keep temporary files */
export async function builtCli(temp = tmpdir()): Promise<BuiltCli> {
  const built = (name: string): string => join(projectDir(), 'build/cli', name);
  const { runInspect } = (await import(pathToFileURL(built('run.js')).href)) as { runInspect: RunInspect };
  return {
    inspect: (...args) => inspectBy(runInspect, args),
    start: (...args) =>
      new Promise((resolve) => {
        const command = [built('inspect.js'), ...args];
        const env = { ...process.env, TMPDIR: temp };
        execFile(process.execPath, command, { maxBuffer: 1 << 28, env }, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
        });
      }),
  };
}
