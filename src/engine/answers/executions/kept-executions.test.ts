/** Executions that are kept with their trace, as the page asks for them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { localSession } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { ok } from '../../base/fault.ts';
import { decodeDatabase } from '../../layers/executions/database/database.ts';
import type { ExecutionDefinition } from '../../layers/executions/definition.ts';
import type { SourceRef } from '../../io/byte-source.ts';
import { MemoryStore } from '../../store/memory-store.ts';

const files = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/executions-lock')));
const REQUESTS: ExecutionDefinition = {
  begin: 'wk_req:begin',
  end: 'wk_req:end',
  key: ['id'],
  acrossThreads: false,
  where: [],
  minNs: 0,
};

/** A store in which all delimiters of executions are lost, and a file may be. */
class LossyStore extends MemoryStore {
  isFileGone = false;

  override async read(key: string, name: string): Promise<unknown> {
    const isLost = name.startsWith('executions/') || (this.isFileGone && name.startsWith('execution-files/'));
    return isLost ? undefined : super.read(key, name);
  }
}

/** A trace that is kept with its requests. */
async function kept(given = files) {
  const store = new LossyStore();
  const session = localSession({ store: ok(store) });
  const { info } = await session.open(given);
  const found = await session.api.ask('executions', { definition: REQUESTS });
  expect(found?.length).toBe(300);
  const isKept = async () => (await session.api.executionsFile(info.key, REQUESTS)) !== undefined;
  await until(isKept);
  return { store, found, key: info.key };
}

/** Opened again, with these files or without any. */
async function again(store: MemoryStore, key: string, files?: readonly SourceRef[]) {
  const session = localSession({ store: ok(store) });
  if (files === undefined) await session.reopen(key);
  else await session.open(files);
  await until(async () => (await session.api.ask('overlays', {})) !== undefined);
  const started = session.started();
  const answer = await session.api.ask('executions', { definition: REQUESTS });
  return { api: session.api, answer, hasRead: session.started() > started };
}

it('are there without the files of the trace', async () => {
  const { store, found, key } = await kept();
  const { answer, hasRead } = await again(store, key);
  expect([answer, hasRead]).toEqual([found, false]);
});

it('are read again from the files where what is kept is damaged, or functions may have other names', async () => {
  const { store, found, key } = await kept();
  expect(await again(store, key, files)).toMatchObject({ answer: found, hasRead: false });
  const library: SourceRef = { kind: 'memory', path: 'elf/lib.so', size: 4, bytes: new Uint8Array(4) };
  expect(await again(store, key, [...files, library])).toMatchObject({ answer: found, hasRead: true });
  store.isFileGone = true;
  expect(await again(store, key)).toMatchObject({ answer: undefined });
  expect(await again(store, key, files)).toMatchObject({ answer: found, hasRead: true });
});

it('have the names of functions that come with a program later', async () => {
  const isProgram = ({ path }: SourceRef) => path.endsWith('/elf/wk-server');
  const { store, key } = await kept(files.filter((file) => !isProgram(file)));
  const visit = await again(store, key);
  expect(visit.answer?.tree.frames).not.toContain('cache_lookup');
  const { api } = localSession({ store: ok(store) });
  await api.open(
    files.filter((file) => !isProgram(file)),
    {},
    () => undefined,
  );
  expect(await api.addSymbols(files.filter(isProgram))).toBe(1);
  const named = await api.ask('executions', { definition: REQUESTS });
  expect(named?.tree.frames).toContain('cache_lookup');
});

it('are named for comparisons with other traces, and go with their trace', async () => {
  const { store, found, key } = await kept();
  const { api } = localSession({ store: ok(store) });
  expect(await api.keptExecutions(REQUESTS)).toMatchObject([{ key }]);
  expect(await api.keptExecutions({ ...REQUESTS, minNs: 5 })).toEqual([]);
  const file = await api.executionsFile(key, REQUESTS);
  const read = file && (await decodeDatabase(file, 'kept'));
  expect(read).toMatchObject({
    ok: true,
    value: { trace: key.slice(0, 64), hosts: ['executions-lock'], answer: found },
  });
  await api.forget(key);
  expect(await api.keptExecutions(REQUESTS)).toEqual([]);
  expect(await api.executionsFile(key, REQUESTS)).toBeUndefined();
});
