/** Analysis of the threads of a host in nested pid namespaces: an aggregate of few facts (`facts.ts`). */
import type { Analysis, ProjectionPlan } from '../../analysis/contract.ts';
import { readAlone } from '../../analysis/read-packets.ts';
import { groupBy } from '../../base/group-by.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { CONTEXT_FIELDS, FactReader, NAMESPACE_KINDS, tellsContexts } from './fact-reader.ts';
import { mergeFacts, type NamespaceFacts } from './facts.ts';

/** Facts in order of host. */
export type NamespaceChunk = readonly (NamespaceFacts & { readonly host: number })[];

export const namespaces: Analysis<NamespaceChunk, NamespaceChunk> = {
  id: 'namespaces',
  version: 1,
  reads: { kinds: NAMESPACE_KINDS, contexts: { fields: CONTEXT_FIELDS, of: tellsContexts } },
  map: (batch) => readAlone(readerOf(batch.plan), batch),
  reader: (plan) => readerOf(plan),
  merge: mergeLeaves,
  empty: [],
  finish: (leaf) => leaf,
};

const readerOf = cachedByKey((plan: ProjectionPlan) => new FactReader(plan));

function mergeLeaves(leaves: readonly NamespaceChunk[]): NamespaceChunk {
  const hosts = groupBy(leaves.flat(), ({ host }) => host);
  return Array.from(hosts, ([host, parts]) =>
    parts.length === 1 ? parts[0] : { host, ...mergeFacts(parts) },
  ).sort((a, b) => a.host - b.host);
}
