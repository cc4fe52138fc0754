// Every choice of a simulated life comes from one seed, in named streams: an additional draw in one stream changes no
// other stream.
import { createHash } from 'node:crypto'
import type { Random } from '#ports/random.ts'

export type Dice = {
  /** A number from 0 to 1, without 1. */
  fraction(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  chance(odds: number): boolean
  pick<T>(from: readonly T[]): T
  shuffled<T>(items: readonly T[]): T[]
  bytes(length: number): Uint8Array
  /** Returns the stream of that name. */
  stream(name: string): Dice
}

export function createDice(seed: string): Dice {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0)
  // Mulberry32: small, fast, and the same on every machine.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const dice: Dice = {
    fraction: next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (odds) => next() < odds,
    pick(from) {
      const one = from[Math.floor(next() * from.length)]
      if (one === undefined) throw new RangeError('nothing to pick from')
      return one
    },
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
    bytes: (length) => Uint8Array.from({ length }, () => Math.floor(next() * 256)),
    stream: (name) => createDice(`${seed}/${name}`),
  }
  return dice
}

/** The service's port of randomness over a stream. */
export function seededRandom(dice: Dice): Random {
  return {
    bytes: dice.bytes,
    fraction: dice.fraction,
    uuid() {
      const hex = Buffer.from(dice.bytes(16)).toString('hex')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
    },
  }
}
