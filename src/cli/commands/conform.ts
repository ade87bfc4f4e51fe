/** `conform DIR GOLDEN` and `conform PACK.json…`: what we read against what an independent reader found. */
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openDecodeMemory } from '../../engine/ctf/decode/wasm/decode-memory.ts';
import type { DecodeMemory } from '../../engine/ctf/decode/wasm/decode-memory.ts';
import { checkCase, compareTrace, conformGroup } from '../conformance/conform.ts';
import type { ConformGroup, GoldenCase, GoldenTrace } from '../conformance/conform.ts';
import { EXIT_FAILED, EXIT_FINE } from '../messages.ts';
import { UsageError } from '../options.ts';
import { print, printJson } from '../output.ts';
import type { Command } from './command.ts';
import { summarisePaths } from './canonical.ts';

interface PackedCase extends GoldenCase {
  readonly metadata_gzip_base64?: string;
}

export const conform: Command = async (paths, { json, decoder }) => {
  const memory = openDecodeMemory(decoder);
  if (paths.length === 0)
    throw new UsageError('conform: a folder with its golden file, or packs, are missing');
  const groups: ConformGroup[] = [];
  if (await isFolder(paths[0])) {
    if (paths.length !== 2) throw new UsageError('conform: DIR GOLDEN is expected');
    groups.push(await conformFolder(paths[0], paths[1], memory));
  } else {
    for (const path of paths) groups.push(await conformPack(path, memory));
  }
  if (json) printJson({ groups });
  else groups.forEach(printGroup);
  return groups.every(({ failed }) => failed.length === 0) ? EXIT_FINE : EXIT_FAILED;
};

function printGroup({ name, passed, total, failed, deviations }: ConformGroup): void {
  const others =
    deviations.length === 0 ? '' : `, and ${deviations.length} read otherwise that are not strict`;
  print(`${name}: ${passed} of ${total}${others}`);
  for (const failure of failed) print(`  ${failure.name}: ${failure.reason}`);
}

async function conformFolder(
  folder: string,
  golden: string,
  memory: DecodeMemory | undefined,
): Promise<ConformGroup> {
  const file = await readJson(golden);
  // The recorded traces have their entries one level down.
  const entries = ('traces' in file ? file.traces : file) as Readonly<Record<string, GoldenTrace>>;
  return conformGroup(basename(folder), entries, async (expected, name) => {
    const { summary, faults } = await summarisePaths([join(folder, name)], memory);
    return compareTrace(expected, { ...summary, faults });
  });
}

async function conformPack(path: string, memory: DecodeMemory | undefined): Promise<ConformGroup> {
  const { cases } = (await readJson(path)) as { readonly cases?: Readonly<Record<string, PackedCase>> };
  if (cases === undefined) throw new UsageError(`conform: ${path} is no pack`);
  return conformGroup(basename(path, '.json'), cases, (golden) =>
    checkCase(golden, metadataOf(golden), memory),
  );
}

function metadataOf({ metadata, metadata_gzip_base64: packed }: PackedCase): Uint8Array {
  if (metadata !== undefined) return new TextEncoder().encode(metadata);
  return new Uint8Array(gunzipSync(Buffer.from(packed ?? '', 'base64')));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** @throws UsageError */
async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
