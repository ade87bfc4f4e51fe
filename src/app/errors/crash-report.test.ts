import { expect, it } from 'vitest';
import { crashReport, workerCrash } from './crash-report.ts';

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

it('names kind and place of what ended a worker, and nothing of the message', () => {
  const ended = (message: string) =>
    workerCrash({ message, filename: 'http://x/a/w.js', lineno: 7 } as ErrorEvent);
  expect(ended('Uncaught RangeError: secret')).toBe('the worker ended: RangeError w.js:7');
  expect(ended('Uncaught secret')).toBe('the worker ended: unknown kind w.js:7');
});
