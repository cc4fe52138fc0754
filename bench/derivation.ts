// Deposit addresses a second, beside micro-key-producer alone. Runs by itself: `node bench/derivation.ts`.
import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { getAddressDecoder } from '@solana/kit'
import { HDKey } from 'micro-key-producer/slip10.js'
import { createDepositKeys } from '#adapters/solana/deposit-keys.ts'

const ADDRESSES = 4000
const BASELINE_ADDRESSES = 250
const ROUNDS = 5

export const derivation = {
  name: 'addresses derived per second',
  async run() {
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
    return {
      name: derivation.name,
      ratio: best.warm / best.alone,
      target: 10,
      unit: 'addresses/s',
      ours: Math.round(best.warm),
      baseline: Math.round(best.alone),
      detail:
        `account remembered ${Math.round(best.warm)}/s, never seen ${Math.round(best.cold)}/s; micro-key-producer from ` +
        `its root ${Math.round(best.alone)}/s, from a remembered account ${Math.round(best.aloneCached)}/s`,
    }
  },
}

function perSecond(one: () => unknown, count: number): number {
  const start = performance.now()
  for (let i = 0; i < count; i += 1) one()
  return (count * 1000) / (performance.now() - start)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(await derivation.run())
