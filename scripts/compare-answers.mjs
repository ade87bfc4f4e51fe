/**
 * `npm run answers -- --out FILE [--against FILE]`: runs the commands of `inspect` over the traces of `../shared`, or over the
 * examples where that is not there, and writes a line for each: digest of stdout, exit code, digest of stderr, trace, command.
 * With another such file it prints which lines differ from it, and exits 1 where any does.
 *
 *     --cli DIR      the build to run, of any checkout; default: this checkout, which is built first
 *     --trace TEXT   only traces whose path contains TEXT
 *     --command TEXT only commands that contain TEXT
 *     --keep DIR     also writes what was printed, a file for each line
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, parseArgs } from 'node:util';
import { root } from './tools.mjs';

const { values } = parseArgs({
  options: {
    cli: { type: 'string' },
    out: { type: 'string' },
    against: { type: 'string' },
    trace: { type: 'string', default: '' },
    command: { type: 'string', default: '' },
    keep: { type: 'string' },
  },
});

const shared = resolve(root, '../shared');
const hasShared = existsSync(join(shared, 'traces'));

/** Size of a trace above which only the commands of `QUICK` and `LARGE` run, bytes. */
const LARGE_BYTES = 6e6;
/** Number of threads of a trace whose paths are asked for. */
const THREADS = 3;
const KINDS = ['counts', 'cpu', 'io', 'net', 'memory', 'heap', 'sched', 'irq', 'syscalls', 'futex'];

/** Commands for whatever can be opened. */
const QUICK = [
  ['info'],
  ['info', '--json'],
  ['canonical', '--sha256'],
  ['stats', 'counts', '--json'],
  ['summary', '--json'],
  ['events', '--limit', '50', '--json'],
];
const LARGE = [
  ...KINDS.slice(1).map((kind) => ['stats', kind, '--json']),
  ['states', '--check', '--json'],
  ['states', '--json'],
  ['locks', '--json'],
];
/** Commands for traces of the kernel, beside those of single threads. */
const KERNEL = [
  ...LARGE,
  ...['io', 'irq', 'sched', 'syscalls'].map((kind) => ['stats', kind, '--each', '--limit', '200', '--json']),
  ['stats', 'cpu', '--json', '--range', '+0.2s..+0.6s'],
  ['stats', 'syscalls', '--json', '--range', '+0.2s..+0.6s'],
  ['sync', '--json'],
  ['overlays', '--json'],
  ['symbols', '--json'],
];
/** Other forms of the same, for the examples alone. */
const FORMS = [
  ...KINDS.map((kind) => ['stats', kind]),
  ['stats', 'sched', '--per-prio', '--limit', '10'],
  ['summary'],
  ['locks'],
  ['sync'],
  ['overlays'],
  ['symbols'],
  ['events', '--filter', 'name=sched_* and prev_state != 0', '--limit', '100'],
  ['export', '--what', 'states', '--format', 'csv'],
  ['export', '--what', 'spans', '--format', 'json'],
  ['export', '--what', 'cpu.threads', '--format', 'parquet'],
  ['export', '--what', 'locks.locks', '--format', 'csv'],
  ['export', '--format', 'perfetto'],
  ['export', '--format', 'finding', '--range', '+0.2s..+0.4s'],
];

/** @param isFirst the thread that ran most is asked more */
function commandsOfThread(thread, isFirst, isExample) {
  const of = ['--thread', thread];
  if (!isFirst) return [['critical-path', ...of, '--json']];
  const commands = [
    ['critical-path', ...of, '--json'],
    ['critical-path', ...of, '--criterion', 'exact', '--json'],
    ['critical-path', ...of, '--criterion', 'lock-holder', '--json'],
    ['profile', ...of, '--path', '--json'],
  ];
  if (!isExample) return commands;
  return [
    ...commands,
    ['critical-path', ...of],
    ['critical-path', ...of, '--criterion', 'reconvergence', '--json'],
    ['critical-path', ...of, '--criterion', 'lock-holder'],
    ['critical-path', ...of, '--folded'],
    ['critical-path', ...of, '--criterion', 'lock-holder', '--folded'],
    ['critical-path', ...of, '--by', 'process', '--fold-loops'],
    ['critical-path', ...of, '--by', 'host', '--json', '--range', '+0.2s..+0.6s'],
    ['states', ...of],
    ['profile', ...of, '--json'],
    ['profile', ...of],
    ['profile', ...of, '--folded', '--inline'],
    ['export', '--what', 'path', '--format', 'csv', ...of],
    ['export', '--format', 'pprof', ...of],
  ];
}

