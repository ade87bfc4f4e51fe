/**
 * What the simulation of `schedule.ts` tells of machines that are not here, from the costs of a run with one worker: other
 * numbers of workers, the storage of Table 1 of Reumont-Locke et al. 2019, faster decoders (Figure 7 there).
 */
import { median } from './measure.mjs';
import { efficiency, schedule, type Machine, type MeasuredRun } from './schedule.ts';

const SIMULATED_WORKERS = [1, 2, 4, 8, 16, 32, 64];
/** Bytes a second. */
const STORAGE = { memory: Infinity, pcie: 1145e6, ssd: 250e6, hdd: 135e6 };
const DECODE_SPEEDS = [1, 2, 4, 8, 16];
/** The trace of that paper, and ms that one of its threads takes for it (Table 2). */
const PAPER_EVENTS = 44_897_970;
const PAPER_MS: Readonly<Record<string, number>> = { count: 108_210, cpu: 116_940, io: 191_480 };

export interface ModelInput {
  readonly name: string;
  /** Of the measured run. */
  readonly events: number;
  /** Costs by all rounds. */
  readonly run: MeasuredRun;
  /** CPUs of the machine on which it was measured. */
  readonly cores: number;
  readonly rounds: readonly ModelRound[];
}

/** What was measured at the same time. */
interface ModelRound {
  readonly run: MeasuredRun;
  /** How much longer the workers' work takes when all of them are busy. */
  readonly sharing: number;
  /** Wall time measured with 1, 2 … workers. */
  readonly wallMs: readonly number[];
}

/** Figures by name: what was predicted for the measured numbers of workers, and what is for the paper's size. */
export function modelFigures({ name, events, run, cores, rounds }: ModelInput): Record<string, number> {
  const key = `scaling.${name}.model`;
  const figures: Record<string, number> = {
    [`${key}.sharing`]: median(rounds.map(({ sharing }) => sharing)),
  };
  for (let workers = 1; workers <= rounds[0].wallMs.length; workers++) {
    const predicted = rounds.map(({ run: own, sharing }) => schedule(own, { workers, cores, sharing }).ms);
    const errors = predicted.map((ms, i) => ms / rounds[i].wallMs[workers - 1] - 1);
    figures[`${key}.${workers}.predictedMs`] = median(predicted);
    figures[`${key}.${workers}.error`] = median(errors);
  }
  const long = repeated(run, Math.ceil(PAPER_EVENTS / events));
  for (const speed of DECODE_SPEEDS) {
    Object.assign(figures, efficiencies(long, `${key}.speed${speed}`, speed));
    if (name in PAPER_MS)
      Object.assign(figures, efficiencies(slowed(long, PAPER_MS[name]), `${key}.paper${speed}`, speed));
  }
  for (const workers of SIMULATED_WORKERS) {
    const { session, ms } = schedule(long, { workers });
    figures[`${key}.session.${workers}`] = session;
    figures[`${key}.ms.${workers}`] = ms;
  }
  return figures;
}

function efficiencies(run: MeasuredRun, key: string, decodeSpeed: number): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const [storage, bandwidth] of Object.entries(STORAGE)) {
    const machine = (workers: number): Machine => ({ workers, bandwidth, decodeSpeed });
    for (const workers of SIMULATED_WORKERS)
      figures[`${key}.${storage}.${workers}`] = efficiency(run, machine(workers));
  }
  return figures;
}

/** The run, had its workers the paper's cost of an event: its decoder takes what ours does not. */
function slowed(run: MeasuredRun, workerMs: number): MeasuredRun {
  const decode = run.chunks.reduce((sum, { decodeMs }) => sum + decodeMs, 0);
  const other = run.chunks.reduce((sum, { otherMs }) => sum + otherMs, 0);
  const slower = (workerMs - other) / decode;
  return { ...run, chunks: run.chunks.map((chunk) => ({ ...chunk, decodeMs: chunk.decodeMs * slower })) };
}

function repeated(run: MeasuredRun, count: number): MeasuredRun {
  const chunks = Array.from({ length: count }, () => run.chunks).flat();
  return { ...run, chunks, finishMs: run.finishMs * count };
}
