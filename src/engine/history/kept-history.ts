/** A history that goes to a store while it grows, and answers meanwhile; `stored-history.ts` opens it again. */
import type { Fault } from '../base/fault.ts';
import { HistoryBuilder, type BuilderOptions } from './builder.ts';
import { outlineLevel } from './outline.ts';
import { HistoryWriter, type HistoryRecords } from './persist.ts';
import type { HistoryQuery } from './query-types.ts';
import { createQuery, type QueryOptions } from './query.ts';
import { blockLoader } from './stored-history.ts';

export interface KeptHistory {
  readonly builder: HistoryBuilder;
  readonly writer: HistoryWriter;
  readonly query: HistoryQuery;
}

export interface KeptOptions
  extends
    Pick<BuilderOptions, 'schemeOf' | 'seal' | 'keepRows'>,
    Pick<QueryOptions, 'resolve' | 'apart' | 'overrules'> {
  readonly records: HistoryRecords;
  /** Prefix of the records' names. */
  readonly prefix: string;
  /** Length to come, ns, as far as packets say; 0: they do not. */
  readonly lengthNs: number;
  /** Called with why something was not written. */
  readonly onFault: (fault: Fault) => void;
  /** Called with what was written and cannot be read back. */
  readonly onDamage: (fault: Fault) => void;
}

export function keepHistory(options: KeptOptions): KeptHistory {
  const { records, prefix, lengthNs, onFault, onDamage, resolve, apart, overrules, ...rest } = options;
  const writer = new HistoryWriter(records, { prefix, onFault });
  const builder = new HistoryBuilder({
    ...rest,
    outlineLevel: outlineLevel(lengthNs),
    onSealed: (segment) => writer.add(segment),
  });
  return {
    builder,
    writer,
    query: createQuery(builder, {
      resolve,
      apart,
      overrules,
      load: blockLoader(records, prefix),
      onFault: onDamage,
    }),
  };
}
