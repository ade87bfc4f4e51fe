/**
 * `npm run bench:papers`: experiments of the papers, as tables of Markdown (docs/validation.md has them beside theirs).
 * Processor time by turns with babeltrace2, so that a busy machine changes ratios little. Needs the recorded traces in
 * ../shared, babeltrace2 and GNU time.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runTool } from '../scripts/tools.mjs';
import { measured } from './commands.mjs';
import { median } from './measure.mjs';

const TRACES = join(root, '../shared/traces');
const INSPECT = [process.execPath, join(root, 'build/cli/inspect.js')];
const ROUNDS = 3;
const folder = mkdtempSync(join(tmpdir(), 'papers-'));

for (const config of ['vite.cli.config.ts', 'vite.bench.config.ts'])
  await runTool('vite', ['build', '--config', config, '--logLevel', 'warn']);
try {
  databases();
  sizes();
  requests();
} finally {
  rmSync(folder, { recursive: true });
}

/** Doray and Dagenais (2016), Table 3: from a trace to a file of executions. */
function databases() {
  const rows = ['executions-preempt', 'executions-fsync', 'executions-lock', 'server-sleep'].map((name) => {
    const trace = join(TRACES, name);
    const file = join(folder, name);
    const task = ['--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id', '--database', file];
    const [theirs, build] = byTurns([
      ['babeltrace2', '-o', 'dummy', trace],
      [...INSPECT, 'executions', trace, ...task],
    ]);
    const [size, kept] = [bytesIn(trace), statSync(file).size];
    return [name, mb(size), s(theirs), s(build), (build / theirs).toFixed(1), percent(kept / size)];
  });
  print(['trace', 'MB', 'babeltrace2, s', 'build, s', 'ratio', 'file of the trace'], rows);
}

/** Reza et al. (2019), the figure of processing time: only reading, states in memory, and states on disk. */
function sizes() {
  const rows = [1, 2, 4].map((millions) => {
    const trace = repeated('build-mixed/kernel', 1.28e6 * millions);
    const store = join(folder, 'store');
    const opened = [...INSPECT, 'stats', 'cpu', trace.folder];
    const times = byTurns(
      [
        ['babeltrace2', '-o', 'dummy', trace.folder],
        [...INSPECT, 'info', trace.folder],
        opened,
        [...opened, '--store', store],
      ],
      () => rmSync(store, { recursive: true, force: true }),
    );
    return [(trace.events / 1e6).toFixed(2), ...times.map(s)];
  });
  print(['M events', 'babeltrace2, s', 'reading alone, s', 'states in memory, s', 'on disk, s'], rows);
}

/** Giraldeau (2015), Figure 5.13: opening, and the paths of all clients, by the number of requests. */
function requests() {
  const perTrace = 20;
  const one = repeated('rpc-chain/kernel', 1).events;
  const rows = [1, 2, 4, 8, 16, 32, 64].map((times) => {
    const trace = repeated('rpc-chain/kernel', one * times);
    const runs = Array.from({ length: ROUNDS }, () => node('requests', trace.folder, 'wk-client'));
    const [openMs, pathsMs] = ['openMs', 'pathsMs'].map((key) => median(runs.map((run) => run[key])));
    return [times * perTrace, trace.events, openMs.toFixed(0), pathsMs.toFixed(1), runs[0].segments];
  });
  print(['requests', 'events', 'opening, ms', 'paths, ms', 'segments'], rows);
}

/** A recorded trace, repeated until it has so many events. */
function repeated(name, events) {
  const to = join(folder, `${name.replace('/', '-')}-${events}`);
  const { events: written } = node('repeat', join(TRACES, name), to, String(events));
  return { folder: to, events: written };
}

function node(...args) {
  const text = execFileSync(process.execPath, [join(root, 'build/bench/node.js'), ...args], {
    encoding: 'utf8',
  });
  return JSON.parse(text);
}

/** Processor time of commands, medians of the rounds, s. @param before is called before each command */
function byTurns(commands, before = () => undefined) {
  const rounds = Array.from({ length: ROUNDS }, () =>
    commands.map((command) => {
      before();
      return measured(command).cpuS;
    }),
  );
  return commands.map((_, i) => median(rounds.map((round) => round[i])));
}

function bytesIn(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function print(heads, rows) {
  for (const cells of [heads, heads.map(() => '---'), ...rows]) console.log(`| ${cells.join(' | ')} |`);
  console.log();
}

function s(seconds) {
  return seconds.toFixed(2);
}

function mb(bytes) {
  return (bytes / 1e6).toFixed(2);
}

function percent(share) {
  return `${(100 * share).toFixed(2)} %`;
}
