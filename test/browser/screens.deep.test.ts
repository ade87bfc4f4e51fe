/**
 * The screens that people judge, by size of the window and theme: what each is for is on it, and all of it fits.
 * `npm run screens` makes the pictures in docs/screens of them.
 */
import { describe, expect } from 'vitest';
import { inLooks } from './pictures.ts';
import { dropFiles, test } from './support.ts';
import {
  findThread,
  noteField,
  opened,
  pointAt,
  selectInRow,
  selectWithin,
  showRange,
  writeNote,
  visitExample,
} from './walk.ts';

describe('the start page', () => {
  test('says what it is for and offers examples', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.getByRole('heading', { name: 'See why a thread waited' }).waitFor();
    await page.getByText('Which thread holds everyone up?').waitFor();
    expect(await page.locator('.example').count()).toBeGreaterThan(3);
    expect(await page.getByText('Nothing of your traces leaves this computer').isVisible()).toBe(true);
    await inLooks(page, 'start');
  });

  test('shows that files may be released', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([''], 'metadata'));
      window.dispatchEvent(new DragEvent('dragover', { dataTransfer, cancelable: true }));
    });
    await page.getByText('Release to open').waitFor();
    await inLooks(page, 'start-dragging', ['1440-light']);
    await page.evaluate(() => window.dispatchEvent(new DragEvent('dragleave', { relatedTarget: null })));
    await page.getByText('Drop a trace folder').waitFor();
  });

  test('asks before it fetches', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.getByText('Which thread holds everyone up?').waitFor();
    await page.getByRole('button', { name: 'Open by address' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open by address' });
    await dialog.getByRole('textbox').fill('https://traces.example.org/checkout/slow-request.tar.gz');
    await dialog.getByRole('button', { name: 'Fetch from traces.example.org' }).waitFor();
    await inLooks(page, 'address', ['1440-light']);
  });

  test('shows the line of a mistake in the metadata', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropFiles(page, {
      metadata: '/* CTF 1.8 */\ntrace {\n  major = 1;\n  minor 8;\n  byte_order = le;\n};\n',
      stream_0: 'x',
    });
    await page.getByText('The metadata have a syntax error').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('line 4');
    expect(await page.locator('.fault-excerpt').textContent()).toContain('minor 8');
    await inLooks(page, 'error-metadata-syntax');
  });
});

describe('a trace', () => {
  test('is seen whole, zoomed and in numbers', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.getByText('Which thread holds everyone up?').click();
    await opened(page);
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('grid', { name: 'CPU time by thread' }).getByText('imb-80').waitFor();
    for (const row of ['CPU 0', 'imb-80', 'imb-10'])
      await page.locator('.gutter').getByText(row, { exact: true }).waitFor();
    await inLooks(page, 'trace');

    await page.getByRole('radio', { name: 'Scheduling latency' }).click();
    await page.getByRole('grid', { name: 'Scheduling latency' }).getByText('imb-40').waitFor();
    await page.getByRole('img', { name: /^Woken to running: 166/ }).waitFor();
    await inLooks(page, 'statistics-scheduling', ['1440-light']);
    await page.getByRole('radio', { name: 'System calls' }).click();
    await page.getByRole('grid', { name: 'System calls' }).getByText('futex', { exact: true }).waitFor();
    await inLooks(page, 'statistics-calls', ['1024-dark']);
    await page.getByRole('radio', { name: 'Event counts' }).click();
    await page.getByText(/whole trace, 10.913 events/).waitFor();
    await inLooks(page, 'statistics-counts', ['1440-light']);
    await page.getByRole('tab', { name: /^Info/ }).click();
    await page.getByRole('heading', { name: 'No problems' }).waitFor();
    await page.getByText('kernel_3').waitFor();
    await inLooks(page, 'info', ['1440-light']);

    await showRange(page, '220 ms', '400 ms');
    await selectInRow(page, 'imb-10');
    await page.getByRole('heading', { name: /^Blocked 85\.109/ }).waitFor();
    await page.getByRole('button', { name: 'Why did this wait?' }).waitFor();
    await inLooks(page, 'selected');
  });

  test('lists its events where one looks', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await selectWithin(page, 'wk-writer', '300 ms', '320 ms');
    await page.getByRole('tab', { name: /^Events/ }).click();
    // The first from the middle of the view on.
    const nearest = page
      .getByRole('grid', { name: 'Events', exact: true })
      .getByRole('row', { selected: true });
    await nearest.getByText('0.310 003 273').waitFor();
    await inLooks(page, 'events');
  });

  test('of user space alone lists its events', async ({ visitor }) => {
    const page = await visitExample(visitor, 'lockfight-mutex/ust');
    await page.getByRole('tab', { name: /^Events/ }).click();
    const events = page.getByRole('grid', { name: 'Events', exact: true });
    await events.getByRole('row', { selected: true }).waitFor();
    await inLooks(page, 'events-user-space', ['1440-light']);
  });
});

