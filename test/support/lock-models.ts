/** The models of locks of a trace's hosts, read as `inspect locks` reads them. */
import { parseCommandLine } from '../../src/cli/options.ts';
import { readLocks } from '../../src/cli/read-layers.ts';
import { openTraceSession } from '../../src/cli/trace-session.ts';
import type { LockModel } from '../../src/engine/locks/model/lock-model.ts';

/** @param path of a folder that can be opened */
export async function lockModelsOf(path: string): Promise<LockModel[]> {
  const { options } = parseCommandLine(['locks', path], 0);
  const { session } = await openTraceSession([path], options);
  if (session === undefined) throw new Error(`${path} cannot be opened`);
  const info = (await readLocks(session, options)).info('lock');
  return (info?.hosts ?? []).map(({ tables }) => tables.model);
}
