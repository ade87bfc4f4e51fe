/** What frames of recorded call stacks are, against the goldens: an independent computation by the same rules. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collectFiles } from '../../src/cli/collect-files.ts';
import { openNodeSource } from '../../src/engine/io/node-source.ts';
import { resolveFrames } from '../../src/engine/stacks/resolve-frames.ts';
import { SymbolFiles } from '../../src/engine/symbols/symbol-files.ts';
import { sharedDir } from '../support/shared.ts';

const FOLDER = join(sharedDir() ?? '', 'golden/executions');

/** Process, base, size, path, build id, whether its file is there. */
type Module = [number, string, number, string, string | null, boolean];
/** Process, address, whether it is a return address, module, offset, function, file, line. */
type Frame = [
  ...[number, string, boolean, string | null, string | null],
  ...[string | null, string | null, number | null],
];
interface Golden {
  readonly trace: string;
  readonly modules: readonly Module[];
  readonly frames: readonly Frame[];
}

function goldens(): Golden[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const { commands } = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as {
        commands: { args: string[]; output: Omit<Golden, 'trace'> }[];
      };
      return commands
        .filter(({ args }) => args[0] === 'symbols')
        .map(({ args, output }) => ({ ...output, trace: args[1] }));
    });
}

describe.skipIf(sharedDir() === undefined)('functions and lines of recorded frames', () => {
  test('there are goldens', () => {
    expect(goldens().length).toBeGreaterThan(0);
  });

  test.each(goldens())('$trace', async ({ trace, modules, frames }) => {
    const { files } = await collectFiles([join(sharedDir() ?? '', 'traces', trace)]);
    const column = (of: (frame: Frame) => number) => Int32Array.from(frames, of);
    const names = modules.map(([process, , , path]) => `${process} ${path.slice(path.lastIndexOf('/') + 1)}`);
    const resolved = await resolveFrames(
      {
        frames: {
          length: frames.length,
          process: column(([process]) => process),
          high: Uint32Array.from(frames, ([, address]) => Number(BigInt(address) >> 32n)),
          low: Uint32Array.from(frames, ([, address]) => Number(BigInt(address) & 0xffff_ffffn)),
          isReturn: Uint8Array.from(frames, ([, , isReturn]) => Number(isReturn)),
          module: column(([process, , , module]) => names.indexOf(`${process} ${module}`)),
          name: column(() => -1),
        },
        modules: modules.map(([process, base, size, path, buildId]) => {
          return {
            process,
            base: BigInt(base),
            size,
            path,
            buildId: buildId ?? undefined,
            isPic: true,
            since: 0,
          };
        }),
      },
      new SymbolFiles(files, openNodeSource),
      true,
    );
    expect(resolved.isFound).toEqual(modules.map((module) => module[5]));
    const found = frames.map(([process, address, isReturn, module], row) => {
      const { offsets, symbols } = resolved;
      const offset = Number.isNaN(offsets[row]) ? null : `0x${offsets[row].toString(16)}`;
      const { function: name = null, file = null, line = null } = symbols[row] ?? {};
      return [process, address, isReturn, module, offset, name, file, line];
    });
    expect(found).toEqual(frames);
  });
});
