/**
 * `npm test` and, with `--deep`, `npm run test:deep`: installs what is missing (a browser too) and runs every stage of
 * the tier, the later ones also when an earlier one failed. `--shard 1/4` runs a quarter of the tests. The last line is
 * "N passed, N failed" and, where tests were skipped, ", N skipped".
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBrowser, findFirefox } from './browser.mjs';
import { installDependencies, root, run, runTool } from './tools.mjs';

const { values: options } = parseArgs({ options: { deep: { type: 'boolean' }, shard: { type: 'string' } } });
const results = join(root, 'test-results');
const isRoot = process.getuid?.() === 0;
const sum = { passed: 0, failed: 0, skipped: 0 };
const begun = performance.now();

/**
 * Each passes or fails as a whole. The longest come first, as two run at a time; the page is built long before the
 * command line, which uses the kernels that were compiled for it.
 */
const CHECKS = [
  { title: 'Format', tool: 'prettier', args: ['--check', '--cache', '--log-level', 'warn', '.'] },
  {
    title: 'Lint',
    tool: 'eslint',
    args: ['--cache', '--cache-location', 'node_modules/.cache/eslint/', '.'],
  },
  { title: 'Build of the page', tool: 'vite', args: ['build', '--logLevel', 'warn'] },
  { title: 'Types', tool: 'tsc', args: ['--noEmit'] },
  { title: 'Unused files, exports and packages', tool: 'knip', args: [] },
  {
    title: 'Exports and files that only tests use',
    tool: 'knip',
    args: ['--production', '--include', 'files,exports'],
  },
  {
    title: 'Build of the command line',
    tool: 'vite',
    args: ['build', '--config', 'vite.cli.config.ts', '--logLevel', 'warn'],
  },
];
const TIER = options.deep ? [] : ['--exclude', '**/*.deep.test.ts'];

if ((await installDependencies()) && (!options.deep || (await installDependencies('test/duckdb')))) {
  const [first, second] = [checksInTurn(), checksInTurn()];
  await Promise.all([first, second]);
  await tests('Unit, property and conformance tests', 'unit', ['--exclude', 'test/browser/**']);
  await browserTests();
} else {
  add('Dependencies', { passed: 0, failed: 1, skipped: 0 }, performance.now());
}

const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
console.log(`\nAll of it took ${secondsSince(begun)}`);
console.log(`${sum.passed} passed, ${sum.failed} failed${skipped}`);
process.exitCode = sum.failed > 0 ? 1 : 0;

/** Runs checks until none is left; what one prints is shown when it ends, as others run beside it. */
async function checksInTurn() {
  for (let check = CHECKS.shift(); check !== undefined; check = CHECKS.shift()) {
    const from = performance.now();
    const output = [];
    const code = await runTool(check.tool, check.args, { onOutput: (text) => output.push(text) });
    begin(check.title);
    process.stdout.write(output.join(''));
    const failed = code === 0 ? 0 : 1;
    add(check.title, { passed: 1 - failed, failed, skipped: 0 }, from);
  }
}

/** A stage of tests, counted one by one. */
async function tests(title, name, args, env = {}) {
  begin(title);
  const from = performance.now();
  mkdirSync(results, { recursive: true });
  const report = join(results, `${name}.json`);
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const shard = options.shard === undefined ? [] : ['--shard', options.shard];
  const code = await runTool(
    'vitest',
    ['run', '--passWithNoTests', ...reporters, ...TIER, ...shard, ...args],
    {
      env: { ...(options.deep ? { DEEP: '1' } : {}), ...env },
    },
  );
  add(title, countTests(report, code), from);
}

async function browserTests() {
  const title = 'Browser tests';
  const browser = findBrowser() ?? (await installBrowser());
  if (browser === undefined) {
    console.error('No Chromium was found and none could be installed. Set CHROME_PATH to one.');
    add(title, { passed: 0, failed: 1, skipped: 0 }, performance.now());
    return;
  }
  if (options.deep && findFirefox() === undefined && !(await installDebian('firefox-esr')))
    console.log('No Firefox was found and none could be installed: its test is skipped.');
  await tests(title, 'browser', ['test/browser', '--no-file-parallelism'], { CHROME_PATH: browser });
}

/** Debian's package where that is possible, else the browser that Playwright brings. */
async function installBrowser() {
  begin('Installing Chromium');
  if (await installDebian('chromium')) return findBrowser();
  const withLibraries = isRoot && process.platform === 'linux' ? ['--with-deps'] : [];
  await runTool('playwright', ['install', ...withLibraries, 'chromium']);
  const { chromium } = await import('playwright');
  return existsSync(chromium.executablePath()) ? chromium.executablePath() : undefined;
}

/** Installs a browser's package, on Debian as root; resolves to whether it is there. */
async function installDebian(name) {
  if (!isRoot || !existsSync('/etc/debian_version')) return false;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  return (await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], { env })) === 0;
}

/** Counts a report of vitest. A file that could not be loaded, or a run without a report, is one failure. */
function countTests(report, code) {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  const unloaded = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const counted = numFailedTests + unloaded;
  // vitest also fails for errors outside of any test
  const failed = counted === 0 && code !== 0 ? 1 : counted;
  return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
}

function begin(title) {
  console.log(`\n== ${title}`);
}

/** @param from when the stage began, by `performance.now()` */
function add(title, count, from) {
  sum.passed += count.passed;
  sum.failed += count.failed;
  sum.skipped += count.skipped;
  const counted = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
  console.log(`-- ${title}: ${counted}, ${secondsSince(from)}`);
}

function secondsSince(from) {
  return `${Math.round((performance.now() - from) / 1000)} s`;
}
