/** Vite plugin: the build fails where `examples/examples.json` does not say of an example what its files are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectFiles } from '../src/cli/collect-files.ts';
import { unpackFiles } from '../src/engine/importers/unpack-files.ts';
import { openNodeSource } from '../src/engine/io/node-source.ts';
import { nodeTempFiles } from '../src/engine/io/node-temp-files.ts';
import { experimentFingerprint } from '../src/engine/trace/fingerprint.ts';
import { openExperiment } from '../src/engine/trace/open-experiment.ts';

/** @returns {import('vite').Plugin} */
export function examples() {
  let folder = '';
  return {
    name: 'wakepath-examples',
    apply: 'build',
    configResolved: ({ publicDir }) => void (folder = join(publicDir, 'examples')),
    buildStart: () => checkExamples(folder),
  };
}

/**
 * Compares every entry of `examples.json` with the files of its folder.
 * @param {string} folder
 */
export async function checkExamples(folder) {
  for (const { name, ...said } of JSON.parse(readFileSync(join(folder, 'examples.json'), 'utf8'))) {
    const is = await entryOf(join(folder, name));
    for (const [field, value] of Object.entries(is)) {
      if (String(said[field]) === String(value)) continue;
      const shown = JSON.stringify(value);
      throw new Error(
        `examples/examples.json, "${name}": by its files "${field}" is ${shown}, not ${JSON.stringify(said[field])}`,
      );
    }
  }
}

/**
 * The part of an entry that follows from the files.
 * @param {string} folder of one example
 */
async function entryOf(folder) {
  const found = (await collectFiles([folder])).files.filter(({ path }) => !path.endsWith('/ABOUT.md'));
  const unpacked = await unpackFiles(found, { open: openNodeSource, tempFiles: nodeTempFiles() });
  const experiment = await openExperiment(unpacked.files, openNodeSource);
  return {
    files: found.map(({ path }) => path.slice(path.indexOf('/') + 1)).sort(),
    bytes: found.reduce((sum, { size }) => sum + size, 0),
    trace: experimentFingerprint(experiment),
  };
}
