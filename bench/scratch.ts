import { readFileSync } from 'node:fs';
const cpu = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
import { HistoryBuilder } from '../src/engine/history/builder.ts';
import type { HistorySink } from '../src/engine/history/types.ts';
import { createHostReducers } from '../src/engine/analysis/host-reducers.ts';
import { kernelState } from '../src/engine/kernel/kernel-state.ts';
import { kernelSchemeOf } from '../src/engine/kernel/schemes.ts';
import { analysisSet } from '../src/engine/registry.ts';
import { mapperOf, openInMemory } from './memory-trace.ts';
const trace = await openInMemory(process.argv[2]);
const mapper = mapperOf(trace, [kernelState.id]);
const answers: any[] = [];
let n = 0;
for (const chunk of trace.chunks) {
  const a: any = await mapper.run({ chunk });
  answers.push({ chunk, leaf: a.value.leaves[0], floor: Math.max(...a.value.packets.begin) });
  n += a.value.leaves[0].length;
}
const host = trace.experiment.hosts[0];
const set = analysisSet([kernelState.id]);
class NullSink implements HistorySink { n = 0; a = 0; s = 0; m = new Map<string, number>();
  moveTo() {} attribute() { return this.a++; } string(t: string) { let k = this.m.get(t); if (k === undefined) this.m.set(t, (k = this.s++)); return k; } set() { this.n++; } settle() { this.n++; } end() { this.n++; } }
const noSeal = () => new Promise<never>(() => {});
const modes: Record<string, () => HistorySink> = {
  null: () => new NullSink(),
  builder: () => new HistoryBuilder({ schemeOf: kernelSchemeOf, seal: noSeal }),
  seal: () => new HistoryBuilder({ schemeOf: kernelSchemeOf }),
};
const mode = process.argv[3], rounds = Number(process.argv[4]);
const ts: number[] = [];
for (let r = 0; r < rounds; r++) {
  const sink = modes[mode]();
  const copies = answers.map(({ chunk, leaf, floor }) => ({ chunk, floor, leaf: structuredClone(leaf) }));
  const b = cpu();
  const red = createHostReducers(trace.experiment, host, trace.chunks, set, sink);
  for (const { chunk, leaf, floor } of copies) { red.put(chunk, [leaf], floor); red.advance(); }
  red.finish(1e18);
  ts.push(cpu() - b);
}
console.log(mode, n, 'first', (ts[0] * 1e6 / n).toFixed(0), 'second', (ts[1] * 1e6 / n).toFixed(0), 'median of last half', (ts.slice(rounds >> 1).sort((a, b) => a - b)[rounds >> 2] * 1e6 / n).toFixed(0), 'min', (Math.min(...ts) * 1e6 / n).toFixed(0), 'ns/transition');
process.exit(0);
