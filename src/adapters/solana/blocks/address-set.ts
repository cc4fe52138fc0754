// A million addresses in a few megabytes: an open-addressing table of 64-bit fingerprints. It never misses an address
// that was added. Two addresses can share a fingerprint, so every caller checks a match in the database.

const FIRST_CAPACITY = 1 << 12
/** In a fuller table, searches take long. */
const MAX_LOAD_FACTOR = 0.6

/**
 * Returns fingerprints of base58 texts, without decoding: decoding every account of a block would be the largest cost.
 */
export function fingerprintsOf(addresses: readonly string[]): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(addresses.length * 2)
  for (const [at, address] of addresses.entries()) {
    words[at * 2] = firstWord(address)
    words[at * 2 + 1] = secondWord(address)
  }
  return words
}

export class AddressSet {
  #mask = FIRST_CAPACITY - 1
  #table = new Uint32Array(FIRST_CAPACITY * 2)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds fingerprints, two words each, as `fingerprintsOf` returns them. */
  add(fingerprints: Uint32Array): void {
    const capacity = this.#mask + 1
    let needed = capacity
    while (this.#size + fingerprints.length / 2 > needed * MAX_LOAD_FACTOR) needed *= 2
    if (needed > capacity) this.#growTo(needed)
    this.#putAll(fingerprints)
  }

  /** Returns all fingerprints, as `add` takes them, with empty places in between. */
  fingerprints(): Uint32Array<ArrayBuffer> {
    return this.#table.slice()
  }

  /** Returns whether the address, or another address with the same fingerprint, was added. */
  mayHave(address: string): boolean {
    const first = firstWord(address)
    const second = secondWord(address)
    return this.#table[this.#placeOf(first, second) * 2 + 1] === second
  }

  #growTo(capacity: number): void {
    const before = this.#table
    this.#mask = capacity - 1
    this.#table = new Uint32Array(capacity * 2)
    this.#size = 0
    this.#putAll(before)
  }

  #putAll(words: Uint32Array): void {
    for (let at = 0; at < words.length; at += 2) {
      const second = words[at + 1] ?? 0
      // A zero marks a free place of a table; a fingerprint is never zero.
      if (second !== 0) this.#put(words[at] ?? 0, second)
    }
  }

  #put(first: number, second: number): void {
    const table = this.#table
    const place = this.#placeOf(first, second)
    if (table[place * 2 + 1] !== 0) return
    table[place * 2] = first
    table[place * 2 + 1] = second
    this.#size += 1
  }

  /** Returns the place of the fingerprint, or the free place where it belongs. */
  #placeOf(first: number, second: number): number {
    const table = this.#table
    const mask = this.#mask
    let place = first & mask
    for (;;) {
      const there = table[place * 2 + 1]
      if (there === 0 || (there === second && table[place * 2] === first)) return place
      place = (place + 1) & mask
    }
  }
}

/** Returns FNV-1a of the text, from the front. */
function firstWord(text: string): number {
  let word = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) word = Math.imul(word ^ text.charCodeAt(at), 0x01000193)
  return (word ^ (word >>> 15)) >>> 0
}

/** Returns the same hash with another prime, from the back; never zero. */
function secondWord(text: string): number {
  let word = 0x9e3779b9
  for (let at = text.length - 1; at >= 0; at -= 1) word = Math.imul(word ^ text.charCodeAt(at), 0x85ebca6b)
  return (word ^ (word >>> 13)) >>> 0 || 1
}