describe('a path', () => {
  test('in a recording of perf', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.getByText('What does perf tell on your own machine?').click();
    await opened(page);
    await selectInRow(page, 'imb-10');
    await page.getByRole('button', { name: 'Why did this wait?' }).click();
    await page.getByRole('tab', { name: /^Path/, selected: true }).waitFor();
    await inLooks(page, 'perf-path', ['1440-light']);
  });

  test('goes over two hosts, whose clocks are made one', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.getByText('Was it the network or the other machine?').click();
    await opened(page);
    await page.getByRole('tab', { name: 'Sync' }).click();
    await page.getByText(/310 packets show how the clocks relate/).waitFor();
    await inLooks(page, 'sync', ['1440-light']);

    await selectWithin(page, 'wk-httpget', '3360 ms', '3390 ms');
    await page.getByRole('heading', { name: /^Blocked, on the network 42\.312/ }).waitFor();
    await page.keyboard.press('F');
    await page.keyboard.press('P');
    await page.getByRole('heading', { name: /Why did wk-httpget wait 42\.312/ }).waitFor();
    await page.getByText('equals the time asked for').waitFor();
    await page.getByText(/ready but did not run for 32\.491/).waitFor();
    await inLooks(page, 'path-two-hosts');
  });

  test('tells of a whole life', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.getByText('Which service in the chain is slow, and why?').click();
    await opened(page);
    await findThread(page, 'wk-srv-a');
    await page.keyboard.press('P');
    await page.getByRole('heading', { name: /Where did the time of wk-srv-a go/ }).waitFor();
    await page.getByText('equals the time asked for').waitFor();
    await page.getByRole('heading', { name: 'Longest segments of 391' }).waitFor();
    await inLooks(page, 'path-life', ['1440-dark']);
  });
});

test('notes stand over the rows and in a list', async ({ visitor }) => {
  const page = await visitor.visit();
  await page.getByText('Which thread holds everyone up?').click();
  await opened(page);
  await findThread(page, 'imb-80');
  await showRange(page, '220 ms', '400 ms');
  await selectInRow(page, 'imb-10');
  await page.getByRole('heading', { name: /^Blocked 85\.109/ }).waitFor();
  await writeNote(page, 'imb-10 has done its part and waits for imb-80: its part is eight times as large');
  await page.keyboard.press('Escape');
  const moments = [
    [0.04, 'All wait for imb-80'],
    [0.695, ''],
    [0.7, 'The second barrier opens'],
    [0.85, 'imb-20 waits, too'],
  ] as const;
  for (const [share, text] of moments) {
    await pointAt(page, share);
    await writeNote(page, text);
  }
  await page.getByRole('tab', { name: /^Notes 5/ }).click();
  await page.getByRole('grid', { name: 'Notes' }).getByText('imb-20 waits, too').waitFor();
  await inLooks(page, 'notes');
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await page
    .getByRole('status')
    .getByText(/imb-10 has done its part/)
    .waitFor();
  await inLooks(page, 'note-card', ['1440-light', '1024-dark']);
  await page.keyboard.press('Shift+M');
  await noteField(page).waitFor();
  await inLooks(page, 'note-field', ['1440-light', '1024-dark']);
});
