/**
 * A sealed segment: a time range of all attributes, self-contained. One that was just sealed (`seal.ts`) is read back
 * from its own bytes, so that fresh and stored histories answer alike.
 */
import type { HostNs } from '../base/units.ts';
import { constantDirectory, readDirectory, settle, type Directory, type Patch } from './directory.ts';
import { UNKNOWN } from './groups.ts';
import type { SealedBytes } from './seal.ts';

export interface Segment {
  /** Place in the history, from 0. */
  readonly index: number;
  readonly directory: Directory;
  /** All blocks; undefined when they are in the store only. */
  blocks: Uint8Array | undefined;
}

/** A segment from the bytes that were just written. */
export function openSealed({ index, directory, blocks }: SealedBytes): Segment {
  return { index, directory: readDirectory(directory), blocks };
}

/** Segment of the history's outline. */
export function openOutline({ index, outline }: SealedBytes): Segment {
  return { index, directory: readDirectory(outline), blocks: undefined };
}

/** Segment in the place of one that cannot be read: these attributes, ascending, are unknown all over it. */
export function lostSegment(index: number, from: HostNs, to: HostNs, states: Int32Array): Segment {
  return { index, directory: constantDirectory(from, to, states, UNKNOWN), blocks: undefined };
}

/** Applies a patch to those segments before `until` that hold a part of its interval. */
export function patchSegments(segments: readonly Segment[], patch: Patch, until: HostNs): void {
  for (let i = segments.length - 1; i >= 0 && segments[i].directory.to > patch.begin; i--)
    if (segments[i].directory.to <= until) settle(segments[i].directory, patch);
}
