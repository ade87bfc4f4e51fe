/** The locks of an open trace. */
import { lockLayer } from '../../locks/layer.ts';
import type { SessionLayers } from '../layers/session-layers.ts';
import type { LocksOfHosts } from '../paths/path-locks.ts';

const NO_LOCKS: LocksOfHosts = [];

/** Of each host with lock events; undefined: they have not been read yet. */
export function locksOf(layers: SessionLayers | undefined): LocksOfHosts | undefined {
  const { found, settings, hosts } = layers?.info('lock') ?? {};
  if (settings !== undefined) return hosts;
  return found !== undefined && lockLayer.first(found) === undefined ? NO_LOCKS : undefined;
}
