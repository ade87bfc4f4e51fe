/**
 * Property tests try the same cases in every run, so that a change is judged by what it changed; other cases are tried
 * with `PROPERTY_SEED=random`, or another number, in the environment. fast-check prints the seed of a failure, and stops
 * to look for a smaller case before the test's own limit of time, which would hide what it found.
 */
import fc from 'fast-check';

const wanted = process.env.PROPERTY_SEED ?? '20261';

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  ...(wanted === 'random' ? {} : { seed: Number(wanted) }),
  interruptAfterTimeLimit: 280_000,
  markInterruptAsFailure: true,
});
