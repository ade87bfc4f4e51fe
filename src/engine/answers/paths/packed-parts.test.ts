import { expect, it } from 'vitest';
import { PartPacker, unpackParts } from './packed-parts.ts';
import type { PathPart } from '../../protocol/paths.ts';

it('parts come back as they were, with their blockers', () => {
  const parts: readonly PathPart[] = [
    { worker: 1, value: 4, detail: '', ns: 30, segments: 2, blockers: [{ text: 'hog', ns: 30 }], served: [] },
    { worker: 0, value: 2, detail: 'read', ns: 20, segments: 1, blockers: [], served: [] },
    {
      worker: 0,
      value: 7,
      detail: 'read',
      ns: 10,
      segments: 1,
      blockers: [
        { text: 'request', ns: 9 },
        { text: 'hog', ns: 1 },
      ],
      served: [{ text: 'hog', ns: 12 }],
    },
  ];
  const packer = new PartPacker();
  for (const part of parts) packer.add(part);
  const packed = packer.finish();
  expect(unpackParts(packed)).toEqual(parts);
  expect(packed.texts).toEqual(['', 'hog', 'read', 'request']);
});
