import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { executionsAnswer } from '../../../test/support/execution-answer.ts';
import { encodeDatabase } from '../../engine/layers/executions/database/database.ts';
import type { Stage } from '../experiment/experiment.ts';
import type { GatheredFiles } from './dropped-files.ts';
import { ExecutionFiles } from './execution-files.ts';

async function fileOf(name: string): Promise<File> {
  const answer = executionsAnswer({
    definition: { begin: 'b', end: 'e', key: [], acrossThreads: false },
    counts: { executions: 0, withoutBegin: 0, withoutEnd: 0, nested: 0 },
    ...{ metrics: [], stacks: [], executions: [] },
  });
  const file = await encodeDatabase({ trace: name, name, originNs: '0', hosts: [], answer });
  if (!file.ok) throw new Error(file.fault.code);
  return new File([file.value], name);
}

function gathered(...files: readonly File[]): GatheredFiles {
  const refs = files.map((file) => ({ kind: 'file', path: file.name, size: file.size, file }) as const);
  return { files: refs, roots: files.map(({ name }) => name), tooMany: false };
}

function page(stage: Stage) {
  const experiment = { stage: signal(stage) };
  const files = new ExecutionFiles(experiment);
  const shown = () => [files.opened.value?.name, files.against.value?.name];
  return { files, shown, stage: experiment.stage };
}

it('are shown alone where nothing is open, and compared with the trace that is opened then', async () => {
  const { files, shown, stage } = page('start');
  expect(await files.take(gathered(await fileOf('one')))).toBeUndefined();
  expect(shown()).toEqual(['one', undefined]);
  stage.value = 'opening';
  expect(shown()).toEqual([undefined, 'one']);
  stage.value = 'open';
  expect(shown()).toEqual([undefined, 'one']);
  stage.value = 'opening';
  expect(shown()).toEqual([undefined, undefined]);
});

it('two that are given together are compared: the first is what is usual', async () => {
  const { files, shown } = page('start');
  await files.take(gathered(await fileOf('a'), await fileOf('b')));
  expect(shown()).toEqual(['b', 'a']);
  files.close();
  expect(shown()).toEqual([undefined, undefined]);
});

it('are told from a trace by their first bytes, and change nothing where they are damaged', async () => {
  const { files, shown } = page('open');
  const [file, other] = [await fileOf('one'), new File(['no executions'], 'two')];
  expect(await files.areIn(gathered(file))).toBe(true);
  expect(await files.areIn(gathered(file, other))).toBe(false);
  const cut = new File([file.slice(0, 40)], 'cut');
  expect(await files.areIn(gathered(cut))).toBe(true);
  expect(await files.take(gathered(cut))).toMatchObject({ code: 'database-damaged', place: { file: 'cut' } });
  expect(shown()).toEqual([undefined, undefined]);
});
