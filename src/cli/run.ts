/** `inspect COMMAND …` (docs/inspect.md): chooses the command. Output goes to stdout and stderr; returns the exit code. */
import { availableParallelism } from 'node:os';
import { criticalPath } from './commands/critical-path.ts';
import { events } from './commands/events.ts';
import { executions } from './commands/executions.ts';
import { exportFile } from './commands/export.ts';
import { info } from './commands/info.ts';
import { locks } from './commands/locks.ts';
import { overlays } from './commands/overlays.ts';
import { profile } from './commands/profile.ts';
import { states } from './commands/states.ts';
import { STATS, stats } from './commands/stats.ts';
import { summary } from './commands/summary.ts';
import { symbols } from './commands/symbols.ts';
import { sync } from './commands/sync.ts';
import { EXIT_REFUSED, reportFaults } from './messages.ts';
import { parseCommandLine, UsageError } from './options.ts';
import { FaultError, print, printError, writeCanonical } from './output.ts';
import { openDecodeMemory } from '../engine/ctf/decode/wasm/decode-memory.ts';
import { summarisePaths } from './experiment.ts';
import type { Command } from './commands/command.ts';

const canonical: Command = async (paths, options) => {
  const { summary, faults } = await summarisePaths(
    paths,
    openDecodeMemory(options.decoder),
    options.sha256 ? undefined : writeCanonical,
  );
  if (options.sha256) print(`${summary.sha256}  ${summary.events}`);
  return reportFaults(faults, options.strict);
};

const COMMANDS: Readonly<Record<string, { readonly run: Command; readonly usage: string }>> = {
  summary: { run: summary, usage: 'summary PATH…                   what stands out, most severe first' },
  info: { run: info, usage: 'info PATH…                      traces, hosts, clocks, events, losses' },
  canonical: {
    run: canonical,
    usage: 'canonical PATH… [--sha256]      canonical form of every event, or its digest',
  },
  events: {
    run: events,
    usage: 'events PATH… [--filter EXPR]    events in order of time; --limit',
  },
  states: {
    run: states,
    usage: 'states PATH… [--thread TID]     state intervals of threads; --check: the invariants',
  },
  stats: {
    run: stats,
    usage: `stats KIND PATH…                  ${kinds()}; --each, --per-prio, --tid, --name, --cpu, --min, --max, --minsize, --maxsize, --limit`,
  },
  'critical-path': {
    run: criticalPath,
    usage: 'critical-path PATH… --thread TID   what a thread waited for; --criterion, --by, --folded',
  },
  profile: {
    run: profile,
    usage:
      'profile PATH… --thread TID      frames of a thread by time; --path: of what it waited for, too; --inline',
  },
  sync: { run: sync, usage: 'sync PATH…                      clocks of hosts by their packets' },
  overlays: {
    run: overlays,
    usage: 'overlays PATH…                  spans between two events; --begin, --end, --key',
  },
  locks: {
    run: locks,
    usage: 'locks PATH…                     who waited for which lock, for whom, and who held it',
  },
  executions: {
    run: executions,
    usage:
      'executions PATH…                what explains slow ones; --begin, --end, --key, --slow auto, --against, --database',
  },
  export: {
    run: exportFile,
    usage: 'export PATH… --output FILE      what is known as a file for others; --what, --format',
  },
  symbols: {
    run: symbols,
    usage: 'symbols PATH…                   modules of processes, functions and lines of frames; --mangled',
  },
};

const COMMON = `Common options:
  --workers N         decode workers; 0: none, in this thread
  --chunk-bytes N     target size of a chunk
  --decoder wasm|ts   generated code (where there is WebAssembly) or the interpreter; default wasm
  --range FROM..TO    ns since the first event, 19 digits: since 1970; HH:MM:SS.nnnnnnnnn; +1.5s
  --host NAME         only this host
  --offset HOST=NS    add to a host's own clock, instead of what packets tell
  --guest HOST=OTHER:PID  a host is the virtual machine that process PID of another host is, or none
  --json              for programs
  --timing            time per stage, on stderr
  --strict            exit 1 on warnings
  --store DIR         keep results in a folder

Exit: 0 fine, 1 warnings under --strict, 2 refused, 3 a check failed`;

export async function runInspect(args: readonly string[]): Promise<number> {
  try {
    const { command, operands, options } = parseCommandLine(args, availableParallelism());
    if (command === 'help') {
      for (const line of usage()) print(line);
      return 0;
    }
    const known = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
    if (known === undefined) throw new UsageError(`there is no command "${command}"`);
    return await known.run(operands, options);
  } catch (error) {
    if (error instanceof FaultError) return reportFaults([error.fault], false);
    if (!(error instanceof UsageError)) throw error;
    for (const line of [`inspect: ${error.message}`, '', ...usage()]) printError(line);
    return EXIT_REFUSED;
  }
}

/** Names of the statistics, as a list in words. */
function kinds(): string {
  return `${STATS.slice(0, -1).join(', ')} or ${STATS.at(-1)}`;
}

/** Lines of the help text. */
function usage(): string[] {
  const commands = Object.values(COMMANDS).map((command) => `  ${command.usage}`);
  return ['Usage: inspect COMMAND', '', ...commands, '', ...COMMON.split('\n')];
}
