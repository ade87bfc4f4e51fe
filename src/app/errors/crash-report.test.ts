import { expect, it } from 'vitest';
import { version } from '../../../package.json';
import { crashReport, reportAbout, workerCrash } from './crash-report.ts';

it('names kind and places, and nothing of the message', () => {
  const report = crashReport(new TypeError('secret-thread-name'), 'a browser');
  expect(report).toContain('TypeError');
  expect(report).toContain('crash-report.test.ts:');
  expect(report).not.toContain('secret');
});

it('names nothing of a message whose lines look like places', () => {
  const hostile = 'of no use\n    at secret-thread (http://x/secret-file.c:1:1)\n    at $& (secret:2:2)';
  const report = crashReport(new RangeError(hostile), 'a browser');
  expect(report).toMatch(/^Failed: RangeError\n/);
  expect(report).toContain('crash-report.test.ts:');
  expect(report).not.toContain('secret');
});

it('says how much is open, and no names', () => {
  const named = { name: 'secret' };
  const open = { ...named, events: 12, streams: [named, named], hosts: [named] };
  const lines = [`Wakepath ${version}`, 'a browser', 'Open: events 12, streams 2, hosts 1'];
  expect(reportAbout(open, 'a browser')).toBe(lines.join('\n'));
  expect(reportAbout(undefined, 'a browser')).toContain('Nothing was open');
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
