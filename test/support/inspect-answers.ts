/** What `inspect COMMAND --json` prints (docs/inspect-json.md), as far as tests read it. Times: ns since the first event. */
import { expect } from 'vitest';
import { inspectJson } from './inspect-run.ts';

export interface CpuStats {
  readonly originNs: string;
  readonly cpus: readonly (Readonly<Record<string, number>> & { readonly cpu: number })[];
  readonly threads: readonly ThreadStats[];
}

export interface ThreadStats {
  readonly worker: string;
  readonly name: string;
  readonly pid: number;
  /** ns by number of state. */
  readonly states: readonly number[];
}

export interface StatesAnswer {
  readonly originNs: string;
  readonly threads: readonly {
    readonly worker: string;
    readonly name: string;
    readonly intervals: readonly (readonly [state: number, from: number, to: number])[];
  }[];
}

export interface StatesCheck {
  readonly violations: readonly unknown[];
}

export interface PathAnswer {
  readonly from: number;
  readonly to: number;
  readonly sentence: string;
  readonly segments: readonly {
    readonly worker: string;
    readonly from: number;
    readonly to: number;
    readonly label: string;
    readonly cause: string;
    readonly depth: number;
  }[];
  readonly totals: readonly {
    readonly worker: string;
    readonly label: string;
    readonly cause: string;
    readonly time: number;
  }[];
  /** `by`: who took the time; `served`: whose disk requests were served meanwhile. */
  readonly parts: readonly {
    readonly worker: string;
    readonly state: string;
    readonly time: number;
    readonly by: readonly Taken[];
    readonly served: readonly Taken[];
  }[];
}

interface Taken {
  readonly name: string;
  readonly time: number;
}

export interface ProfileAnswer {
  readonly samples: number;
  readonly functions: readonly {
    readonly name: string;
    /** ns */
    readonly self: number;
    readonly total: number;
    readonly selfSamples: number;
    readonly totalSamples: number;
  }[];
}

export interface SymbolsAnswer {
  readonly modules: readonly (readonly [number, string, number, string, string | null, boolean])[];
  readonly frames: readonly (readonly [
    ...[process: number, address: string, isReturn: boolean, module: string | null, offset: string | null],
    ...[name: string | null, file: string | null, line: number | null],
  ])[];
}

export interface KernelLocks {
  readonly kernelLocks: readonly {
    readonly waits: number;
    readonly wait: { readonly totalNs: number; readonly maxNs: number };
  }[];
}

/** Fails where the states of a trace break an invariant. */
export async function expectSound(...paths: readonly string[]): Promise<void> {
  expect(await inspectJson('states', '--check', ...paths)).toEqual({ violations: [] });
}

/** `WORKER FROM TO LABEL CAUSE`, as the goldens have them. */
export function segmentRows({ segments }: PathAnswer): (readonly [string, number, number, string, string])[] {
  return segments.map(({ worker, from, to, label, cause }) => [worker, from, to, label, cause]);
}
