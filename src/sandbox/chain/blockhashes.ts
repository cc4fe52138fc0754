// Makes blockhashes that never repeat. The runtime numbers its own from one at each start, so a transaction of an earlier
// life, landed or expired, could land again in a later one. Clients therefore get only hashes that are made here, from the
// place of their block. They are added to the recent hashes of the runtime, where they age and expire like any other.
import { createHash } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import { z } from 'zod'
import type { ChainClock } from './chain-clock.ts'
import type { Upstream } from './upstream.ts'

const RECENT_BLOCKHASHES = 'SysvarRecentB1ockHashes11111111111111111111'
/** The account's data: how many, then for each 32 bytes of hash and 8 of fee, newest first. */
const NEWEST_AT = 8
/**
 * The runtime keeps 150. A block that is made while a hash is added sometimes keeps the others for one slot longer. The
 * last valid height includes a few more, so that no transaction lands after it.
 */
const LIFETIME = 155
const KEPT = 64

export type Blockhash = { readonly hash: string; readonly lastValidBlockHeight: number }
export type Blockhashes = {
  /** Puts a new hash among the recent ones. */
  renew(): Promise<void>
  latest(): Blockhash
  /**
   * Returns whether a hash was given out in this life and is valid at a height. The runtime keeps some for longer when it is busy, so
   * it cannot be asked.
   */
  isValid(hash: string, height: number): boolean
}

const accountSchema = z.object({ value: z.object({ data: z.tuple([z.base64(), z.literal('base64')]) }) })

export async function startBlockhashes(
  genesisHash: string,
  upstream: Pick<Upstream, 'call'>,
  chainClock: Pick<ChainClock, 'at'>,
): Promise<Blockhashes> {
  const issued = new Map<string, Blockhash>()
  let latest = await issue()

  async function issue(): Promise<Blockhash> {
    const { slot } = await chainClock.at('processed')
    const bytes = createHash('sha256').update(`blockhash ${genesisHash} ${slot}`).digest()
    const account = await upstream.call('getAccountInfo', [RECENT_BLOCKHASHES, { encoding: 'base64' }])
    const recent = Buffer.from(accountSchema.parse(JSON.parse(account)).value.data[0], 'base64')
    recent.set(bytes, NEWEST_AT)
    await upstream.call('surfnet_setAccount', [RECENT_BLOCKHASHES, { data: recent.toString('hex') }])
    const { height } = await chainClock.at('processed')
    const hash = getBase58Decoder().decode(bytes)
    const blockhash = { hash, lastValidBlockHeight: height + LIFETIME }
    issued.set(hash, blockhash)
    for (const old of [...issued.keys()].slice(0, -KEPT)) issued.delete(old)
    return blockhash
  }

  return {
    renew: async () => {
      latest = await issue()
    },
    latest: () => latest,
    isValid: (hash, height) => height <= (issued.get(hash)?.lastValidBlockHeight ?? -1),
  }
}
