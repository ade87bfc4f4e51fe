/** Labels of threads, by which every sentence and table shows them: a name that several threads have has its tid. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';
import { threadKey } from '../../linux/states/reduce/thread-table.ts';

/** Names that more than one thread has. */
export type SharedNames = ReadonlySet<string>;

/** Names of the threads of a host, with whether several of its threads have it. */
const namesOf = cachedByKey(({ length, name, idleCpu }: ThreadRows) => {
  const seen = new Map<string, boolean>();
  for (let i = 0; i < length; i++) if (idleCpu[i] < 0) seen.set(name[i], seen.has(name[i]));
  return seen;
});

/**
 * Names that several threads of these hosts have; each life of a tid is a thread, tasks of idle CPUs are none.
 * @param others names of threads that no table has
 */
export function sharedNames(
  hosts: readonly { readonly tables?: { readonly threads: ThreadRows } }[],
  others: readonly string[] = [],
): SharedNames {
  const seen = new Set<string>();
  const shared = new Set<string>();
  const add = (name: string, isShared: boolean): void => {
    if (isShared || seen.has(name)) shared.add(name);
    seen.add(name);
  };
  for (const { tables } of hosts)
    if (tables !== undefined) namesOf(tables.threads).forEach((is, name) => add(name, is));
  for (const name of others) add(name, false);
  return shared;
}

/** "fight-2"; "apache2 (1234)", "sh (1234#2)" where several threads are called so; "thread 1234" of one without a name. */
export function threadLabel(shared: SharedNames, name: string, key: string): string {
  if (name === '') return `thread ${key}`;
  return shared.has(name) ? `${name} (${key})` : name;
}

/** Label of a row of a host's table. */
export function labelOfRow(shared: SharedNames, threads: ThreadRows, row: number): string {
  return threadLabel(shared, threads.name[row], threadKey(threads, row));
}
