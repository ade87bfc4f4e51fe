/** `canonical PATH…`: the canonical form of every event, stream by stream, or its digest. */
import { openDecodeMemory } from '../../engine/ctf/decode/wasm/decode-memory.ts';
import { summarisePaths } from '../experiment.ts';
import { reportFaults } from '../messages.ts';
import { print, writeCanonical } from '../output.ts';
import type { Command } from './command.ts';

export const canonical: Command = async (paths, options) => {
  const { summary, faults } = await summarisePaths(
    paths,
    openDecodeMemory(options.decoder),
    options.sha256 ? undefined : writeCanonical,
  );
  if (options.sha256) print(`${summary.sha256}  ${summary.events}`);
  return reportFaults(faults, options.strict);
};
