/** Events of programs that are read as events of locks. */
import type { QueryContext } from '../context/query.ts';
import type { LockProvidersAnswer } from '../../protocol/locks.ts';
import { RECORD_LOCKS } from '../../words/recording-commands.ts';

/** undefined: the trace is still being read. */
export function lockProviders({ layers }: QueryContext): LockProvidersAnswer | undefined {
  const info = layers?.info('lock');
  if (info === undefined) return undefined;
  const { found, wanted, hasFiles, faults } = info;
  // Without files nothing will be found any more.
  if (found === undefined && hasFiles) return undefined;
  const { events = [], program = 0 } = found ?? {};
  const recordCommand = program === 0 ? RECORD_LOCKS : undefined;
  return { own: wanted?.own ?? [], events, known: program, recordCommand, hasFiles, faults };
}
