/**
 * Who runs on a CPU since its events are complete: told by the switch that follows before the next loss there. A machine
 * is run twice for it: the first run keeps a log of what was recorded, the second one knows what follows from it.
 */
import type { Cpu, Thread } from './machine.ts';

/** What is known of the thread that runs on a CPU when its events become complete. */
export interface KnownStart {
  /** Name that the switch tells. */
  readonly name: string;
  /** Its mode until its first system call event, or its switch-out. */
  readonly inKernel: boolean;
  /** It is in a call that goes on behind its switch-out. */
  readonly pending: boolean;
}

interface Entry {
  readonly kind: 'begin' | 'loss' | 'loss-end' | 'switch' | 'entry' | 'exit';
  readonly time: number;
  readonly cpu: Cpu;
  /** Of a switch: who leaves and who comes, and whether the low byte of prev_state is not 0. */
  readonly prev?: Thread;
  readonly next?: Thread;
  readonly leavesBlocked?: boolean;
  readonly name?: string;
}

/** What was recorded, and lost. */
export class RecordedLog {
  readonly #entries: Entry[] = [];

  add(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** By `startKey`. */
  starts(): Map<string, KnownStart> {
    const found = new Map<string, KnownStart>();
    // Losses are told late: stable, so that within a CPU what was recorded comes first.
    const all = [...this.#entries].sort((a, b) => a.time - b.time || a.cpu.index - b.cpu.index);
    for (const cpu of new Set(all.map((entry) => entry.cpu))) {
      let begin: number | undefined;
      let lostUntil = -Infinity;
      let call: Entry['kind'] | undefined;
      let done = false;
      for (const [i, entry] of all.entries()) {
        if (entry.cpu !== cpu) continue;
        if (entry.kind === 'begin') begin = Math.max(entry.time, lostUntil);
        else if (entry.kind === 'loss') [call, done] = [undefined, false];
        else if (entry.kind === 'loss-end') {
          lostUntil = entry.time;
          if (begin !== undefined) begin = Math.max(begin, entry.time);
        } else if (done || begin === undefined || entry.time < begin) continue;
        else if (entry.kind === 'switch') {
          done = true;
          if (entry.time > begin) found.set(startKey(cpu, begin), startOf(all, i, entry, call));
        } else call ??= entry.kind;
      }
    }
    return found;
  }
}

export function startKey({ index }: Cpu, time: number): string {
  return `${index} ${time}`;
}

function startOf(
  all: readonly Entry[],
  i: number,
  entry: Entry,
  call: Entry['kind'] | undefined,
): KnownStart {
  const { name = '' } = entry;
  if (call !== undefined) return { name, inKernel: call === 'exit', pending: call === 'exit' };
  const pending = nextCall(all, i, entry.prev) === 'exit';
  return { name, inKernel: pending || entry.leavesBlocked === true, pending };
}

/** The first system call event of a thread behind entry `i`, if nothing is lost before it. */
function nextCall(all: readonly Entry[], i: number, thread: Thread | undefined): Entry['kind'] | undefined {
  const current = new Map<Cpu, Thread | undefined>();
  for (const { kind, cpu, next } of all.slice(i)) {
    if (kind === 'loss') return undefined;
    if (kind === 'switch') current.set(cpu, next);
    else if ((kind === 'entry' || kind === 'exit') && current.get(cpu) === thread) return kind;
  }
  return undefined;
}
