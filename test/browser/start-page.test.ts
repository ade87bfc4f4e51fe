import { describe, expect } from 'vitest';
import { dropFiles, dropPaths, LOOKS, screenshot, test } from './support.ts';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('the start page', () => {
  for (const { name, ...look } of LOOKS) {
    test(`says what it is for and offers examples (${name})`, async ({ visitor }) => {
      const page = await visitor.visit(look);
      await page.getByRole('heading', { name: 'See why a thread waited' }).waitFor();
      await page.getByText('Which thread holds everyone up?').waitFor();
      expect(await page.locator('.example').count()).toBeGreaterThan(3);
      expect(await page.getByText('Nothing leaves this computer').isVisible()).toBe(true);
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe(look.colorScheme);
      await screenshot(page, `start-${name}`);
    });
  }

  test('fits without sideways scrolling at 200 % zoom of a small screen', async ({ visitor }) => {
    const page = await visitor.visit({ viewport: { width: 512, height: 350 } });
    await page.getByText('Which thread holds everyone up?').waitFor();
    const { scroll, client } = await page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      client: document.documentElement.clientWidth,
    }));
    expect(scroll).toBeLessThanOrEqual(client);
  });

  test('shows that files may be released', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([''], 'metadata'));
      window.dispatchEvent(new DragEvent('dragover', { dataTransfer, cancelable: true }));
    });
    await page.getByText('Release to open').waitFor();
    await screenshot(page, 'start-dragging');
    await page.evaluate(() => window.dispatchEvent(new DragEvent('dragleave', { relatedTarget: null })));
    await page.getByText('Drop a trace folder').waitFor();
  });
});

describe('wrong input', () => {
  test('that is no trace is named', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropFiles(page, { 'notes.txt': 'milk, bread' });
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('not a trace');
    await screenshot(page, 'error-not-a-trace');
  });

  test('of an empty folder says what to drop', async ({ visitor }) => {
    const folder = mkdtempSync(join(tmpdir(), 'wakepath-'));
    mkdirSync(join(folder, 'empty'));
    try {
      const page = await visitor.visit();
      await dropPaths(page, [join(folder, 'empty')]);
      await page.getByText('There is no file in this folder').waitFor();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('with a syntax error shows the line with a caret', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropFiles(page, {
      metadata: '/* CTF 1.8 */\ntrace {\n  major = 1;\n  minor 8;\n  byte_order = le;\n};\n',
      stream_0: 'x',
    });
    await page.getByText('The metadata have a syntax error').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('line 4');
    expect(await page.locator('.fault-excerpt').textContent()).toContain('minor 8');
    await screenshot(page, 'error-metadata-syntax');
  });
});
