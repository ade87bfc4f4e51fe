/** CTF 1.8 writers put one underscore before names that may be keywords of TSDL (CTF 1.8.3 appendix C.1.2). */
export function dropUnderscore(name: string): string {
  return name.charCodeAt(0) === 95 ? name.slice(1) : name;
}
