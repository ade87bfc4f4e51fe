import { describe, expect, it } from 'vitest';
import { Code, I32, i32, I64, i64, load, ModuleWriter, store } from './module-writer.ts';

type Call<Value> = (value: Value) => Value;

/** The exported function of a module with one function. */
function build<Value>(type: typeof I32 | typeof I64, code: Code): Call<Value> {
  const module = new ModuleWriter();
  module.define(module.declare({ params: [type], results: [type] }, 'run'), code);
  const memory = new WebAssembly.Memory({ initial: 1 });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(module.finish()), { env: { memory } });
  return instance.exports.run as Call<Value>;
}

describe('modules', () => {
  it.each([0n, -1n, 63n, 64n, -64n, -65n, 8191n, -8192n, 2n ** 63n - 1n, -(2n ** 63n)])(
    'have the constant %s',
    (value) => {
      expect(build<bigint>(I64, new Code(1).i64(value))(0n)).toBe(value);
      const low = Number(BigInt.asIntN(32, value));
      expect(build<number>(I32, new Code(1).i32(low))(0)).toBe(low);
    },
  );

  it('have loops, branches and locals', () => {
    // The sum of 1 … n, but none of more than 1000 rounds.
    const code = new Code(1);
    const sum = code.local(I32);
    code.block((end) => {
      code.get(0).i32(1000).op(i32.gtU);
      code.if(() => code.i32(-1).return());
      code.loop((again) => {
        code.get(0).op(i32.eqz).brIf(end);
        code.get(sum).get(0).op(i32.add).set(sum);
        code.get(0).i32(1).op(i32.sub).set(0);
        code.br(again);
      });
    });
    const run = build<number>(I32, code.get(sum));
    expect([0, 1, 10, 1000, 1001].map(run)).toEqual([0, 1, 55, 500_500, -1]);
  });

  it('have tables of branches', () => {
    const code = new Code(1);
    code.block((other) => {
      code.block((one) => {
        code.block((zero) => code.get(0).brTable([zero, one], other));
        code.i32(10).return();
      });
      code.i32(11).return();
    });
    expect([0, 1, 2, -1].map(build<number>(I32, code.i32(12)))).toEqual([10, 11, 12, 12]);
  });

  it('read and write memory', () => {
    const code = new Code(1);
    code.i32(0).get(0).at(store.i64, 300);
    code.i32(3).at(load.u8to64, 300);
    const run = build<bigint>(I64, code.i64(8n).op(i64.shl));
    expect(run(0x0102_0304_0506n)).toBe(0x300n);
  });

  it('share types of functions and call them', () => {
    const module = new ModuleWriter();
    const type = { params: [I32], results: [I32] } as const;
    const [twice, run] = [module.declare(type), module.declare(type, 'run')];
    module.define(run, new Code(1).get(0).call(twice).call(twice));
    module.define(twice, new Code(1).get(0).get(0).op(i32.add));
    const memory = new WebAssembly.Memory({ initial: 1 });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module.finish()), {
      env: { memory },
    });
    expect((exports.run as Call<number>)(5)).toBe(20);
  });
});
