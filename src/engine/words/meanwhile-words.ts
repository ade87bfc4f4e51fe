/** Words for what a CPU did while a thread waited for it. */
import type { Meanwhile, MeanwhilePiece } from '../protocol/statistics.ts';
import { priorityWords, threadWords } from './thread-words.ts';

/** "hog-a (tid 218), nice 0", "softirq RCU of ksoftirqd/1 (tid 21), nice 0", "idle, in idle state 1", "unknown". */
export function pieceWords({ kind, cpu, interrupt = '', thread, idleState }: MeanwhilePiece): string {
  const ran = thread && threadWords(thread.name, thread.row.split(':')[2]);
  const priority = thread?.priority === undefined ? undefined : priorityWords(thread.priority);
  switch (kind) {
    case 'thread':
    case 'softirq':
    case 'interrupt':
      return [[interrupt, ran].filter(Boolean).join(' of '), priority].filter(Boolean).join(', ');
    case 'idle':
      if (idleState === undefined) return 'idle';
      return idleState < 0 ? 'idle, out of its idle state' : `idle, in idle state ${idleState}`;
    case 'unknown':
      return cpu === undefined ? 'unknown: which CPU it was queued on' : 'unknown';
  }
}

/**
 * "woken by wk-a (tid 12) on CPU 1", and that the CPU was idle and needed an interrupt; undefined: no waker is known.
 */
export function wakerWords({ pieces, waker }: Meanwhile): string | undefined {
  if (waker === undefined) return undefined;
  const { name, row, cpu } = waker;
  const who = row === undefined ? name : threadWords(name, row.split(':')[2]);
  const [first] = pieces;
  const isRemote =
    cpu !== undefined && first?.kind === 'idle' && first.cpu !== undefined && first.cpu !== cpu;
  const remotely = isRemote ? `, which had to wake CPU ${first.cpu}` : '';
  return `woken by ${who}${cpu === undefined ? '' : ` on CPU ${cpu}`}${remotely}`;
}
