import { expect, test } from 'vitest';
import { LAYER_MAPS, mapSet, schemeById } from './maps.ts';
import { analysisById, LAYERS, SESSION_IDS } from './registry.ts';

const ON_DEMAND = ['interrupt-runs', 'priorities', 'wake-facts'];

test.each([...SESSION_IDS, ...ON_DEMAND])('decode workers map what the analysis %s reads', (id) => {
  const { reads, map } = analysisById(id);
  expect(mapSet([id]).all).toMatchObject([{ id, reads, map }]);
});

test('the map of each layer has its id', () => {
  const ids = (all: Readonly<Record<string, { readonly id: string }>>) =>
    Object.entries(all).map(([word, { id }]) => `${word}: ${id}`);
  expect(ids(LAYER_MAPS)).toEqual(ids(LAYERS));
});

test('decode workers know every scheme of a layer', () => {
  const schemes = Object.values(LAYERS).flatMap((layer) => Object.values(layer.schemes));
  expect(schemes.length).toBeGreaterThanOrEqual(7);
  for (const scheme of schemes) expect(schemeById(scheme.id)).toBe(scheme);
});
