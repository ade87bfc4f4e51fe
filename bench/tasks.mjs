/**
 * Tasks of somebody new to the page, done by script in a fresh browser each: from the file that is given to the answer on the
 * screen. Prints a table of the time until then and of the clicks and keys that it took; what a person reads meanwhile
 * is not in it. Needs a built page (`npm run build`), the recorded traces in ../shared, a Chromium.
 * Run it by `node bench/tasks.mjs`.
 */
import { join } from 'node:path';
import { root } from '../scripts/tools.mjs';
import { openPage } from './page.mjs';

const TRACES = join(root, '../shared/traces');

/** @type {readonly { title: string, folders?: string[], card?: RegExp, steps(by: Hands): Promise<import('playwright').Locator> }[]} */
const TASKS = [
  {
    title: 'Which thread holds the others up? (card `imbalance-4t`)',
    card: /^Which thread holds everyone up/,
    steps: ({ page }) => page.getByRole('button', { name: /waited for imb-80/ }),
  },
  {
    title: 'What did the client wait for, network or server? (card `two-hosts-http`)',
    card: /^Was it the network/,
    steps: ({ page }) =>
      page.getByRole('region', { name: 'The question of the example' }).getByRole('button'),
  },
  {
    title: 'The same for the whole client thread',
    card: /^Was it the network/,
    steps: async (by) => {
      await by.press('/');
      await by.type('wk-httpget');
      await by.page.getByRole('option').first().waitFor();
      await by.press('Enter');
      await by.press('p');
      return by.page.getByRole('grid', { name: 'Time on the path' }).getByRole('row').nth(1);
    },
  },
  {
    title: 'Which file was slow? (`disk-io`)',
    folders: ['disk-io'],
    steps: async (by) => {
      await by.click('tab', 'Statistics');
      await by.click('radio', 'Disk and files');
      await by.click('radio', 'File');
      return by.page.getByRole('grid', { name: 'Read and written by file' }).getByText('/data/write.dat');
    },
  },
  {
    title: 'Which disk request was the slowest, and who made it? (`disk-io`)',
    folders: ['disk-io'],
    steps: async (by) => {
      await by.click('tab', 'Statistics');
      await by.click('radio', 'Disk and files');
      await by.click('radio', 'Request');
      return by.page
        .getByRole('grid', { name: /request/i })
        .getByRole('row')
        .nth(1);
    },
  },
  {
    title: 'Which program took most of the CPUs? (`build-mixed`, 1.29 M events)',
    folders: ['build-mixed'],
    steps: async (by) => {
      await by.click('tab', 'Statistics');
      await by.click('radio', 'Program');
      return by.page.getByRole('grid', { name: 'CPU time by program' }).getByRole('row').nth(1);
    },
  },
  {
    title: 'Find a system call with its arguments (`disk-io`)',
    folders: ['disk-io'],
    steps: async (by) => {
      await by.click('tab', /^Events/);
      await by.fill('Filter of events', 'name=syscall_entry_fsync');
      return by.page.getByRole('grid', { name: 'Events' }).getByText('syscall_entry_fsync').first();
    },
  },
  {
    title: 'Which lock costs most, and who holds it? (card `lockfight-mutex`)',
    card: /^Who keeps the lock/,
    steps: ({ page }) => page.getByRole('button', { name: /4 threads waited .* for mutex/ }),
  },
  {
    title: 'What did the slow requests do differently? (card `executions-lock`)',
    card: /^Who holds up 18 of 300/,
    steps: ({ page }) => page.getByText(/^System call futex.*explains/),
  },
  {
    title: 'Copy a link to what is seen',
    folders: ['disk-io'],
    steps: async (by) => {
      await by.click('button', 'Copy link');
      return by.page.getByText('Copied').first();
    },
  },
  {
    title: 'Save the view as a picture',
    folders: ['disk-io'],
    steps: async (by) => {
      const saved = by.page.waitForEvent('download');
      await by.click('button', 'Export');
      await by.click('menuitem', 'Timeline as PNG');
      await saved;
      return by.page.getByRole('button', { name: 'Export' });
    },
  },
];

/** What a person does; counts it. */
class Hands {
  count = 0;

  constructor(page) {
    this.page = page;
  }

  async click(role, name) {
    this.count++;
    await this.page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click();
  }

  async press(key) {
    this.count++;
    await this.page.keyboard.press(key);
  }

  /** A word is one step. */
  async type(text) {
    this.count++;
    await this.page.keyboard.type(text);
  }

  async fill(label, text) {
    this.count++;
    await this.page.getByLabel(label).fill(text);
  }
}

console.log('| task | s | steps | what is said |\n|---|---|---|---|');
for (const task of TASKS) {
  const visit = await openPage(join(root, 'dist'));
  const { page } = visit;
  await page.waitForFunction(() => performance.getEntriesByName('wakepath:ready').length > 0);
  const by = new Hands(page);
  const begin = performance.now();
  if (task.card !== undefined) await by.click('button', task.card);
  else await choose(page, by, task.folders ?? []);
  await page.getByRole('tab', { name: 'Statistics' }).waitFor();
  const answer = await task.steps(by);
  await answer.first().waitFor();
  const seconds = (performance.now() - begin) / 1000;
  const text = (await answer.first().innerText()).replace(/\s+/g, ' ').trim();
  console.log(`| ${task.title} | ${seconds.toFixed(1)} | ${by.count} | ${text.slice(0, 160)} |`);
  await visit.close();
}

async function choose(page, by, [folder]) {
  by.count++;
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a folder' }).click(),
  ]);
  await chooser.setFiles(join(TRACES, folder));
}
