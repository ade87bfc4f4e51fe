/** `symbols PATH… [--mangled]`: the modules of processes, and what the addresses of call stacks in them are called. */
import { append } from '../../engine/base/append.ts';
import { compareCodePoints, compare } from '../../engine/base/compare.ts';
import { fileName } from '../../engine/base/file-name.ts';
import { textAt } from '../../engine/base/text-column.ts';
import { frameWords, resolveFrames } from '../../engine/layers/stacks/frame-names.ts';
import { type LoadedModule, lineOf, type StackTables } from '../../engine/layers/stacks/stack-tables.ts';
import type { Recorder } from '../../engine/protocol/session.ts';
import type { SymbolFiles } from '../../engine/symbols/symbol-files.ts';
import { print, printJson } from '../output.ts';
import { readModules } from '../read-layers.ts';
import { onTrace } from '../trace-session.ts';
import { printTable } from './table.ts';
import type { Command } from '../options.ts';

/** Process, base, bytes, path, build id, whether its file is there. */
type ModuleLine = [number, string, number, string, string | null, boolean];
/** Process, address, whether it is a return address, name of its module, offset in it, function, file, line. */
type FrameLine = [
  ...[number, string, boolean, string | null, string | null],
  ...[string | null, string | null, number | null],
];

/** The last page of addresses: no memory is ever there, as calls return errors in it. */
const ERRORS = 2n ** 64n - 4096n;

/** Process, function, file, line. */
type InterpretedLine = [number, string, string, number];

interface SymbolLines {
  readonly modules: ModuleLine[];
  readonly frames: FrameLine[];
  /** Absent: no interpreted code tells its lines. */
  interpreted?: InterpretedLine[];
}

export const symbols: Command = (paths, options) =>
  onTrace(paths, options, async (session) => {
    const layers = await readModules(session);
    const { symbolFiles } = session.trace;
    const found = layers.info('stack');
    const lines: SymbolLines = { modules: [], frames: [] };
    for (const { index, recorder } of session.hosts) {
      const host = found?.hosts.find((other) => other.index === index);
      if (host === undefined) continue;
      const { modules, frames } = await linesOf(host.tables, symbolFiles, options.mangled, recorder);
      append(lines.modules, modules);
      append(lines.frames, frames);
      const interpreted = interpretedLines(host.tables);
      if (interpreted.length > 0) append((lines.interpreted ??= []), interpreted);
    }
    if (options.json) printJson(lines);
    else printLines(lines);
    return [...(found?.faults ?? []), ...symbolFiles.faults];
  });

/** Modules of a host by process, base and path, and its frames by process and address. */
async function linesOf(
  tables: StackTables,
  files: SymbolFiles,
  isMangled: boolean,
  recorder: Recorder,
): Promise<SymbolLines> {
  const { frames, modules } = tables;
  const { offsets, symbols: found, isFound } = await resolveFrames(tables, files, isMangled);
  const processes = tellingProcesses(tables, recorder);
  // Others are call sites.
  const inStacks = new Set(tables.tree.frame);
  const ordered = modules
    .map((module, row) => ({ module, isFound: isFound[row] }))
    .filter(({ module }) => processes.has(module.process));
  ordered.sort(({ module: a }, { module: b }) => byProcess(a, b));
  const rows = Array.from({ length: frames.length }, (_, row) => ({ row, address: addressOf(frames, row) }))
    .filter(({ row }) => inStacks.has(row))
    // Of others nothing is known, nor of frames that have a name instead of an address.
    .filter(({ row }) => frames.name[row] < 0 && processes.has(frames.process[row]))
    .filter(({ address }) => address < ERRORS)
    .sort(
      (a, b) =>
        frames.process[a.row] - frames.process[b.row] ||
        compare(a.address, b.address) ||
        frames.isReturn[a.row] - frames.isReturn[b.row],
    );
  return {
    modules: ordered.map(({ module: { process, base, size, path, buildId = null }, isFound: isThere }) => {
      return [process, hexadecimal(base), size, path, buildId, isThere];
    }),
    frames: distinct(
      rows.map(({ row, address }): FrameLine => {
        const module = frames.module[row] < 0 ? undefined : modules[frames.module[row]];
        const { function: name = null, file = null, line = null } = found[row] ?? {};
        return [
          ...([frames.process[row], hexadecimal(address), frames.isReturn[row] === 1] as const),
          ...([module ? fileName(module.path) : null, module ? hexadecimal(offsets[row]) : null] as const),
          ...([name, file, line] as const),
        ];
      }),
    ),
  };
}

/** Frames of interpreted code by process, file, line and function. */
function interpretedLines(tables: StackTables): InterpretedLine[] {
  const { frames, names } = tables;
  const found = Array.from({ length: frames.length }, (_, row): InterpretedLine[] => {
    const place = lineOf(tables, row);
    return place === undefined
      ? []
      : [[frames.process[row], frameWords(textAt(names, frames.name[row])), place.file, place.line]];
  }).flat();
  return distinct(found).sort(
    (a, b) => a[0] - b[0] || compareCodePoints(a[2], b[2]) || a[3] - b[3] || compareCodePoints(a[1], b[1]),
  );
}

/** Processes of which is known what they had loaded, or that were forked from one of them. */
function tellingProcesses({ modules, memories }: StackTables, recorder: Recorder): ReadonlySet<number> {
  // Calls that map files tell less than a program does itself; perf records all mappings of code.
  const tells = ({ mapping }: LoadedModule): boolean => recorder === 'perf' || mapping === undefined;
  const complete = new Set(modules.filter(tells).map(({ memory }) => memory));
  const processes = new Set<number>();
  for (const [row, { process, parent }] of memories.entries()) {
    // A copy stands behind what it is a copy of.
    if (complete.has(parent)) complete.add(row);
    if (complete.has(row)) processes.add(process);
  }
  return processes;
}

/** A module that is loaded again at its place has the same frames. */
function distinct<Line extends readonly unknown[]>(lines: readonly Line[]): Line[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()];
}

function byProcess(a: LoadedModule, b: LoadedModule): number {
  return a.process - b.process || compare(a.base, b.base) || compare(a.path, b.path);
}

function addressOf({ high, low }: StackTables['frames'], row: number): bigint {
  return (BigInt(high[row]) << 32n) | BigInt(low[row]);
}

function hexadecimal(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

function printLines({ modules, frames, interpreted }: SymbolLines): void {
  printTable(
    ['process', 'base', 'bytes', 'file', 'build id', 'path'],
    modules.map(([process, base, size, path, buildId, isFound]) => {
      return [process, base, size, isFound ? 'found' : 'missing', buildId ?? '?', path];
    }),
  );
  print();
  printTable(
    ['process', 'address', 'in module', 'line', 'function'],
    frames.map(([process, address, , module, offset, name, file, line]) => [
      ...[process, address, module === null ? '?' : `${module}+${offset}`],
      ...[file === null ? '?' : `${file}:${line}`, name ?? '?'],
    ]),
  );
  if (interpreted === undefined) return;
  print();
  printTable(
    ['process', 'line', 'function'],
    interpreted.map(([process, name, file, line]) => [process, `${file}:${line}`, name]),
  );
}
