/** Parts that the statistics of `stats` have in common. */
import { print } from '../output.ts';
import type { TraceSession } from '../trace-session.ts';

/** A statistic ready to be printed. */
export interface Statistic {
  /** Object for `writeJson`. */
  readonly json: object;
  /** Prints it for people. */
  print(): void;
}

/** Says which events a statistic lacks, given by their first names. */
export function printMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  print(`not recorded: ${missing.join(', ')}`);
  print();
}

/** A host's name, where the experiment has several. */
export function hostName({ experiment, hosts }: TraceSession, host: number): { readonly host?: string } {
  return experiment.hosts.length > 1 ? { host: hosts.find(({ index }) => index === host)?.name } : {};
}

/** Text before the names of what is of a host: `NAME:` where there are several. */
export function prefixOf({ hosts }: TraceSession, host: number): string {
  return hosts.find(({ index }) => index === host)?.prefix ?? '';
}

/**
 * A thread by its name in output.
 * @param row its id as a session has it: `thread:HOST:KEY`
 */
export function workerOf(session: TraceSession, row: string): string {
  const [host, key] = [row.indexOf(':') + 1, row.lastIndexOf(':') + 1];
  // A row for all threads has no thread's id.
  return host === key ? row : prefixOf(session, Number(row.slice(host, key - 1))) + row.slice(key);
}

/** Bins of a distribution, three numbers each: the least duration, that of the next bin, and how many (`DurationSummary`). */
export function binsOf(bins: readonly number[]): number[][] {
  return Array.from({ length: bins.length / 3 }, (_, i) => bins.slice(3 * i, 3 * i + 3));
}
