/** Threads of a host in nested pid namespaces, as far as its trace was read. */
import type { ChunkResults } from '../../analysis/chunk-results.ts';
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { noFacts } from '../../linux/namespaces/facts.ts';
import { NamespaceThreads } from '../../linux/namespaces/namespace-threads.ts';
import { type NamespaceChunk, namespaces } from '../../linux/namespaces/namespaces.ts';

const NONE = new NamespaceThreads(noFacts());
const threadsOf = cachedByKey((facts: NamespaceChunk[number]) => new NamespaceThreads(facts));

/** @param chunkResults contains those of `namespaces` */
export function namespacesOfHost(chunkResults: ChunkResults, host: number): NamespaceThreads {
  const chunkResult = chunkResults.whole(namespaces as AnyAggregate, host) as NamespaceChunk;
  return chunkResult.length === 0 ? NONE : threadsOf(chunkResult[0]);
}
