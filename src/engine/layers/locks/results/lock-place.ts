/** The order of locks in output. */
import { compareText } from '../../../base/compare-text.ts';
import type { LockAddress, LockName } from '../lock-log.ts';

/** Order by kind, process and address. */
export function compareLocks(a: LockName, b: LockName): number {
  return compareText(a.kind, b.kind) || compareAddresses(a, b);
}

/** Order by process and address; texts of numbers as numbers. */
export function compareAddresses(a: LockAddress, b: LockAddress): number {
  const areNumbers = a.address.startsWith('0x') && b.address.startsWith('0x');
  return (
    a.process - b.process ||
    (areNumbers ? a.address.length - b.address.length : 0) ||
    compareText(a.address, b.address)
  );
}
