/** Names of a trace's frames and locks: from files opened with it or added later, or from an earlier visit. */
import { laterCode } from '../../base/later-code.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { SourceOpener } from '../../io/byte-source.ts';
import type { LockTables } from '../../layers/locks/layer.ts';
import { lockSymbols } from '../../layers/locks/lock-names.ts';
import { frameNames } from '../../layers/stacks/frame-names.ts';
import type { StackTables } from '../../layers/stacks/stack-tables.ts';
import { type KeptModule, KeptSymbols } from '../../symbols/kept-symbols.ts';
import { type FindDebugFile, SymbolFiles } from '../../symbols/symbol-files.ts';
import { FINDING_SYMBOLS, readFinding } from '../../trace/find-traces.ts';
import type { OpenTrace, TraceSource } from '../context/open-trace.ts';

const keptTexts = laterCode(() => import('../../symbols/kept-text.ts'));

/** Name of the record with symbols that were found. */
const RECORD = 'symbols';

export function createTraceSymbols(
  { files, hosts, records }: Pick<TraceSource, 'files' | 'hosts' | 'records'>,
  open: SourceOpener,
  debugFile?: FindDebugFile,
): Pick<OpenTrace, 'symbolFiles' | 'frameNames' | 'lockSymbols' | 'addSymbols' | 'usedSymbols'> {
  const others = files?.experiment.others ?? [];
  const read = async () => {
    const [stored, given] = await Promise.all([
      records.read(RECORD),
      readFinding(others, open, FINDING_SYMBOLS),
    ]);
    const ofFinding = given === undefined ? [] : (await keptTexts()).keptModules(given);
    return new KeptSymbols([...((stored as KeptModule[] | undefined) ?? []), ...ofFinding]);
  };
  const kept = read();
  const symbolFiles = new SymbolFiles(others, open, hosts.length === 1, kept, debugFile);
  const keep = async () => {
    const modules = (await kept).list();
    // If the store refuses, symbols stay in memory.
    if (modules.length > 0) await records.write([{ name: RECORD, value: modules }]);
  };
  const look = () => ({
    ofFrames: cachedByKey(async (tables: StackTables) => {
      const names = await frameNames(tables, symbolFiles);
      await keep();
      return names;
    }),
    ofLocks: cachedByKey(async ({ model, places }: LockTables) => {
      const names = await lockSymbols([...model.locks, ...model.futexes], places, symbolFiles);
      await keep();
      return names;
    }),
  });
  let names = look();
  return {
    symbolFiles,
    usedSymbols: async () => (await kept).list(),
    frameNames: (tables) => names.ofFrames(tables),
    lockSymbols: (tables) => names.ofLocks(tables),
    async addSymbols(more) {
      const useful = await symbolFiles.add(more);
      if (useful > 0) names = look();
      return useful;
    },
  };
}
