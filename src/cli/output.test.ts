import { afterEach, expect, it, vi } from 'vitest';
import { JsonList, printJson, writeJson } from './output.ts';

afterEach(() => vi.restoreAllMocks());

/** What is written to stdout meanwhile. */
async function written(write: () => Promise<void> | void): Promise<string> {
  let text = '';
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (text += `${line}\n`));
  vi.spyOn(process.stdout, 'write').mockImplementation((piece) => ((text += String(piece)), true));
  await write();
  vi.restoreAllMocks();
  return text;
}

it.each([0, 1, 3, 20_000])('JSON with a list of %i made while it is written is the same', async (length) => {
  const members = Array.from({ length }, (_, i) => ({ name: `t${i}\u202e"`, states: [i, NaN, i / 3] }));
  const value = { originNs: '12', none: undefined, cpus: [{ cpu: 0 }], missing: ['\u001b[31m'] };
  async function* lazily() {
    for (const member of members) yield await Promise.resolve(member);
  }
  const expected = await written(() => printJson({ ...value, threads: members, last: [] }));
  for (const list of [members, lazily()])
    expect(await written(() => writeJson({ ...value, threads: new JsonList(list), last: [] }))).toBe(
      expected,
    );
});
