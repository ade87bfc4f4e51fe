/** The recording kit, built and tried as an ordinary user would, where LTTng's user-space tracer and a C compiler are installed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { projectDir } from './shared.ts';

const KIT = join(projectDir(), 'recording');
/** Somebody who is not root, where the tests are. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

interface Run {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly as?: Partial<typeof NOBODY>;
}

function run(command: string, args: readonly string[], { env, input = '', as }: Run = {}) {
  return spawnSync(command, args, { encoding: 'utf8', input, ...as, env: { ...process.env, ...env } });
}

/** Tells why the kit cannot be tried here; undefined: it can. */
export function whatIsMissing(): string | undefined {
  const tools = ['make', 'cc', 'lttng', 'lttng-sessiond'].filter(
    (tool) => run(tool, ['--version']).status !== 0,
  );
  if (tools.length > 0) return `${tools.join(', ')}: not installed`;
  const headers = run('cc', ['-E', '-'], { input: '#include <lttng/tracepoint.h>\n' });
  return headers.status === 0 ? undefined : 'the headers of lttng-ust are not installed';
}

export interface KitRecording {
  /** Folder of the trace. */
  readonly trace: string;
  /** Lines that the program printed. */
  readonly output: string;
  /** What the script said. */
  readonly messages: string;
}

interface DemoOptions {
  /** Flags by which the demo is compiled again; default: as the kit does. */
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Builds the kit in a new folder and records its demo there, as an ordinary user with a session daemon of their own.
 * @param work made; below a folder that everybody may enter
 */
export async function recordDemo(
  work: string,
  { flags, env: more }: DemoOptions = {},
): Promise<KitRecording> {
  mkdirSync(work, { recursive: true });
  chmodSync(work, 0o755);
  const build = join(work, 'build');
  const made = run('make', ['-C', KIT, `OUT=${build}`, 'CFLAGS=-O2 -g -Werror']);
  if (made.status !== 0 || made.stderr !== '') throw new Error(`make: ${made.stderr}`);
  if (flags !== undefined) {
    const compiled = run('cc', [...flags, '-o', join(build, 'demo'), join(KIT, 'demo.c'), '-lpthread']);
    if (compiled.status !== 0) throw new Error(`cc: ${compiled.stderr}`);
  }
  const home = join(work, 'home');
  mkdirSync(home);
  if (NOBODY.uid !== undefined) chownSync(home, NOBODY.uid, NOBODY.gid);
  const env = { HOME: home, LTTNG_HOME: home, WAKEPATH_BUILD: build, ...more };
  const daemon = await sessionDaemon(env);
  try {
    const trace = join(home, 'trace');
    const recorded = run('sh', [join(KIT, 'record.sh'), trace, join(build, 'demo')], { env, as: NOBODY });
    if (recorded.status !== 0) throw new Error(`record.sh: ${recorded.stdout}${recorded.stderr}`);
    return { trace, output: recorded.stdout, messages: recorded.stderr };
  } finally {
    const ended = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill();
    await ended;
  }
}

async function sessionDaemon(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const all = { ...process.env, ...env };
  const daemon = spawn('lttng-sessiond', ['--no-kernel'], { stdio: 'ignore', env: all, ...NOBODY });
  while (run('lttng', ['--no-sessiond', 'list'], { env, as: NOBODY }).status !== 0) {
    if (daemon.exitCode !== null) throw new Error(`lttng-sessiond ended with ${daemon.exitCode}`);
    await setTimeout(100);
  }
  return daemon;
}
