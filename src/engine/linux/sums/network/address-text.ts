/** Addresses of the internet protocol as text: IPv4 with dots, IPv6 as RFC 5952 has it. */

const IPV4_BYTES = 4;
const IPV6_BYTES = 16;

/** @param bytes in network order; of another length than an address: hexadecimal digits */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === IPV4_BYTES) return bytes.join('.');
  if (bytes.length !== IPV6_BYTES) return Array.from(bytes, (byte) => hex(byte).padStart(2, '0')).join('');
  const groups = Array.from({ length: IPV6_BYTES / 2 }, (_, i) => (bytes[2 * i] << 8) | bytes[2 * i + 1]);
  const { from, to } = longestZeros(groups);
  if (to - from < 2) return groups.map(hex).join(':');
  return `${groups.slice(0, from).map(hex).join(':')}::${groups.slice(to).map(hex).join(':')}`;
}

function hex(value: number): string {
  return value.toString(16);
}

/** The first of the longest runs of zeros: [from, to). */
function longestZeros(groups: readonly number[]): { readonly from: number; readonly to: number } {
  let longest = { from: 0, to: 0 };
  for (let from = 0, to = 0; to < groups.length; from = ++to) {
    while (to < groups.length && groups[to] === 0) to++;
    if (to - from > longest.to - longest.from) longest = { from, to };
  }
  return longest;
}
