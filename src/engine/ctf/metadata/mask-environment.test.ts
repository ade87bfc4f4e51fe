import { expect, it } from 'vitest';
import { maskEnvironment } from './mask-environment.ts';
import { readMetadata } from '../../../../test/support/read-metadata.ts';

const MASK = (text: string) => 'x'.repeat(text.length);

async function masked(text: string) {
  const outcome = await maskEnvironment(new TextEncoder().encode(text), 'metadata', MASK);
  if (!outcome.ok) return outcome.fault;
  const read = readMetadata(outcome.value, 'metadata');
  return read.ok ? read.value.model.environment.map(({ name, value }) => `${name} ${value}`) : read.fault;
}

const tsdl = (env: string) => `/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
env { ${env} };
stream { event.header := struct { integer { size = 8; } id; }; };
event { id = 0; name = "raton"; };
`;

it('replaces what names a machine in TSDL, and keeps what kind of trace it is', async () => {
  expect(
    await masked(tsdl('hostname = "raton"; domain = "kernel"; major = 2; trace_name = "a.b*";')),
  ).toEqual(['hostname xxxxx', 'domain kernel', 'major 2', 'trace_name xxxx']);
});

it('replaces it in JSON', async () => {
  const fragments = [
    { type: 'preamble', version: 2 },
    { type: 'trace-class', environment: { hostname: 'raton', domain: 'ust' } },
    { type: 'data-stream-class' },
  ];
  const text = fragments.map((fragment) => `\u001e${JSON.stringify(fragment)}`).join('');
  expect(await masked(text)).toEqual(['hostname xxxxx', 'domain ust']);
});

it('refuses what is written in a way that is not found', async () => {
  expect(await masked(tsdl('hostname = "ra\\x74on";'))).toMatchObject({ code: 'unsupported' });
});
