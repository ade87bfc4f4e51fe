import { expect, it } from 'vitest';
import { crashReport } from './crash-report.ts';

it('names kind and places, and nothing of the message', () => {
  const report = crashReport(new TypeError('secret-thread-name'), 'a browser');
  expect(report).toContain('TypeError');
  expect(report).toContain('crash-report.test.ts:');
  expect(report).not.toContain('secret');
});

it('copes with what is no error', () => {
  expect(crashReport('secret', 'a browser')).toContain('string');
  expect(crashReport('secret', 'a browser')).not.toContain('secret');
});
