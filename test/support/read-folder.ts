/** The canonical summary of everything at and below a folder, read by the engine as the command line does. */
import type { Fault } from '../../src/engine/base/fault.ts';
import { collectFiles } from '../../src/cli/collect-files.ts';
import type { DecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { summariseTraces, type CanonicalTrace } from '../../src/engine/export/canonical-streams.ts';
import type { Reading } from '../../src/engine/export/conform.ts';
import type { ByteSource } from '../../src/engine/io/byte-source.ts';
import { openNodeSource } from '../../src/engine/io/node-source.ts';
import { openExperiment } from '../../src/engine/trace/open-experiment.ts';

/** Without `memory` the interpreter decodes. */
export async function readFolder(root: string, memory?: DecodeMemory): Promise<Reading> {
  const { files, faults } = await collectFiles([root]);
  const experiment = await openExperiment(files, openNodeSource);
  const sources: ByteSource[] = [];
  const traces: CanonicalTrace[] = [];
  for (const { model, streams } of experiment.traces) {
    const opened = streams.map(({ files }) =>
      Promise.all(
        files.map(async ({ source, packets }) => {
          const file = await openNodeSource(source);
          if (!file.ok) throw new Error(`${source.path} has vanished`);
          sources.push(file.value);
          return { source: file.value, packets };
        }),
      ),
    );
    traces.push({ model, streams: await Promise.all(opened) });
  }
  const summary = await summariseTraces(traces, undefined, memory);
  for (const source of sources) await source.close?.();
  const found: Fault[] = experiment.traces.flatMap((trace) => trace.faults);
  return { ...summary, faults: [...faults, ...experiment.faults, ...found, ...summary.faults] };
}
