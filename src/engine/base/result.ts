/** Results of operations on a trace: faults that the input can cause are values (ARCHITECTURE.md, Errors). */
import type { Fault } from './fault.ts';

export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault };
}
