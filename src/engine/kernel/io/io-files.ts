/** What file descriptors mean over time (spec 03 section 2): a table per process, changed by calls, forks and dumps. */
import type { IoCall } from './io-calls-joined.ts';
import { closesOnExec, copiesDescriptor, roleOf } from './io-calls.ts';
import * as io from './io-leaf.ts';

interface OpenFile {
  readonly path: string;
  readonly closesOnExec: boolean;
}

/** A fact of a part, with its text. */
export interface IoFact {
  readonly time: number;
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly wide: number;
  readonly text: string | undefined;
}

export interface FileTables {
  /** Process of a thread; its own tid while nothing else is known. */
  processOf(tid: number): number;
  /** Path of a descriptor now, undefined when not known. */
  pathOf(tid: number, fd: number): string | undefined;
  applyFact(fact: IoFact): void;
  /** The effect of a call that ended. */
  applyCall(call: IoCall): void;
}

/** `facts`: all of the host; which table of files (by address) is of which process may be told after its files. */
export function createFileTables(facts: readonly IoFact[]): FileTables {
  const pidOfTid = new Map<number, number>();
  const pidOfFiles = new Map<number, number>();
  const tables = new Map<number, Map<number, OpenFile>>();
  for (const { kind, a: tid, b: pid, wide: files } of facts) {
    if (kind === io.FACT_PROCESS && files !== 0 && !pidOfFiles.has(files))
      pidOfFiles.set(files, pid < 0 ? tid : pid);
  }

  const processOf = (tid: number) => pidOfTid.get(tid) ?? tid;
  const tableOf = (pid: number): Map<number, OpenFile> => {
    const table = tables.get(pid) ?? new Map<number, OpenFile>();
    tables.set(pid, table);
    return table;
  };

  function applyFact({ kind, a, b, c, wide, text }: IoFact): void {
    if (kind === io.FACT_PROCESS && b >= 0) {
      pidOfTid.set(a, b);
    } else if (kind === io.FACT_FORK && b >= 0) {
      pidOfTid.set(a, b);
      // Threads of one process share its table; whether a process does (CLONE_FILES) is not told: assume not.
      if (b !== c) tables.set(b, new Map(tableOf(c)));
    } else if (kind === io.FACT_FILE && text !== undefined) {
      const pid = wide === 0 ? a : pidOfFiles.get(wide);
      if (pid !== undefined && pid >= 0) tableOf(pid).set(b, { path: text, closesOnExec: false });
    }
  }

  function applyCall({ tid, call, fd, flags, path, ret }: IoCall): void {
    if (tid < 0 || !(ret >= 0)) return;
    const table = tableOf(processOf(tid));
    switch (roleOf(call)) {
      case 'open':
        table.set(ret, { path: path ?? 'unknown', closesOnExec: closesOnExec(flags) });
        break;
      case 'socket':
        table.set(ret, { path: 'socket', closesOnExec: false });
        break;
      case 'fcntl':
        if (!copiesDescriptor(flags)) break;
        copy(table, fd, ret);
        break;
      case 'copy':
        copy(table, fd, ret);
        break;
      case 'close':
        table.delete(fd);
        break;
      case 'exec':
        for (const [open, file] of table) if (file.closesOnExec) table.delete(open);
        break;
    }
  }

  return { processOf, pathOf: (tid, fd) => tables.get(processOf(tid))?.get(fd)?.path, applyFact, applyCall };
}

function copy(table: Map<number, OpenFile>, from: number, to: number): void {
  const file = table.get(from);
  if (file !== undefined) table.set(to, { ...file, closesOnExec: false });
}