/** @returns path of each trace by its name */
function traces() {
  if (!hasShared)
    return new Map(
      namesIn(join(root, 'public/examples')).map((name) => [name, join(root, 'public/examples', name)]),
    );
  const found = new Map();
  const add = (folder, depth, accept) => {
    for (const name of namesIn(join(shared, folder))) {
      const below = `${folder}/${name}`;
      const isFolder = statSync(join(shared, below)).isDirectory();
      if (depth > 0 && isFolder) add(below, depth - 1, accept);
      else if (depth === 0 && accept(name, isFolder)) found.set(below, join(shared, below));
    }
  };
  const isFolder = (_, folder) => folder;
  const isTrace = (name, folder) => folder || /\.(data|dat|pb|pipe)\b|^ftrace\.txt$/.test(name);
  add('traces', 0, isFolder);
  add('cases', 0, (name, folder) => folder && name !== 'attack');
  add('cases/attack', 0, isFolder);
  add('tracers', 1, isTrace);
  add('real', 0, isFolder);
  add('foreign', 1, isTrace);
  add('corpus', 1, isFolder);
  return found;
}

function namesIn(folder) {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function bytesIn(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.size;
  return namesIn(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

/** Command lines of goldens, whose second word is a trace. */
function goldenCommands() {
  const folder = ['golden/next/executions', 'golden/executions']
    .map((name) => join(shared, name))
    .find(existsSync);
  return namesIn(folder)
    .filter((name) => name.endsWith('.json') && !name.startsWith('case-'))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).commands.map(({ args }) => args))
    .map(([command, trace, ...options]) => {
      const other = options.indexOf('--against') + 1;
      if (other > 0) options[other] = join(shared, 'traces', options[other]);
      return { trace: `traces/${trace}`, command: [command, ...options] };
    });
}

async function buildHere() {
  const { build } = await import('vite');
  await build({ root, configFile: join(root, 'vite.cli.config.ts'), logLevel: 'warn' });
  return join(root, 'build/cli');
}

const cli = values.cli === undefined ? await buildHere() : resolve(values.cli);
const { runInspect } = await import(pathToFileURL(join(cli, 'run.js')).href);
const scratch = mkdtempSync(join(tmpdir(), 'answers-'));

/** Runs a command in this process; resolves to its exit code and what it wrote. */
async function inspect(args) {
  const written = { stdout: [], stderr: [] };
  const { log, error } = console;
  const { write } = process.stdout;
  console.log = (...texts) => void written.stdout.push(`${format(...texts)}\n`);
  console.error = (...texts) => void written.stderr.push(`${format(...texts)}\n`);
  process.stdout.write = (text) => written.stdout.push(String(text)) > 0;
  let code;
  try {
    code = await runInspect([...args, '--workers', '0']);
  } catch (thrown) {
    code = 'threw';
    written.stderr.push(String(thrown));
  } finally {
    Object.assign(console, { log, error });
    process.stdout.write = write;
  }
  return { code, stdout: written.stdout, stderr: written.stderr };
}

function digest(pieces) {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

const lines = new Map();
const spent = new Map();

/** The name of a line holds what is asked for. */
function isWanted(name) {
  const [trace, ...command] = name.split(' ');
  return trace.includes(values.trace) && command.join(' ').includes(values.command);
}

async function record(trace, path, command, store) {
  const name = `${trace} ${command.map((word) => (word.startsWith('/') ? basename(word) : word)).join(' ')}`;
  if (lines.has(name) || !isWanted(name)) return;
  const file = join(scratch, 'exported');
  const output = command[0] === 'export' ? ['--output', file] : [];
  const [first, ...rest] = command;
  const words = first === 'stats' ? [first, rest.shift()] : [first];
  const begin = performance.now();
  const { code, stdout, stderr } = await inspect([...words, path, ...rest, ...output, ...store]);
  if (output.length > 0 && existsSync(file)) {
    stdout.push(readFileSync(file));
    rmSync(file);
  }
  const kind = command.slice(0, first === 'stats' ? 2 : 1).join(' ');
  spent.set(kind, (spent.get(kind) ?? 0) + performance.now() - begin);
  // The help text behind an error is no answer.
  const [messages] = stderr.join('').split('\nUsage: inspect');
  lines.set(name, `${digest(stdout)} ${code} ${digest([messages]).slice(0, 12)} ${name}`);
  if (values.keep === undefined) return;
  mkdirSync(values.keep, { recursive: true });
  const kept = join(values.keep, name.replace(/[^\w.+-]+/g, '_').slice(0, 200));
  writeFileSync(kept, Buffer.concat(stdout.map((piece) => Buffer.from(piece))));
  writeFileSync(`${kept}.err`, stderr.join(''));
}

/** Threads that ran most in user space, by their names in output; none where the kernel was not traced. */
async function busiestThreads(path, store) {
  const { stdout, code } = await inspect(['stats', 'cpu', path, '--json', ...store]);
  if (code === 'threw' || stdout.length === 0) return [];
  const { threads } = JSON.parse(stdout.join(''));
  return threads
    .map(({ worker, states }) => ({ worker, ns: states[1] }))
    .filter(({ ns, worker }) => ns > 0 && !worker.includes('/'))
    .sort((a, b) => b.ns - a.ns || (a.worker < b.worker ? -1 : 1))
    .slice(0, THREADS)
    .map(({ worker }) => worker);
}

const golden = goldenCommands();
const examples = namesIn(join(root, 'public/examples'));
if (values.out !== undefined) writeFileSync(values.out, '');
for (const [trace, path] of traces()) {
  if (!trace.includes(values.trace)) continue;
  const store = ['--store', join(scratch, 'store')];
  // These two read it without the store.
  await record(trace, path, QUICK[0], []);
  await record(trace, path, ['stats', 'cpu', '--json', '--limit', '40'], []);
  for (const command of QUICK) await record(trace, path, command, store);
  const threads = await busiestThreads(path, store);
  if (threads.length > 0) {
    const isLarge = bytesIn(path) > LARGE_BYTES;
    const isExample = examples.includes(basename(trace));
    for (const command of isLarge ? LARGE : KERNEL) await record(trace, path, command, store);
    for (const command of isExample ? FORMS : []) await record(trace, path, command, store);
    for (const thread of threads)
      for (const command of commandsOfThread(thread, thread === threads[0] && !isLarge, isExample))
        await record(trace, path, command, store);
  }
  for (const { command } of golden.filter((each) => each.trace === trace))
    await record(trace, path, command, store);
  // The store may still be writing the time of a visit, in this process.
  await rm(join(scratch, 'store'), { recursive: true, force: true, maxRetries: 5 });
  if (values.out !== undefined) writeFileSync(values.out, textOfLines());
}
await rm(scratch, { recursive: true, maxRetries: 5 });
console.log(`${lines.size} answers`);
for (const [kind, ms] of [...spent].sort((a, b) => b[1] - a[1]))
  console.log(`  ${(ms / 1000).toFixed(1)} s ${kind}`);
if (values.against !== undefined) process.exitCode = compare(readFileSync(values.against, 'utf8'));

function textOfLines() {
  return `${[...lines.values()].join('\n')}\n`;
}

/** @returns the exit code */
function compare(text) {
  const nameOf = (line) => line.split(' ').slice(3).join(' ');
  const others = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => [nameOf(line), line]),
  );
  const named = [...new Set([...lines.keys(), ...others.keys()])].filter(isWanted);
  const different = named.filter((name) => lines.get(name) !== others.get(name));
  for (const name of different) {
    const [mine, other] = [lines.get(name), others.get(name)].map((line) => line?.split(' '));
    const what = ['stdout', 'exit', 'stderr'].filter((_, i) => mine?.[i] !== other?.[i]).join(', ');
    console.log(
      mine === undefined ? `gone: ${name}` : other === undefined ? `new: ${name}` : `${what}: ${name}`,
    );
  }
  console.log(`${different.length} of ${named.length} differ`);
  return different.length > 0 ? 1 : 0;
}
