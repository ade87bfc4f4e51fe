/** The code of all decoders that an experiment needs, made before its chunks are handed out. */
import { compileDecoder, type DecoderCode } from '../ctf/decode/decoder-code.ts';
import { canGenerate, type DecoderKind } from '../ctf/decode/wasm/decode-memory.ts';
import { clockOf } from '../trace/trace-clocks.ts';
import type { Experiment, Trace } from '../trace/types.ts';
import type { ProjectionPlan } from './contract.ts';

/** Code of decoders by `decoderKey`. */
export type CompiledDecoders = ReadonlyMap<string, DecoderCode>;

export function decoderKey(trace: Trace, streamClass: number): string {
  return `${trace.index}:${streamClass}`;
}

/** Compiles the decoders of all stream classes that have streams. */
export function compileDecoders(
  experiment: Experiment,
  plan: ProjectionPlan,
  kind: DecoderKind | undefined,
): CompiledDecoders {
  const decoders = new Map<string, DecoderCode>();
  const generates = canGenerate(kind);
  for (const trace of experiment.traces) {
    for (const streamClass of new Set(trace.streams.map((stream) => stream.streamClass)))
      decoders.set(
        decoderKey(trace, streamClass),
        compileCode(experiment, trace, streamClass, plan, generates),
      );
  }
  return decoders;
}

export function compileCode(
  experiment: Experiment,
  trace: Trace,
  streamClass: number,
  plan: ProjectionPlan,
  generates: boolean,
): DecoderCode {
  const request = plan.requestOf(experiment, trace, streamClass);
  return compileDecoder(trace.model, streamClass, request, clockOf(trace, streamClass), generates);
}
