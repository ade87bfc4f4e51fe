/**
 * `npm run bench:recording [-- ROUNDS]`: what recording a program with the kit costs it, by event set, as a table of Markdown:
 * medians of its CPU time by turns, on an idle machine. Needs what the kit needs (recording/README.md); where LTTng's
 * kernel modules are there and the user is root, the kernel is recorded as well, which is said.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../scripts/tools.mjs';
import { quantile } from './measure.mjs';

const ROUNDS = Number(process.argv[2] ?? 9);
/** Calls that take longer have their stack recorded, µs: none does. */
const NEVER = String(1e9);
const LOCKS = 'lttng_ust_pthread:*,wakepath_locks:*';

/** Environment of the recording; undefined: nothing is recorded. */
const SETS = {
  'nothing recorded': undefined,
  locks: { WAKEPATH_EVENTS: LOCKS, WAKEPATH_SAMPLE_US: '0', WAKEPATH_CALL_US: NEVER },
  'stacks each ms and of long calls': { WAKEPATH_EVENTS: 'wakepath_stacks:*' },
  'everything of the kit': {},
};

const folder = mkdtempSync(join(tmpdir(), 'recording-cost-'));
try {
  execFileSync('make', ['-s', '-C', join(root, 'recording')]);
  const program = join(folder, 'program');
  execFileSync('cc', ['-O2', '-pthread', '-o', program, join(root, 'bench/recording-cost.c')]);
  const times = Object.fromEntries(Object.keys(SETS).map((name) => [name, []]));
  let hasKernel = false;
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, set] of Object.entries(SETS)) {
      const trace = join(folder, 'trace');
      const ns = runOf(program, set, trace);
      hasKernel ||= existsSync(join(trace, 'kernel'));
      rmSync(trace, { recursive: true, force: true });
      // The first round warms up.
      if (round > 0) times[name].push(ns);
    }
  console.log(`| recorded${hasKernel ? ', and the kernel' : ''} | CPU time, s | more | from, to |`);
  console.log('| --- | --- | --- | --- |');
  const base = quantile(times['nothing recorded'], 0.5);
  const more = (ns) => `${(100 * (ns / base - 1)).toFixed(1)} %`;
  for (const [name, all] of Object.entries(times)) {
    const [least, middle, most] = [0, 0.5, 1].map((q) => quantile(all, q));
    console.log(
      `| ${name} | ${(middle / 1e9).toFixed(3)} | ${more(middle)} | ${more(least)}, ${more(most)} |`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** CPU time that the program says, ns. */
function runOf(program, set, trace) {
  const command = set === undefined ? [program] : [join(root, 'recording/record.sh'), trace, program];
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), {
    encoding: 'utf8',
    env: { ...process.env, ...set },
  });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  return Number(stdout);
}
