/** A perf.data file as it would be without `-k`: its times are those of perf's own clock, of which nothing is known. */

const LITTLE = true;
const USE_CLOCK = 1n << 25n;
const CLOCK_FEATURES = [23, 29];
const SAMPLE = 9;
/** IDENTIFIER, IP and TID before the time of a sample, no other ID; CPU and IDENTIFIER behind that of other records. */
const FIELDS = 0x1_02cfn;
const EXPECTED = 0x1_0087n;
const [TIME_AT, TIME_FROM_END] = [32, 24];
const OWN_RECORDS = 64;

/**
 * @param file of the host's byte order, not packed, whose events all have these fields, in other records, too
 * @param toOwn value of perf's clock for one of the clock that was used, ns
 */
export function withOwnClock(file: Uint8Array, toOwn: (time: bigint) => bigint): Uint8Array {
  const bytes = Uint8Array.from(file);
  const view = new DataView(bytes.buffer);
  const [attributeBytes, attributes, attributesSize, data, dataSize] = [16, 24, 32, 40, 48].map((at) =>
    Number(view.getBigUint64(at, LITTLE)),
  );
  for (let at = attributes; at < attributes + attributesSize; at += attributeBytes) {
    if ((view.getBigUint64(at + 24, LITTLE) & FIELDS) !== EXPECTED)
      throw new Error('samples have other fields');
    view.setBigUint64(at + 40, view.getBigUint64(at + 40, LITTLE) & ~USE_CLOCK, LITTLE);
  }
  const features = view.getBigUint64(72, LITTLE);
  let section = data + dataSize;
  for (let feature = 0; feature < 64; feature++) {
    if ((features & (1n << BigInt(feature))) === 0n) continue;
    if (CLOCK_FEATURES.includes(feature)) view.setBigUint64(section + 8, 0n, LITTLE);
    section += 16;
  }
  for (let at = data, size = 0; at < data + dataSize; at += size) {
    const type = view.getUint32(at, LITTLE);
    size = view.getUint16(at + 6, LITTLE);
    const time = at + (type === SAMPLE ? TIME_AT : size - TIME_FROM_END);
    const own = view.getBigUint64(time, LITTLE);
    // Records of what there was before have no time.
    if (type < OWN_RECORDS && own > 0n) view.setBigUint64(time, toOwn(own), LITTLE);
  }
  return bytes;
}
