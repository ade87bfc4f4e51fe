/** CRC-32 of zip and gzip (ISO 3309, reflected polynomial 0xedb88320), a byte at a time. */
export class Crc32 {
  #state = -1;

  update(bytes: Uint8Array): void {
    let state = this.#state;
    for (let i = 0; i < bytes.length; i++) state = TABLE[(state ^ bytes[i]) & 0xff] ^ (state >>> 8);
    this.#state = state;
  }

  get value(): number {
    return ~this.#state >>> 0;
  }
}

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});
