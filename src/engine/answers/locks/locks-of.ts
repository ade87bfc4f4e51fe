/** The locks of an open trace. */
import { lockLayer, type LockTables } from '../../layers/locks/layer.ts';
import type { OpenLayers } from '../context/query.ts';

interface HostLocks {
  /** Index of the host. */
  readonly index: number;
  readonly tables: LockTables;
}

const NO_LOCKS: readonly HostLocks[] = [];

/** Locks of each host with lock events; undefined: they have not been read yet. */
export function locksOf(layers: OpenLayers | undefined): readonly HostLocks[] | undefined {
  const { found, settings, hosts } = layers?.info('lock') ?? {};
  if (settings !== undefined) return hosts;
  return found !== undefined && lockLayer.first(found) === undefined ? NO_LOCKS : undefined;
}
