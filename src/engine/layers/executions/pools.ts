/** Thread pools: threads of one process whose names differ only in their last digits. Rankings use one name for all of them. */
import { addTo, groupBy } from '../../base/group-by.ts';
import { STATE_KERNEL } from '../../linux/events/values.ts';
import type { ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';
import { frameWords } from '../stacks/frame-names.ts';

/** Pools by name of a thread, as in frames. */
export type Pools = ReadonlyMap<string, ThreadPool>;

/** `helper-*`: a star replaces digits at the end of a name. */
export interface ThreadPool {
  readonly name: string;
  /** Number of its threads in the recording. */
  readonly threads: number;
}

type NamedThreads = Pick<ThreadRows, 'length' | 'name' | 'mode' | 'pid' | 'idleCpu'>;

/** Pools of hosts (Decisions on executions, pools); kernel threads count as one process. @param prefix of far threads */
export function poolsOf(
  hosts: readonly { readonly threads: NamedThreads; readonly prefix: string }[],
): Map<string, ThreadPool> {
  const members = new Map<string, string[]>();
  for (const { threads, prefix } of hosts) {
    for (const group of numberedThreads(threads)) {
      if (new Set(group.map(({ words }) => words)).size < 2) continue;
      for (const before of new Set(['', prefix]))
        for (const { stem, words } of group) addTo(members, `${before}${stem}*`, before + words);
    }
  }
  return new Map(
    [...members].flatMap(([name, all]) => {
      const pool = { name, threads: all.length };
      return all.map((member) => [member, pool] as const);
    }),
  );
}

/** Threads whose names end in digits, by process and the part before the digits. */
function numberedThreads({ length, name, mode, pid, idleCpu }: NamedThreads) {
  const all = Array.from({ length }, (_, row) => {
    const words = frameWords(name[row]);
    const process = mode[row] === STATE_KERNEL ? 'kernel' : pid[row];
    return { words, stem: words.replace(/[0-9]+$/, ''), process, isIdle: idleCpu[row] >= 0 };
  });
  const numbered = all.filter(
    ({ words, stem, process, isIdle }) => stem !== '' && stem !== words && process !== -1 && !isIdle,
  );
  return groupBy(numbered, ({ process, stem }) => `${process} ${stem}`).values();
}
