/**
 * Where test data lie. The examples are part of the project; recorded traces, corpora and goldens are in a folder
 * `shared` beside it, which a user's clone does not have: tests that need it are skipped, and counted as skipped.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEEP } from './tier.ts';

export interface TraceFolder {
  /** Path below the folder it was looked for in: `imbalance-4t/kernel`. */
  readonly name: string;
  /** Absolute path of the folder that holds `metadata`. */
  readonly path: string;
}

/** Why a test over the shared data is skipped. */
export const WITHOUT_SHARED = 'the folder ../shared with recorded traces is not there';

export function projectDir(): string {
  return resolve(dirname(fileURLToPath(import.meta.url)), '../..');
}

/** Absolute path of `../shared`, or undefined in a clone without it. */
export function sharedDir(project = projectDir()): string | undefined {
  const folder = resolve(project, '../shared');
  return existsSync(join(folder, 'traces')) ? folder : undefined;
}

/** Path of a file of the shared folder, for tests that are skipped without it. */
export function sharedPath(...parts: readonly string[]): string {
  return join(sharedDir() ?? '', ...parts);
}

/** Absolute path of the goldens of a kind, by the newer rules where the shared folder has them beside the former ones. */
export function goldenFolder(kind: 'states' | 'locks' | 'executions', shared: string): string {
  const newer = join(shared, 'golden/next', kind);
  return existsSync(newer) ? newer : join(shared, 'golden', kind);
}

/** Every folder with a `metadata` file at or below `folder`, in order of name. */
export function traceFolders(folder: string): TraceFolder[] {
  const found: TraceFolder[] = [];
  const visit = (path: string): void => {
    const entries = readdirSync(path).sort();
    if (entries.includes('metadata')) found.push({ name: relative(folder, path), path });
    for (const entry of entries) {
      const below = join(path, entry);
      if (statSync(below).isDirectory()) visit(below);
    }
  };
  visit(folder);
  return found;
}

/** The traces below 700 kB: of those that were recorded, and of those of the corpora that have goldens of states. */
const SMALL =
  /^(per-pid-ust|lost-events|deadlock-timeout|imbalance-4t|picotrace|tc-flipping-endianness|bt-lttng-tracefile-rotation)(\/|$)/;

/** Whether a trace of the shared folder is of this tier, by its name: `imbalance-4t/kernel`. The fast one has small ones. */
export function isOfTier(name: string): boolean {
  return DEEP || SMALL.test(name);
}

/** The recorded traces of this tier, kernel and user space; none in a clone without the shared folder. */
export function recordedTraces(): TraceFolder[] {
  const shared = sharedDir();
  if (shared === undefined) return [];
  return traceFolders(join(shared, 'traces')).filter(({ name }) => isOfTier(name));
}

/** The traces that come with the project. */
export function exampleTraces(): TraceFolder[] {
  return traceFolders(join(projectDir(), 'public/examples'));
}

/** The traces of the cases (`fixtures/cases`), a few events each; of the kernel those that are no user space's. */
export function caseTraces(): TraceFolder[] {
  return traceFolders(join(projectDir(), 'test/fixtures/cases'));
}

/** Whether a trace is of the kernel, by its folder as LTTng names it. */
export function isKernelTrace(trace: TraceFolder): boolean {
  return /(^|\/)kernel$/.test(trace.name);
}
