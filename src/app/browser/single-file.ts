/** This is the page in one file (`scripts/build-single.mjs`): nothing lies beside it, and it reaches no server. */
export const IS_SINGLE_FILE = import.meta.env.MODE === 'single';
