/** `inspect report`: its forms say the same as the summary, conditions decide its exit code, and no name in it is obeyed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { describe, expect, it } from 'vitest';
import { reportText } from '../../src/engine/answers/report/build-report.ts';
import type { Report } from '../../src/engine/protocol/report.ts';
import type { Finding } from '../../src/engine/protocol/summary.ts';
import { sentenceText } from '../../src/engine/words/numbers.ts';
import { plain } from '../../src/engine/words/sentence.ts';
import { inspect, inspectJson, expectRefused } from '../support/inspect-run.ts';
import { projectDir } from '../support/shared.ts';
import { switchTrace } from '../support/switch-trace.ts';
import { DEEP } from '../support/tier.ts';
import { writtenRecording } from '../support/written-recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const examples = join(projectDir(), 'public/examples');
const requests = join(examples, 'executions-lock');
const locks = join(examples, 'lockfight-mutex');
const unkerneled = join(projectDir(), 'test/fixtures/cases/executions-without-kernel/trace');
const quiet = join(projectDir(), 'test/fixtures/cases/waking-only-target/trace');
const folder = temporaryFolder();
const turns = writtenRecording(join(folder, 'turns'), {
  hostname: 'h',
  waitNs: Array.from({ length: 60 }, (_, turn) => 100_000 + 1000 * turn),
});

const isReport = new Ajv().compile(
  JSON.parse(readFileSync(join(projectDir(), 'docs/report-schema.json'), 'utf8')) as object,
);

async function reportOf(...args: readonly string[]): Promise<Report> {
  const report = await inspectJson<Report>('report', ...args);
  expect(isReport(report), JSON.stringify(isReport.errors)).toBe(true);
  return report;
}

const PAGE = 'https://example.org/wakepath/';

/** A report that several tests look at. */
let ofLocks: Promise<Report> | undefined;
function reportOfLocks(): Promise<Report> {
  const gates = ['deadlock', 'lock-order'].flatMap((rule) => ['--fail-if', `findings(${rule}) > 0`]);
  return (ofLocks ??= reportOf(locks, '--page', PAGE, ...gates));
}

/** The text of a file that is written. */
async function written(name: string, ...args: readonly string[]): Promise<string> {
  const path = join(folder, name);
  const { code, stdout } = await inspect('report', ...args, '--output', path);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  return readFileSync(path, 'utf8');
}

