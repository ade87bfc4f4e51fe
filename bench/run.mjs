/**
 * `npm run bench [-- --only NAME] [--rounds N] [--json FILE]`: builds the page and the benches, runs every bench in a
 * fresh process and writes build/bench.json and the table in docs/performance.md. Needs the recorded traces in
 * ../shared, babeltrace2 and a Chromium; Linux, for the memory of processes.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, runTool } from '../scripts/tools.mjs';
import { machineFacts, printFigures, writeTable } from './report.mjs';

const TRACES = join(root, '../shared/traces');
const LARGEST = join(TRACES, 'build-mixed/kernel');
/** How often the largest trace is repeated: 7.7 million events. */
const LONG = 6;
const MIDDLE = 3;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'string', default: join(root, 'build/bench.json') },
  },
});
const { rounds } = values;

const BENCHES = {
  decode: () => ({
    ...node('decode', 'wasm', 'counts', LARGEST, rounds),
    ...node('decode', 'wasm', 'kernel-state', LARGEST, rounds),
    ...node('decode', 'ts', 'counts', LARGEST, rounds),
    ...node('decode', 'ts', 'kernel-state', LARGEST, rounds),
  }),
  stages: () => node('stages', LARGEST, rounds),
  bytes: () => node('bytes', ...kernelTraces()),
  statistics: () => node('statistics', LARGEST),
  history: () => node('history'),
  path: () => node('path'),
  answer: () => withRepeated([LONG], ([{ folder }]) => node('path-answer', join(folder, 'kernel'))),
  clock: () => node('clock'),
  frames,
  open: () =>
    withRepeated([LONG], async ([{ folder, events }]) => {
      const { openBench } = await import('./page.mjs');
      return openBench(join(root, 'dist'), folder, events, Number(rounds));
    }),
  memory: () =>
    withRepeated([1, MIDDLE, LONG], async (traces) => {
      const { memoryBench } = await import('./page.mjs');
      return memoryBench(join(root, 'dist'), traces);
    }),
};

if (!existsSync(LARGEST)) fail(`The benches need the recorded trace ${LARGEST}.`);
const names = values.only?.split(',') ?? Object.keys(BENCHES);
for (const name of names) if (!(name in BENCHES)) fail(`--only: one of ${Object.keys(BENCHES).join(', ')}`);
// The load before: the benches make one of their own.
const facts = machineFacts();
await build(names);
const figures = {};
mkdirSync(dirname(values.json), { recursive: true });
for (const name of names) {
  console.log(`${name} …`);
  const { browser, ...found } = await BENCHES[name]();
  if (browser !== undefined) facts.browser = browser;
  printFigures(found);
  Object.assign(figures, found);
  // After each: a long run that is stopped keeps what it has.
  writeFileSync(values.json, `${JSON.stringify({ facts, figures }, undefined, 2)}\n`);
}
// A table is of one run.
if (values.only === undefined) writeTable(join(root, 'docs/performance.md'), facts, figures);

async function build(wanted) {
  const configs = ['vite.bench.config.ts'];
  if (wanted.includes('open') || wanted.includes('memory')) configs.push('vite.config.ts');
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

/** Runs `bench` with the largest trace repeated as often as each of `counts` says, in folders that are removed after. */
async function withRepeated(counts, bench) {
  const folder = mkdtempSync(join(tmpdir(), 'wakepath-traces-'));
  try {
    const traces = counts.map((count) => {
      const to = join(folder, `repeated-${count}`, 'kernel');
      return { name: `x${count}`, folder: dirname(to), ...node('repeat', LARGEST, to, String(count)) };
    });
    return await bench(traces);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
