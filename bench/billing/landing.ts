// Waiting for charges to land.
import { type Address, address, createSolanaRpc } from '@solana/kit'
import { until } from '../harness/until.ts'
import { UNIT } from './seed.ts'

const LOOK_EVERY_MS = 50

/** The part of a charge that the business gets, in base units. */
const NET = (UNIT * 99n) / 100n

/** Returns how many charges have landed on the chain, by what the business has got. */
export async function countLanded(rpcUrl: string, payoutAta: Address): Promise<number> {
  const config = { commitment: 'finalized', encoding: 'base64' } as const
  const { value } = await createSolanaRpc(rpcUrl).getAccountInfo(payoutAta, config).send()
  if (value === null) throw new Error('the business has no token account')
  return Number(Buffer.from(value.data[0], 'base64').readBigUInt64LE(64) / NET)
}

/** Resolves with the time (`performance.now()`) at which so many charges have landed in all. */
export async function untilLanded(rpcUrl: string, payoutAta: Address, count: number): Promise<number> {
  await until(async () => (await countLanded(rpcUrl, payoutAta)) >= count, LOOK_EVERY_MS)
  return performance.now()
}

const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111')

/** Resolves with the time (`performance.now()`) at which the clock of the chain, of a confirmed block, has reached a time. */
export async function untilReached(rpcUrl: string, time: Date): Promise<number> {
  const rpc = createSolanaRpc(rpcUrl)
  const config = { commitment: 'finalized', encoding: 'base64' } as const
  await until(async () => {
    const { value } = await rpc.getAccountInfo(CLOCK_SYSVAR, config).send()
    if (value === null) throw new Error('the chain has no clock')
    return Number(Buffer.from(value.data[0], 'base64').readBigInt64LE(32)) * 1_000 >= time.getTime()
  }, LOOK_EVERY_MS)
  return performance.now()
}
