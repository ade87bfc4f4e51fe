/**
 * Property tests try the same cases in every run, so that a change is judged by what it changed; other cases are tried
 * with `PROPERTY_SEED=random`, or another number, in the environment. fast-check prints the seed of a failure.
 */
import fc from 'fast-check';

const wanted = process.env.PROPERTY_SEED ?? '20261';

if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
