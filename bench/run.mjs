/**
 * `npm run bench [-- --only NAME,…] [--big] [--huge] [--rounds N] [--json FILE] [--docs]`: builds the page and the
 * benches, runs every bench in a fresh process, writes build/bench.json and shows the figures beside their goals.
 * `--big`: also the traces of 10 and 45 million events (2 GB of disk for some time), `--huge`: of 200 million (10 GB);
 * `--docs`: the tables of docs/performance.md and bench/figures.md are written too. Needs the recorded traces in ../shared, babeltrace2 and
 * a Chromium; Linux, for the memory of processes.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, runTool } from '../scripts/tools.mjs';
import { median } from './measure.mjs';
import { figureTable, machineFacts, writeTables } from './report.mjs';

const TRACES = join(root, '../shared/traces');
const LARGEST = join(TRACES, 'build-mixed/kernel');
/** Eight CPUs and many threads: 240,644 events. */
const MANY_THREADS = join(root, '../shared/corpus/ctf1-ok/tc-many-threads');
/** Events: once, three and six times the largest trace; that of Reumont-Locke et al. 2019; more than memory would hold. */
const SHORT = 1e6;
const MIDDLE = 3.8e6;
const LONG = 7.7e6;
const TEN_MILLION = 10e6;
const PAPER_EVENTS = 44_897_970;
const HUGE = 200e6;
/** Events of locks, beside those of the kernel. */
const LOCK_EVENTS = 5e6;
/** The same, and events of the executions' program, of the traces that commands read. */
const COMMAND_EVENTS = { locks: 1e6, executions: 23e3 };
/** Number of recorded traces that are opened together. */
const TOGETHER = 12;
/** How often the scaling bench repeats the largest trace, in memory. */
const SCALING_REPEATS = 16;
/** Event classes of a trace whose decoder is compiled. */
const CLASSES = 500;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    big: { type: 'boolean', default: false },
    huge: { type: 'boolean', default: false },
    json: { type: 'string', default: join(root, 'build/bench.json') },
    docs: { type: 'boolean', default: false },
  },
});
const { rounds } = values;

const BENCHES = {
  decode: () => ({
    ...node('decode', 'wasm', 'counts', LARGEST, rounds),
    ...node('decode', 'wasm', 'kernel-state', LARGEST, rounds),
    ...node('decode', 'wasm', 'all', LARGEST, rounds),
    ...node('decode', 'ts', 'counts', LARGEST, rounds),
    ...node('decode', 'ts', 'kernel-state', LARGEST, rounds),
    ...node('decode', 'ts', 'all', LARGEST, rounds),
  }),
  compile: () => medians(() => node('compile', LARGEST, String(CLASSES))),
  stages: () => node('stages', LARGEST, rounds),
  map: () => ({
    ...node('map', LARGEST, rounds),
    ...medians(() => ({ ...node('first-map', LARGEST, 'wasm'), ...node('first-map', LARGEST, 'js') })),
  }),
  seal: () => node('seal', LARGEST, rounds),
  graph: () => node('graph', LARGEST, rounds),
  scaling: () => node('scaling', LARGEST, String(SCALING_REPEATS), rounds),
  windows: () => withRepeated(LARGEST, [LONG], ([{ kernel }]) => node('windows', kernel)),
  bytes: () => node('bytes', ...kernelTraces()),
  statistics: () => node('statistics', LARGEST),
  history: () => node('history'),
  symbols,
  path: () => node('path'),
  answer: () => withRepeated(LARGEST, [LONG], ([{ kernel }]) => node('path-answer', kernel)),
  clock: () => node('clock'),
  frames,
  reading: async () => (await import('./reading.mjs')).readingBench(LARGEST, Number(rounds)),
  open: () =>
    withRepeated(LARGEST, [LONG], async ([{ folder, events }]) => {
      const { openBench } = await import('./page.mjs');
      return openBench(join(root, 'dist'), folder, events, Number(rounds));
    }),
  filters: () => withRepeated(LARGEST, [LONG], ([{ kernel }]) => node('filters', kernel, rounds)),
  events: () => eventTable('7.7M', LONG),
  commands,
  memory: () =>
    withRepeated(LARGEST, [SHORT, MIDDLE, LONG], async (traces) => {
      const { memoryBench } = await import('./page.mjs');
      return memoryBench(join(root, 'dist'), traces);
    }),
};

/** Only with `--big`, or by name. */
const BIG = {
  threads: () =>
    withRepeated(MANY_THREADS, [TEN_MILLION], async ([{ kernel }]) => ({
      ...node('decode', 'wasm', 'counts', kernel, rounds, '.threads'),
      ...node('decode', 'wasm', 'kernel-state', kernel, rounds, '.threads'),
    })),
  long10M: () => longTrace('10M', TEN_MILLION),
  events45M: () => eventTable('45M', PAPER_EVENTS),
  long45M: () => longTrace('45M', PAPER_EVENTS),
  questions45M: () =>
    withRepeated(LARGEST, [PAPER_EVENTS], async ([trace]) => {
      const { questionsBench } = await import('./questions.mjs');
      return questionsBench(join(root, 'dist'), { ...trace, label: '45M' });
    }),
  locks5M: longLocks,
};

const HUGEST = { long200M: () => longTrace('200M', HUGE) };
const ALL = { ...BENCHES, ...BIG, ...HUGEST };

if (!existsSync(LARGEST)) fail(`The benches need the recorded trace ${LARGEST}.`);
if (values.docs && values.only !== undefined)
  fail('--docs: the tables are of one run of all benches, without --only.');
