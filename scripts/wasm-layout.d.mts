/** @param path of a file below `src`, without ending, that exports this */
export function moduleText(path: string, exports: object): string;
