// A process that watches so many addresses one way or the other, and says how much memory it has when all is quiet.
import { setTimeout as sleep } from 'node:timers/promises'
import { createBlockMatcher } from '#adapters/solana/blocks/block-matcher.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { SOL } from '#core/chain/types.ts'
import { WatchList } from '#services/detection/polling/watch-list.ts'
import { createBlockMaker } from './mainnet-block.ts'

const [how = 'blocks', count = '0'] = process.argv.slice(2)
const AT_ONCE = 50_000
const BLOCKS = 6

const maker = createBlockMaker(1)
const matcher = createBlockMatcher()
const list = new WatchList()
const at = new Date(0)

const add = (from: number, addresses: readonly string[]): void => {
  if (how === 'blocks') {
    matcher.watch(addresses)
    return
  }
  for (const [place, text] of addresses.entries()) {
    const address = makeAddress(text)
    const id = `00000000-0000-4000-8000-${String(from + place).padStart(12, '0')}`
    const times = { createdAt: at, expiresAt: at, updatedAt: at }
    const intent = {
      id,
      version: 1,
      network: 'live',
      derivationIndex: from + place,
      address,
      acceptedAssets: [SOL],
      asset: null,
    } as const
    list.put({
      intent: { ...intent, ...times, status: 'swept' },
      pace: 'old',
      accounts: [{ account: address, asset: SOL }],
    })
  }
}

for (let made = 0; made < Number(count); made += AT_ONCE)
  add(made, Array.from({ length: Math.min(AT_ONCE, Number(count) - made) }, maker.freshAddress))
if (how === 'blocks') {
  for (let slot = 1; slot <= BLOCKS; slot += 1) {
    const answer = new TextEncoder().encode(`{"jsonrpc":"2.0","id":1,"result":${maker.block(slot, slot - 1)}}`)
    await matcher.match(BigInt(slot), answer.slice().buffer)
  }
}
for (let round = 0; round < 4; round += 1) {
  globalThis.gc?.()
  await sleep(100)
}
console.log(JSON.stringify({ rss: process.memoryUsage().rss, watched: how === 'blocks' ? matcher.watched : list.size }))
process.exit(0)
