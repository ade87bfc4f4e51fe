import { readFileSync } from 'node:fs';
import { HistoryBuilder } from '../src/engine/history/builder.ts';
const cpu = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
const N = 12_000_000, A = Number(process.argv[2] ?? 5000);
for (let r = 0; r < 3; r++) {
  const b = new HistoryBuilder({ schemeOf: () => undefined, seal: () => new Promise(() => {}) });
  for (let i = 0; i < A; i++) b.attribute(['threads', String(i), 'state'], 'state');
  let x = 12345;
  const t0 = cpu();
  for (let i = 1; i <= N; i++) {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    b.moveTo(i * 500.5e3);
    b.set((x >>> 8) % A, i % 7);
  }
  console.log(((cpu() - t0) * 1e6 / N).toFixed(1), 'ns/set', b.segments.length);
}
process.exit(0);