describe('a report', () => {
  it('says what the summary says, in each form', async () => {
    const report = await reportOfLocks();
    const { findings } = await inspectJson<{ readonly findings: readonly Finding[] }>('summary', locks);
    const unknownLines = ({ rule, title, severity, share, ns }: Omit<Finding, 'sentence' | 'place'>) => {
      return { rule, title, severity, share, ns };
    };
    expect(report.findings.map(unknownLines)).toEqual(findings.map(unknownLines));
    expect(report.findings.map(({ sentence }) => plain(sentence))).toEqual(
      findings.map(({ sentence }) => sentence),
    );
    const [markdown, html] = [reportText(report, 'markdown'), reportText(report, 'html')];
    const shown = (text: string) => text.replaceAll(/<[^>]*>|[*`\\]|\s|&[a-z]+;/g, '');
    for (const { text } of report.findings) {
      expect(shown(markdown)).toContain(shown(text));
      expect(shown(html)).toContain(shown(text));
    }
  });

  it('has pictures whose sums are those of their sentences', async () => {
    const { findings, whatIf } = await reportOfLocks();
    const pictures = findings.flatMap(({ pictures: own, ns }) => own.map((picture) => ({ picture, ns })));
    expect(pictures.map(({ picture }) => picture.kind)).toEqual(['matrix', 'matrix', 'path']);
    for (const { picture, ns } of pictures) {
      if (picture.kind === 'matrix') expect(picture.ns.flat().reduce((sum, cell) => sum + cell, 0)).toBe(ns);
      if (picture.kind !== 'path') continue;
      const length = picture.to - picture.from;
      expect(picture.sums.reduce((sum, each) => sum + each.ns, 0)).toBe(length);
      expect(picture.workers.reduce((sum, each) => sum + each.ns, 0)).toBe(length);
    }
    expect(whatIf?.changes.length).toBeGreaterThan(2);
  });

  it('leads to places of a page, where one is given', async () => {
    const { findings } = await reportOfLocks();
    for (const { link } of findings)
      expect(link).toMatch(/^https:\/\/example\.org\/wakepath\/#trace=[0-9a-f]{64}&/);
    const without = await reportOf(turns);
    expect(without.findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(without)).not.toContain('link');
    for (const address of ['javascript:alert(1)', 'example.org', 'file:///tmp/x', `${PAGE}#a`])
      expect(await inspect('report', locks, '--page', address)).toMatchObject({ code: 2 });
  });

  it('has numbers in place of names where names are left out', async () => {
    const named = JSON.stringify(await reportOfLocks());
    const masked = await reportOf(locks, '--without-names', '--page', 'https://example.org/');
    expect(masked.findings[0].text).toMatch(
      /^4 threads waited .* for lock 1, .*, longest while thread \d+ held it\.$/,
    );
    const changeTexts = masked.whatIf?.changes.map(({ what }) => sentenceText(plain(what))) ?? [];
    expect(changeTexts).toContain('Waits for lock 1');
    for (const words of changeTexts)
      expect(words).toMatch(
        /^(Waits for (lock|a CPU)|Work of thread|Program|System call)\b(?!.*program program)/i,
      );
    for (const name of ['fight', 'lttng-consumerd', 'wk-', 'f260']) {
      expect(named).toContain(name);
      expect(JSON.stringify(masked)).not.toContain(name);
    }
    expect(reportText(masked, 'html')).not.toMatch(/fight|lttng-c|wk-|f260/);
  });
});

describe('a gate', () => {
  it('fails when a condition is met, and says by how much', async () => {
    const gates = ['p95(requests) > 5ms', 'lost > 0'].flatMap((gate) => ['--fail-if', gate]);
    const slow = await inspect('report', requests, ...gates);
    expect(slow.code).toBe(3);
    expect(slow.stderr.replaceAll(/\s/g, ' ')).toBe(
      'p95(requests) > 5ms: met, it is 8.531 ms lost > 0: not met, it is 0 ',
    );
    expect(slow.stdout).toMatch(/^# \*\*26\*\* of \*\*300\*\* executions/);
  });

  const calls = { path: turns, of: ['--begin', 'syscall_entry_futex', '--end', 'syscall_exit_futex'] };
  const asked = { path: requests, of: ['--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id'] };
  it.each([
    { ...calls, count: 60, rule: 'deadlock' },
    ...(DEEP ? [{ ...asked, count: 300, rule: 'disk' }] : []),
  ])('passes when none is met, by the executions that the user defines: $count', async (wanted) => {
    const { path, of, count, rule } = wanted;
    const { conditions, executions, findings } = await reportOf(
      ...[path, ...of, '--fail-if', 'max(requests) > 20ms', '--fail-if', `findings(${rule}) > 0`],
    );
    expect(conditions).toMatchObject([
      { outcome: 'not met', value: executions?.max },
      { outcome: 'not met', value: 0 },
    ]);
    const { executions: listed, metrics } = await inspectJson<{
      readonly metrics: readonly string[];
      readonly executions: readonly { readonly metrics: readonly number[] }[];
    }>('executions', path, ...of);
    const sorted = listed.map((each) => each.metrics[metrics.indexOf('duration')]).sort((a, b) => a - b);
    // A finding has their histogram, or their table.
    const drawn = [...findings.flatMap(({ pictures }) => pictures), executions?.histogram];
    const bins = drawn.flatMap((picture) => (picture?.kind === 'histogram' ? picture.bins : []));
    expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(count);
    const [p50, p95, max] = [0.5, 0.95, 1].map((q) => sorted[q * count - 1]);
    expect(executions).toMatchObject({ count, p50, p95, max });
  });

  it('does not pass what is not known', async () => {
    const { code, stderr } = await inspect('report', quiet, '--fail-if', 'p95(requests) > 1s');
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'p95(requests) > 1s: not known\n' });
  });

  it('does not pass by a rule whose events were not recorded, and says which these are', async () => {
    const asked = async (path: string, ...of: readonly string[]): Promise<Report> => {
      const gates = of.flatMap((each) => ['--fail-if', `${each} > 0`]);
      const { code, stdout } = await inspect('report', path, '--json', ...gates);
      expect(code).toBe(2);
      return JSON.parse(stdout) as Report;
    };
    const rules = ['disk', 'interrupts', 'cpu-wait', 'late-wake-ups', 'time-outs', 'deadlock', 'locks'];
    const alone = await asked(unkerneled, 'findings', ...rules.map((id) => `findings(${id})`));
    for (const { outcome } of alone.conditions) expect(outcome).toBe('unknown');
    const unknownLines = alone.unknown.map((words) => sentenceText(plain(words))).join('\n');
    const titles = ['Disk', 'Interrupts', 'Waited for a CPU', 'Real time', 'Time-outs', 'Deadlock', 'Lock'];
    for (const title of titles)
      expect(unknownLines).toMatch(
        new RegExp(`^Without all events .* may be missing: .*\\b${title}\\b`, 'm'),
      );
    // In the words of the summary.
    const { stdout } = await inspect('summary', unkerneled);
    const missing = unknownLines
      .split('\n')
      .filter((words) => /^(Without all|They are recorded by lttng) /.test(words));
    expect(missing.length).toBeGreaterThan(2);
    for (const words of missing) expect(stdout).toContain(`${words}\n`);
    // Of its futexes no holders are known.
    const { conditions, whatIf, whatIfSlow } = await asked(requests, 'findings(locks)', 'findings(disk)');
    // As `what-if --slow auto` says.
    expect(whatIfSlow).toMatchObject({ executions: 26, replayed: 26 });
    expect(whatIfSlow?.changes[0]).toMatchObject({ kind: 'program', gain: 18 });
    expect(whatIfSlow?.changes.slice(0, 4)).toContainEqual(
      expect.objectContaining({ kind: 'futex', gain: 18 }),
    );
    expect(whatIf?.changes.map(({ what }) => sentenceText(plain(what)))).toContain(
      'Waits at futex cache_lock of wk-server, if it is a lock',
    );
    expect(conditions.map(({ outcome }) => outcome)).toEqual(['unknown', 'not met']);
    // Events of locks were recorded.
    const known = await reportOfLocks();
    expect(known.conditions.map(({ outcome }) => outcome)).toEqual(['not met', 'not met']);
    expect(known.unknown).toEqual([]);
  });

  it('refuses nonsense before it reads anything', async () => {
    await expectRefused(
      '--fail-if: "p95(requests) > 5", character 18: ns, us, ms or s is expected, not its end',
      'report',
      '/nowhere',
      '--fail-if',
      'p95(requests) > 5',
    );
    expect(await inspect('report', locks, '--format', 'pdf')).toMatchObject({ code: 2 });
    for (const name of ['report.pdf', 'report']) {
      const words = '--output: a file .html, .md or .json, or --format, is expected';
      await expectRefused(words, 'report', locks, '--output', join(folder, name));
      expect(existsSync(join(folder, name))).toBe(false);
    }
    for (const command of 'report summary info executions locks symbols sync canonical'.split(' '))
      await expectRefused(
        `${command}: it is of the whole trace, without --range`,
        ...[command, '/nowhere', '--range', '0..5'],
      );
    for (const command of [
      ['stats', 'futex'],
      ['export', '--what', 'locks.locks', '-o', join(folder, 'a')],
    ]) {
      await expectRefused('--range', ...command, unkerneled, '--range', '0..5');
    }
    expect(await inspect('report', turns, '--begin', 'no_such', '--end', 'syscall_exit_futex')).toMatchObject(
      { code: 2 },
    );
  });
});

it('obeys no name', async () => {
  const names = ['<script>a()', '"><svg onload=', '`|![x](//e.e)', '\u202e\u0007&lt;*_b_*'];
  const switches = names.map((nextName, i) => {
    return {
      time: BigInt(1 + 1_000_000 * i),
      prev: i,
      next: i + 1,
      prevName: names[i - 1] ?? 'idle',
      nextName,
    };
  });
  const files = switchTrace({
    hostname: '"><script>b()</script>',
    streams: [{ cpu: 0, end: 9_000_000n, switches }],
  });
  const path = join(folder, '<img src=x onerror=c()>');
  mkdirSync(path);
  for (const [file, bytes] of files) writeFileSync(join(path, file), bytes);
  const html = await written('hostile.html', path);
  expect(html.match(/<(script|img|iframe|object|link|svg onload)/gi)).toBeNull();
  expect(html).toContain('&lt;img src=x onerror=c()&gt;');
  expect(html).toContain('&lt;script&gt;a()');
  expect(html).toContain('content="default-src &#39;none&#39;; style-src &#39;sha256-');
  const markdown = await written('hostile.md', path);
  // Outside of code there is no markup of HTML.
  expect(markdown.replaceAll(/(`+)[^`]+\1/g, '')).not.toContain('<');
  for (const text of [html, markdown])
    expect(text).not.toMatch(/[\u0000-\u0008\u007f\u200e\u200f\u202a-\u202e]/);
  await reportOf(path);
});
