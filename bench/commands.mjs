/**
 * Commands of the command line, each by turns with babeltrace2 reading the same trace. Measured by GNU time, as a command's
 * threads and its start count too.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { median } from './measure.mjs';

/** Of the recorded executions. */
const EXECUTIONS = ['executions', '--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id'];

/**
 * What is run. `key`: of its figures · `text`: its name in the table · `trace`: which of the traces of the bench ·
 * `args`: the command; the paths of the trace come after its first `words` (1) · `most`: the goals, by figure.
 */
export const COMMANDS = [
  { key: 'info', text: 'info', trace: 'kernel', args: ['info'] },
  ...['counts', 'cpu', 'io', 'irq', 'syscalls', 'sched', 'memory', 'net'].map((kind) => ({
    key: kind,
    text: `stats ${kind}`,
    trace: 'kernel',
    args: ['stats', kind],
    words: 2,
    most: { ratio: 1.2, MB: 600 },
  })),
  { key: 'check', text: 'states --check', trace: 'kernel', args: ['states', '--check'] },
  { key: 'summary', text: 'summary', trace: 'kernel', args: ['summary'] },
  {
    key: 'summaryMixed',
    text: 'summary of 1.3 M events',
    trace: 'mixed',
    args: ['summary'],
    most: { wallS: 2 },
  },
  {
    key: 'summaryOfTwelve',
    text: 'summary of twelve traces together',
    trace: 'twelve',
    args: ['summary'],
    most: { wallS: 6 },
  },
  {
    key: 'parquet',
    text: 'events to Parquet',
    trace: 'kernel',
    args: exported('parquet'),
    most: { ratio: 4 },
  },
  { key: 'csv', text: 'events to CSV', trace: 'kernel', args: exported('csv'), most: { ratio: 4 } },
  { key: 'json', text: 'events to JSON', trace: 'kernel', args: exported('json'), most: { ratio: 4 } },
  {
    key: 'locks',
    text: 'locks, 3.4 M events',
    trace: 'locks',
    args: ['locks'],
    most: { ratio: 1.2 },
  },
  {
    key: 'executions',
    text: 'executions, 1.3 M events',
    trace: 'executions',
    args: EXECUTIONS,
    most: { ratio: 2 },
  },
  {
    key: 'executionsSmall',
    text: 'executions of a trace of 2 MB',
    trace: 'smallExecutions',
    args: EXECUTIONS,
    most: { wallS: 1.2 },
  },
  { key: 'infoSmall', text: 'info of a small trace', trace: 'small', args: ['info'], most: { wallS: 0.3 } },
];

/** Figures of a command: after `commands.KEY.`. */
export const COMMAND_FIGURES = {
  ratio: { text: 'processor time against babeltrace2', unit: 'x' },
  wallS: { text: 'wall clock', unit: 's' },
  MB: { text: 'peak memory', unit: 'MB' },
};

function exported(format) {
  return ['export', '--what', 'events', '--format', format, '--output', '/dev/null'];
}

/**
 * @param root folder of the checkout, its command line built
 * @param traces paths of the traces by their names
 * @returns the figures of `COMMAND_FIGURES`, medians of the rounds; without a ratio where there are several paths, which
 *   babeltrace2 refuses to read together
 */
export function commandsBench(root, traces, rounds) {
  const figures = {};
  const inspect = join(root, 'build/cli/inspect.js');
  for (const { key, trace, args, words = 1 } of COMMANDS) {
    if (!(trace in traces)) continue;
    const paths = traces[trace];
    const command = [process.execPath, inspect, ...args.slice(0, words), ...paths, ...args.slice(words)];
    const turns = Array.from({ length: rounds }, () => ({
      theirs: paths.length === 1 ? measured(['babeltrace2', '-o', 'dummy', ...paths]) : undefined,
      ours: measured(command),
    }));
    const of = (get) => median(turns.map(get));
    if (paths.length === 1)
      figures[`commands.${key}.ratio`] = of(({ ours }) => ours.cpuS) / of(({ theirs }) => theirs.cpuS);
    figures[`commands.${key}.wallS`] = of(({ ours }) => ours.wallS);
    figures[`commands.${key}.MB`] = of(({ ours }) => ours.MB);
  }
  return figures;
}

/** One run of a command, its output thrown away. */
export function measured(command) {
  const { stderr, error } = spawnSync('/usr/bin/time', ['-f', '%U %S %e %M', ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  const [user, system, wallS, kB] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  if (!(kB > 0)) throw new Error(`${command.join(' ')}: ${stderr}`);
  return { cpuS: user + system, wallS, MB: (kB * 1024) / 1e6 };
}
