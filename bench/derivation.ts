// Deposit addresses a second, against micro-key-producer alone.
import { randomBytes } from 'node:crypto'
import { getAddressDecoder } from '@solana/kit'
import { HDKey } from 'micro-key-producer/slip10.js'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import type { BenchResult } from './result.ts'

const ADDRESSES = 4_000
const BASELINE_ADDRESSES = 250
const ROUNDS = 5

export async function benchDerivation(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  progress(`${ROUNDS} rounds of ${ADDRESSES} addresses, against ${BASELINE_ADDRESSES} of the baseline`)
  const seed = randomBytes(64)
  const decoder = getAddressDecoder()
  const root = HDKey.fromMasterSeed(seed)
  const account = root.derive("m/44'/501'/7'")
  let intent = 1

  const warmKeys = createDepositKeys(seed)
  const warm = () => warmKeys.addressOf({ network: 'live', branch: 'deposit', account: 7, intent: intent++ })
  const coldKeys = createDepositKeys(seed)
  const cold = () => coldKeys.addressOf({ network: 'live', branch: 'deposit', account: intent++, intent: 1 })
  const alone = () => decoder.decode(root.derive(`m/44'/501'/7'/${intent++}'`).publicKeyRaw)
  const aloneCached = () => decoder.decode(account.deriveChild(0x80000000 + intent++).publicKeyRaw)

  if (warm() !== decoder.decode(root.derive(`m/44'/501'/7'/${intent - 1}'`).publicKeyRaw))
    throw new Error('the two ways give different addresses')

  // Rounds are interleaved and the best of each counts, so that a busy moment of the machine touches both alike.
  const best = { warm: 0, cold: 0, alone: 0, aloneCached: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    best.warm = Math.max(best.warm, perSecond(warm, ADDRESSES))
    best.cold = Math.max(best.cold, perSecond(cold, ADDRESSES))
    best.alone = Math.max(best.alone, perSecond(alone, BASELINE_ADDRESSES))
    best.aloneCached = Math.max(best.aloneCached, perSecond(aloneCached, BASELINE_ADDRESSES))
  }
  const rounded = (rate: number) => `${Math.round(rate)}/s`
  return [
    {
      name: 'deposit addresses',
      ours: best.warm,
      baseline: best.alone,
      unit: 'addresses/s',
      ratio: best.warm / best.alone,
      target: { atLeast: 10 },
      detail: `of an account never seen ${rounded(best.cold)}; micro-key-producer from a kept account ${rounded(best.aloneCached)}`,
    },
  ]
}

function perSecond(one: () => unknown, count: number): number {
  const start = performance.now()
  for (let i = 0; i < count; i += 1) one()
  return (count * 1000) / (performance.now() - start)
}