const names = values.only?.split(',') ?? Object.keys(wantedBenches());
for (const name of names) if (!(name in ALL)) fail(`--only: one of ${Object.keys(ALL).join(', ')}`);
// The load before: the benches make one of their own.
const facts = machineFacts();
await build(names);
const figures = {};
mkdirSync(dirname(values.json), { recursive: true });
for (const name of names) {
  console.log(`${name} …`);
  const { browser, ...found } = await ALL[name]();
  if (browser !== undefined) facts.browser = browser;
  Object.assign(figures, found);
  // After each: a long run that is stopped keeps what it has.
  writeFileSync(values.json, `${JSON.stringify({ facts, figures }, undefined, 2)}\n`);
}
console.log(figureTable(facts, figures));
// Asked for, as a machine that is busy with other things says little.
if (values.docs) writeTables(root, facts, figures);

function wantedBenches() {
  return { ...BENCHES, ...(values.big || values.huge ? BIG : {}), ...(values.huge ? HUGEST : {}) };
}

async function build(wanted) {
  const configs = ['vite.bench.config.ts'];
  if (wanted.includes('commands')) configs.push('vite.cli.config.ts');
  if (wanted.some((name) => /^(open|events|memory|long|locks|questions)/.test(name)))
    configs.push('vite.config.ts');
  for (const config of configs) {
    if ((await runTool('vite', ['build', '--config', config, '--logLevel', 'warn'])) !== 0)
      fail(`${config}: not built`);
  }
}

/** The figures of one bench that runs in a Node process of its own. */
function node(...args) {
  const script = join(root, 'build/bench/node.js');
  const { status, stdout } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) fail(`bench ${args[0]}: exit code ${status}`);
  return JSON.parse(stdout);
}

/** The process that writes the file needs memory that must not be counted. */
function symbols() {
  return withFolder((folder) => {
    const file = join(folder, 'program');
    const { bytes, tables } = node('write-elf', file);
    return { 'symbols.megabytes': bytes / 1e6, ...node('symbols', file, String(tables), rounds) };
  });
}

function kernelTraces() {
  return readdirSync(TRACES)
    .map((name) => join(TRACES, name, 'kernel'))
    .filter((folder) => existsSync(join(folder, 'metadata')));
}

async function frames() {
  const { benchFrames } = await import('./frames.mjs');
  const figures = {};
  for (const { key, ...result } of await benchFrames()) {
    for (const [figure, value] of Object.entries(result)) figures[`frames.${key}.${figure}`] = value;
  }
  return figures;
}

/** Medians of the figures of several runs, each in a process of its own. */
function medians(run) {
  const runs = Array.from({ length: Number(rounds) }, run);
  return Object.fromEntries(Object.keys(runs[0]).map((name) => [name, median(runs.map((one) => one[name]))]));
}

/** A long trace: from memory to sealed segments, and from files to IndexedDB. */
function longTrace(label, events) {
  return withRepeated(LARGEST, [events], async ([trace]) => {
    const sealed = node('sealed', trace.kernel, String(2), events > PAPER_EVENTS ? '1' : rounds);
    const { longBench } = await import('./page.mjs');
    return {
      ...Object.fromEntries(Object.entries(sealed).map(([name, value]) => [`long.${label}.${name}`, value])),
      ...(await longBench(join(root, 'dist'), { ...trace, label })),
    };
  });
}

/** The table of events of a long trace. */
function eventTable(label, events) {
  return withRepeated(LARGEST, [events], async ([trace]) => {
    const { eventsBench } = await import('./events.mjs');
    return eventsBench(join(root, 'dist'), { ...trace, label }, Number(rounds));
  });
}

/** A long trace of a program that locks a lot: from files to IndexedDB, then the tab of its locks. */
function longLocks() {
  return withFolder(async (folder) => {
    const events = repeatPrograms('memcached-4t', folder, LOCK_EVENTS);
    const { locksBench } = await import('./page.mjs');
    return locksBench(join(root, 'dist'), { folder, events });
  });
}

/** Writes a recorded trace of programs and kernel, repeated until the programs have `least` events; the number of all. */
function repeatPrograms(name, folder, least) {
  const parts = ['ust/uid/0/64-bit', 'kernel'];
  return node('repeat-together', join(TRACES, name), folder, String(least), ...parts).events;
}

/** The commands of the command line over long traces and short ones. */
function commands() {
  return withRepeated(LARGEST, [LONG], ([{ folder: kernel }]) =>
    withFolder(async (folder) => {
      const [locks, executions] = ['locks', 'executions'].map((name) => join(folder, name));
      repeatPrograms('memcached-4t', locks, COMMAND_EVENTS.locks);
      repeatPrograms('executions-lock', executions, COMMAND_EVENTS.executions);
      const { commandsBench } = await import('./commands.mjs');
      const traces = {
        kernel: [kernel],
        locks: [locks],
        executions: [executions],
        mixed: [LARGEST],
        small: [join(TRACES, 'disk-io')],
        smallExecutions: [join(TRACES, 'executions-lock')],
        twelve: readdirSync(TRACES)
          .slice(0, TOGETHER)
          .map((name) => join(TRACES, name)),
      };
      return commandsBench(root, traces, Number(rounds));
    }),
  );
}

/** Runs `bench` with a trace repeated to at least as many events as each of `sizes`, in folders that are removed after. */
function withRepeated(from, sizes, bench) {
  return withFolder((folder) =>
    bench(
      sizes.map((size, i) => {
        const kernel = join(folder, `repeated-${i}`, 'kernel');
        return { kernel, folder: dirname(kernel), ...node('repeat', from, kernel, String(size)) };
      }),
    ),
  );
}

/** Runs `bench` with a folder that is removed after. */
async function withFolder(bench) {
  const folder = mkdtempSync(join(tmpdir(), 'wakepath-traces-'));
  try {
    return await bench(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
