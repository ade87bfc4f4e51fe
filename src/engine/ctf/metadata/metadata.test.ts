import { expect, test } from 'vitest';
import { readMetadata } from '../../../../test/support/read-metadata.ts';

test.each(['', '\ufeff', '\n', ' \r\n\t'])('CTF 2 is known behind %j', (before) => {
  const text = `${before}\u001e{"type": "preamble", "version": 2}\n\u001e{"type": "data-stream-class"}`;
  const read = readMetadata(new TextEncoder().encode(text), 'metadata');
  expect(read).toMatchObject({ ok: true, value: { model: { version: '2.0' } } });
});
