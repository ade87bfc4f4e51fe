/** Locks of a trace, read as `inspect locks` reads them. */
import { parseCommandLine } from '../../src/cli/options.ts';
import { readLocks } from '../../src/cli/read-layers.ts';
import { openTraceSession } from '../../src/cli/trace-session.ts';
import type { LockModel } from '../../src/engine/layers/locks/model/lock-model.ts';
import type { QueryContext } from '../../src/engine/answers/context/query.ts';

/**
 * What questions about the locks are asked of.
 * @param path of a folder that can be opened
 */
export async function lockContext(path: string): Promise<QueryContext> {
  const { options } = parseCommandLine(['locks', path], 0);
  const { session } = await openTraceSession([path], options);
  if (session === undefined) throw new Error(`${path} cannot be opened`);
  return { trace: session.trace, layers: await readLocks(session) };
}

/** The models of the hosts. */
export async function lockModelsOf(path: string): Promise<LockModel[]> {
  const { layers } = await lockContext(path);
  return (layers?.info('lock')?.hosts ?? []).map(({ tables }) => tables.model);
}
