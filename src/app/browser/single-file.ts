/** Whether this is the page in one file (`scripts/build-single.mjs`), which has no other files and reaches no server. */
export const IS_SINGLE_FILE = import.meta.env.MODE === 'single';
