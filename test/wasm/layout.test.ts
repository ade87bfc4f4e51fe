/** Kernels take columns and constants from the engine's files: what changes there either works or fails to compile. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { moduleText } from '../../scripts/wasm-layout.mjs';
import { compileKernel, kernelSources } from '../../scripts/wasm-plugin.mjs';
import type { EmitRun } from '../../src/engine/analysis/merge-runs.ts';
import type { Reducer, TransitionChunk } from '../../src/engine/analysis/contract.ts';
import { f64, i32, type TableForm, u8 } from '../../src/engine/base/tables.ts';
import type { StateChunk } from '../../src/engine/linux/states/map/transitions.ts';
import { DEEP } from '../support/tier.ts';

const THREADS = 'engine/linux/states/reduce/thread-table';

afterEach(() => {
  vi.doUnmock('wasm:reduce');
  vi.resetModules();
});

describe('what an engine file exports becomes', () => {
  test('a class of a form: a field for each column in its order, then the capacity', () => {
    const text = moduleText('engine/x/y', { FORM: { time: f64(), kind: u8(), list: i32(-1, 4) } });
    const [head, fields] = text.split('export class FORM');
    expect(head).toContain("from '../../wasm/columns'");
    expect([...fields.matchAll(/^ {2}(\w+): (\w+)/gm)].map(([, name, type]) => `${name} ${type}`)).toEqual([
      'time F64Column',
      'kind U8Column',
      'list I32Column',
      'capacity i32',
    ]);
  });

  test('constants of numbers, places of names, and nothing of all else', () => {
    const text = moduleText('engine/x', { A: -1, B: 2 ** 53, C: 0.5, D: ['fd', 'ret'], E: () => 0, F: 'f' });
    expect(text.split('\n').slice(1)).toEqual([
      'export const A: i32 = -1;',
      'export const B: f64 = 9007199254740992.0;',
      'export namespace D {',
      '  export const fd: i32 = 0;',
      '  export const ret: i32 = 1;',
      '  export const length: i32 = 2;',
      '}',
    ]);
  });
});

// The compiler of kernels takes seconds.
if (DEEP)
  describe('the table of threads', () => {
    test('with one more column in the middle gives the same history', async () => {
      const expected = await reduceRandomChunk();
      vi.resetModules();
      const { THREAD } = await import('../../src/engine/linux/states/reduce/thread-table.ts');
      insertColumn(THREAD, 'idleCpu', 'more', u8(7));
      const { sources } = await kernelSources('reduce', (path, exports) =>
        path === THREADS ? { ...exports, THREAD } : exports,
      );
      const wasm = await compileKernel('reduce', sources);
      vi.doMock('wasm:reduce', () => ({ default: Buffer.from(wasm).toString('base64') }));
      expect(await reduceRandomChunk()).toEqual(expected);
    });

    test('without a column that the kernel reads, or with another kind of it, does not compile', async () => {
      const changed = async (change: (form: TableForm) => TableForm) => {
        const { sources } = await kernelSources('reduce', (path, exports) =>
          path === THREADS && 'THREAD' in exports
            ? { ...exports, THREAD: change(exports.THREAD as TableForm) }
            : exports,
        );
        return compileKernel('reduce', sources);
      };
      await expect(changed(({ vcpu: _, ...others }) => others)).rejects.toThrow(/vcpu/);
      await expect(changed((form) => ({ ...form, stateAttribute: f64() }))).rejects.toThrow(/stateAttribute/);
      expect((await changed((form) => form)).length).toBeGreaterThan(0);
    });
  });

/** Puts a column behind another one. */
function insertColumn(form: TableForm, behind: string, name: string, column: TableForm[string]): void {
  const columns = Object.entries(form);
  const changing = form as Record<string, TableForm[string]>;
  for (const [own] of columns) delete changing[own];
  for (const [own, its] of columns) {
    changing[own] = its;
    if (own === behind) changing[name] = column;
  }
}

/** What the compiled reducer makes of random transitions; with the modules as they are now. */
async function reduceRandomChunk(): Promise<unknown> {
  const { createRunMerger } = await import('../../src/engine/analysis/merge-runs.ts');
  const { HistoryBuilder } = await import('../../src/engine/history/builder.ts');
  const { blocksSha256 } = await import('../support/blocks-sha256.ts');
  const { kernelState } = await import('../../src/engine/linux/states/kernel-state.ts');
  const { kernelSchemeOf } = await import('../../src/engine/linux/events/schemes.ts');
  const { HOST, randomChunkResult } = await import('../support/random-chunk-result.ts');
  const { randomOf } = await import('../support/simulator/random.ts');
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentIntervals: 700 });
  const reducer = kernelState.reducer(builder, HOST);
  expect(reducer.merge).toBeDefined();
  const run: EmitRun = (_, chunkResult, from, to) => reducer.run(chunkResult as StateChunk, from, to);
  const merge = reducer.merge as Reducer<TransitionChunk>['merge'];
  const merger = createRunMerger([{ order: 0, bounds: [0] }], run, merge);
  merger.put(0, 0, randomChunkResult(randomOf(7), 0, 3000));
  merger.drain();
  builder.openIntervals();
  const { threads } = reducer.finish(1e9);
  builder.finish(1e9);
  return { stored: await blocksSha256(builder), attributes: builder.tree.toText(), tids: [...threads.tid] };
}
