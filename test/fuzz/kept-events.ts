/**
 * Events before damage are kept: packets whose bytes nobody touched, of files whose metadata are as they were. Of the
 * copies of a packet one is read; that another one is damaged behind its head is not known before it is decoded.
 */
import { dirname, join } from 'node:path/posix';
import type { MemoryFiles } from '../support/memory-files.ts';
import type { PacketRead } from './decode-check.ts';
import { indexPath } from './field-places.ts';

/** A packet that is no more read as it was; undefined: all are. `before` was read of `origin`. */
export function lostPacket(
  origin: MemoryFiles,
  before: readonly PacketRead[],
  files: MemoryFiles,
  now: readonly PacketRead[],
): string | undefined {
  const found = new Set(now.map(keyOf));
  const untouched = new Map<string, number>();
  for (const packet of before) {
    const { path } = packet;
    const bytes = untouched.get(path) ?? untouchedBytes(origin, files, path);
    untouched.set(path, bytes);
    if (packet.offset + packet.size > bytes || found.has(keyOf(packet))) continue;
    if (now.some((other) => isCopy(other, packet))) continue;
    const other = now.find(({ path: at, offset }) => at === path && offset === packet.offset);
    return `lost events before the damage: ${keyOf(packet)} is ${other === undefined ? 'gone' : keyOf(other)}`;
  }
  return undefined;
}

function isCopy(other: PacketRead, { path, size, identity }: PacketRead): boolean {
  return other.path !== path && other.size === size && other.identity === identity;
}

function keyOf({ path, offset, size, events }: PacketRead): string {
  return `${events} events in ${size} bytes at ${offset} of ${path}`;
}

/** Bytes at the begin of a data file that are as they were; 0 where something else decides how it is read. */
function untouchedBytes(origin: MemoryFiles, files: MemoryFiles, path: string): number {
  const metadata = join(dirname(path), 'metadata');
  const isSame = (other: string): boolean => {
    const [a, b] = [origin.get(other), files.get(other)];
    return (
      a === b || (a !== undefined && b !== undefined && commonBytes(a, b) === Math.max(a.length, b.length))
    );
  };
  if (!isSame(metadata) || (files.has(indexPath(path)) && !isSame(indexPath(path)))) return 0;
  const [before, now] = [origin.get(path), files.get(path)];
  if (before === undefined || now === undefined) return 0;
  // A packet that does not tell its size is as long as its file.
  const common = commonBytes(before, now);
  return common === before.length && now.length > common ? common - 1 : common;
}

function commonBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return at;
  return length;
}
