/**
 * `npm test`: installs what is missing (a browser too) and runs every check, one stage after another, the later ones
 * also when an earlier one failed. The last line is "N passed, N failed" and, where tests were skipped, ", N skipped".
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser, findFirefox } from './browser.mjs';
import { installDependencies, root, run, runTool } from './tools.mjs';

const results = join(root, 'test-results');
const isRoot = process.getuid?.() === 0;
const sum = { passed: 0, failed: 0, skipped: 0 };

if (await installDependencies()) {
  await check('Types', 'tsc', ['--noEmit']);
  await check('Lint', 'eslint', ['.']);
  await check('Format', 'prettier', ['--check', '--log-level', 'warn', '.']);
  await tests('Unit, property and conformance tests', 'unit', ['--exclude', 'test/browser/**']);
  if (await check('Build', 'vite', ['build', '--logLevel', 'warn'])) await browserTests();
} else {
  add('Dependencies', { passed: 0, failed: 1, skipped: 0 });
}

const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
console.log(`${sum.passed} passed, ${sum.failed} failed${skipped}`);
process.exitCode = sum.failed > 0 ? 1 : 0;

/** A stage that passes or fails as a whole; resolves to whether it passed. */
async function check(title, tool, args) {
  begin(title);
  const failed = (await runTool(tool, args)) === 0 ? 0 : 1;
  add(title, { passed: 1 - failed, failed, skipped: 0 });
  return failed === 0;
}

/** A stage of tests, counted one by one. */
async function tests(title, name, args, env) {
  begin(title);
  mkdirSync(results, { recursive: true });
  const report = join(results, `${name}.json`);
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await runTool('vitest', ['run', '--passWithNoTests', ...reporters, ...args], { env });
  add(title, countTests(report, code));
}

async function browserTests() {
  const title = 'Browser tests';
  const browser = findBrowser() ?? (await installBrowser());
  if (browser === undefined) {
    console.error('No Chromium was found and none could be installed. Set CHROME_PATH to one.');
    add(title, { passed: 0, failed: 1, skipped: 0 });
    return;
  }
  if (findFirefox() === undefined && !(await installDebian('firefox-esr')))
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

function add(title, count) {
  sum.passed += count.passed;
  sum.failed += count.failed;
  sum.skipped += count.skipped;
  console.log(`-- ${title}: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
}
