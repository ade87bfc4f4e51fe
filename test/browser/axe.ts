/** What axe finds on a page. */
import axe from 'axe-core';
import type { Page } from 'playwright';
import { expect } from 'vitest';

declare global {
  interface Window {
    readonly axe: typeof axe;
  }
}

/** Rules that depend on the theme; of all others one theme says what both do. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Fails for each violation of serious or critical impact in a part of the page, which has axe's source. */
export async function expectAccessible(page: Page, screen: string, part = 'html'): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    const { violations } = await page.evaluate(
      async ([selector, rules]) =>
        window.axe.run(selector, {
          resultTypes: ['violations'],
          ...(rules && { runOnly: { type: 'rule', values: rules } }),
        }),
      [part, theme === 'dark' ? OF_COLOURS : undefined] as const,
    );
    const found = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      );
    expect.soft(found, `${screen}, ${theme}`).toEqual([]);
  }
}
