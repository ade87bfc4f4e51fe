/** `inspect COMMAND …` (docs/inspect.md): chooses the command. Output goes to stdout and stderr; returns the exit code. */
import { EXIT_REFUSED, reportFaults } from './messages.ts';
import { type Command, parseCommandLine, UsageError } from './options.ts';
import { FaultError, print, printError } from './output.ts';

interface Known {
  /** Loads the command, and nothing that only others need. */
  readonly load: () => Promise<Command>;
  readonly usage: string;
  /** It is of the whole trace, whatever range is asked for. */
  readonly isWhole?: true;
}

const COMMANDS: Readonly<Record<string, Known>> = {
  summary: {
    load: async () => (await import('./commands/summary.ts')).summary,
    usage: 'summary PATH…                   what stands out, most severe first',
    isWhole: true,
  },
  info: {
    load: async () => (await import('./commands/info.ts')).info,
    usage: 'info PATH…                      traces, hosts, clocks, events, losses',
    isWhole: true,
  },
  canonical: {
    load: async () => (await import('./commands/canonical.ts')).canonical,
    usage: 'canonical PATH… [--sha256]      canonical form of every event, or its digest',
    isWhole: true,
  },
  events: {
    load: async () => (await import('./commands/events.ts')).events,
    usage: 'events PATH… [--filter EXPR]    events in order of time; --limit',
  },
  states: {
    load: async () => (await import('./commands/states.ts')).states,
    usage: 'states PATH… [--thread TID]     state intervals of threads; --check: the invariants',
  },
  stats: {
    load: async () => (await import('./commands/stats.ts')).stats,
    usage: `stats KIND PATH…                  KINDS; --each, --per-prio, --tid, --name, --cpu, --min, --max, --minsize, --maxsize, --limit`,
  },
  'critical-path': {
    load: async () => (await import('./commands/critical-path.ts')).criticalPath,
    usage: 'critical-path PATH… --thread TID   what a thread waited for; --criterion, --by, --folded',
  },
  latencies: {
    load: async () => (await import('./commands/latencies.ts')).latencies,
    usage:
      'latencies PATH…                 the longest delays and what ran meanwhile; --kind, --real-time, --thread, --above 100us',
  },
  'what-if': {
    load: async () => (await import('./commands/what-if.ts')).whatIf,
    usage: 'what-if PATH… --thread TID      what would help it; --change KIND=NAME, --factor F',
  },
  profile: {
    load: async () => (await import('./commands/profile.ts')).profile,
    usage:
      'profile PATH… --thread TID      frames of a thread by time; --path: of what it waited for, too; --inline',
  },
  sync: {
    load: async () => (await import('./commands/sync.ts')).sync,
    usage: 'sync PATH…                      clocks of hosts by their packets',
    isWhole: true,
  },
  overlays: {
    load: async () => (await import('./commands/overlays.ts')).overlays,
    usage: 'overlays PATH…                  spans between two events; --begin, --end, --key',
  },
  locks: {
    load: async () => (await import('./commands/locks.ts')).locks,
    usage: 'locks PATH…                     who waited for which lock, for whom, and who held it',
    isWhole: true,
  },
  executions: {
    load: async () => (await import('./commands/executions.ts')).executions,
    usage:
      'executions PATH…                what explains slow ones; --begin, --end, --key, --slow auto, --against, --database; --trend FILE…',
    isWhole: true,
  },
  export: {
    load: async () => (await import('./commands/export.ts')).exportFile,
    usage:
      'export PATH… --output FILE      what is known as a file for others; --what, --format; --dataset DIR, --label',
  },
  report: {
    load: async () => (await import('./commands/report.ts')).report,
    usage:
      'report PATH…                    what stands out, with pictures, for people without the trace; --fail-if',
    isWhole: true,
  },
  symbols: {
    load: async () => (await import('./commands/symbols.ts')).symbols,
    usage: 'symbols PATH…                   modules of processes, functions and lines of frames; --mangled',
    isWhole: true,
  },
};

const COMMON = `Common options:
  --workers N         decode workers; 0: none, in this thread
  --chunk-bytes N     target size of a chunk
  --decoder wasm|ts   generated code (where there is WebAssembly) or the interpreter; default wasm
  --range FROM..TO    ns since the first event, 19 digits: since 1970; HH:MM:SS.nnnnnnnnn; +1.5s
  --host NAME         only this host
  --offset HOST=NS    add to a host's own clock, instead of what packets or switches tell
  --guest HOST=OTHER:PID  a host is the virtual machine that process PID of another host is, or none
  --json              for programs
  --timing            time per stage, on stderr
  --strict            exit 1 on warnings
  --store DIR         keep results in a folder

Exit: 0 fine, 1 warnings under --strict, 2 refused, 3 a check failed, a condition of --fail-if is met`;

export async function runInspect(args: readonly string[]): Promise<number> {
  try {
    const { command, operands, options } = parseCommandLine(args);
    if (command === 'help') {
      for (const line of await usage()) print(line);
      return 0;
    }
    const known = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
    if (known === undefined) throw new UsageError(`there is no command "${command}"`);
    if (known.isWhole && options.range !== undefined)
      throw new UsageError(`${command}: it is of the whole trace, without --range`);
    return await (
      await known.load()
    )(operands, options);
  } catch (error) {
    if (error instanceof FaultError) return reportFaults([error.fault], false);
    if (!(error instanceof UsageError)) throw error;
    const command = args.find((arg) => Object.hasOwn(COMMANDS, arg));
    const help =
      command === undefined
        ? [`Commands: ${Object.keys(COMMANDS).join(', ')}`]
        : [`Usage: inspect ${await usageOf(COMMANDS[command])}`];
    for (const line of [`inspect: ${error.message}`, '', ...help, 'All options: inspect --help'])
      printError(line);
    return EXIT_REFUSED;
  }
}

/** Lines of the help text. */
async function usage(): Promise<string[]> {
  const commands = await Promise.all(Object.values(COMMANDS).map(usageOf));
  return ['Usage: inspect COMMAND', '', ...commands.map((text) => `  ${text}`), '', ...COMMON.split('\n')];
}

async function usageOf({ usage }: Known): Promise<string> {
  const { STATS } = await import('./commands/stats.ts');
  return usage.replace('KINDS', `${STATS.slice(0, -1).join(', ')} or ${STATS.at(-1)}`);
}
