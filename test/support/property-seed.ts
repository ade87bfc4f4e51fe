/**
 * Property tests try the same cases in every run, so that a change is judged by what it changed; other cases are tried
 * with `PROPERTY_SEED=random`, or another number, in the environment. fast-check prints the seed of a failure.
 */
import fc from 'fast-check';
import { DEEP } from './tier.ts';

const wanted = process.env.PROPERTY_SEED ?? '20261';

/** ms for the cases of one property in the fast tier. */
const BUDGET_MS = 1000;
/** Drawn cases that hold at least, however busy the machine is; the named ones, which come first, are all tried. */
const FEWEST_DRAWN = 2;
/** ms to find a smaller case, before the test's own limit of time would hide what was found. */
const SHRINK_MS = 60_000;

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  ...(wanted === 'random' ? {} : { seed: Number(wanted) }),
});

/** Ends a property of the fast tier between two cases when its time is over: it holds when those tried until then held. */
const budget: fc.Plugin<unknown> = () => {
  let end = DEEP ? Infinity : performance.now() + BUDGET_MS;
  let drawn = 0;
  let held = 0;
  let hasFailed = false;
  const report = (result: fc.PreconditionFailure | fc.PropertyFailure | null) => {
    if (result === null && drawn > 0) held++;
    if (hasFailed || result === null || fc.PreconditionFailure.isFailure(result)) return result;
    hasFailed = true;
    end = performance.now() + SHRINK_MS;
    return result;
  };
  return {
    decorateGenerate: (generate) => (random, run) => {
      drawn++;
      return generate(random, run);
    },
    decorateRun: (run) => (value) => {
      if (performance.now() > end && (hasFailed || held >= FEWEST_DRAWN))
        return new fc.PreconditionFailure(true);
      const result = run(value);
      return result instanceof Promise ? result.then(report) : report(result);
    },
  };
};

// A worker has many files of tests, and one fast-check.
const worker = globalThis as { hasBudget?: boolean };
if (worker.hasBudget !== true) {
  worker.hasBudget = true;
  fc.installGlobalPlugin(budget);
}
