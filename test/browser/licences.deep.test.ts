/** The licences of others' code that the page holds. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { test } from './support.ts';

/** Names of packages that the built scripts come from, by their source maps. */
function bundledPackages(): string[] {
  const folder = join(projectDir(), 'dist/assets');
  const maps = readdirSync(folder).filter((file) => file.endsWith('.map'));
  const sources = maps.flatMap((file) => {
    const { sources } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { sources: string[] };
    return sources;
  });
  const names = sources.map((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

test('each bundled package is named with its licence in a file of the start page', async ({ visitor }) => {
  // A page of text has no icon.
  visitor.expectProblem('404');
  const page = await visitor.visit();
  await page.getByRole('link', { name: 'Licences' }).click();
  await page.waitForURL(/\/licences\.txt$/);
  const text = await page.evaluate(() => document.body.innerText);
  const parts = new Map(text.split(/\n-{80}\n/).map((part) => [part.split(' ')[0].trim(), part]));
  const bundled = bundledPackages();
  expect(bundled).toEqual(expect.arrayContaining(['comlink', 'idb', 'preact', 'pixi.js', 'fflate']));
  for (const name of [...bundled, 'assemblyscript'])
    expect(parts.get(name), name).toMatch(/Copyright|Apache License|Permission is hereby granted/);
  expect(parts.get('comlink')).toContain('Version 2.0, January 2004');
  expect(parts.get('@pixi/colord')).toContain('Copyright (c) Vlad Shilov');
});
