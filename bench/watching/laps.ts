// RPC calls of watching: the production watcher over a chain that only counts, against the fewest possible calls.

import { systemClock } from '#adapters/node/clock.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import type { Token } from '#core/tokens/token.ts'
import type { WatchedIntent } from '#ports/payments.ts'
import { LAP_EVERY_MS } from '#services/detection/polling/watch-list.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import type { BenchResult } from '../result.ts'

const MINT = makeAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const TOKEN_PROGRAM = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const CALLS_PER_MINUTE = 600
const MINUTE_MS = 60_000

const token: Token = {
  network: 'live',
  asset: MINT,
  mint: MINT,
  isNative: false,
  name: 'USD Coin',
  ticker: 'USDC',
  decimals: 6,
  tokenProgram: TOKEN_PROGRAM,
  extensions: [],
  feedKey: 'USDC',
  imageName: null,
  enabled: true,
}
const sol: Token = { ...token, asset: SOL, mint: makeAddress(WRAPPED_SOL_MINT), isNative: true, tokenProgram: null }

/** One minute of watching `count` open intents that accept SOL and one token, on a clock of its own. */
async function watchFor(count: number): Promise<{ laps: number; calls: number; floor: number; everyMs: number }> {
  const keys = createDepositKeys(new Uint8Array(64).fill(count % 251))
  const started = systemClock.now().getTime()
  let now = started
  let calls = 0
  const begunAt: number[] = []
  const intents = Array.from(
    { length: count },
    (_, at): WatchedIntent => ({
      id: `intent-${at}`,
      version: 1,
      network: 'live',
      derivationIndex: at + 1,
      address: keys.addressOf({ network: 'live', branch: 'deposit', account: 1, intent: at + 1 }),
      acceptedAssets: [SOL, MINT],
      asset: SOL,
      status: 'pending',
      createdAt: new Date(started),
      expiresAt: new Date(started + 600_000),
      updatedAt: new Date(started),
    }),
  )
  const watcher = new Watcher({
    network: 'live',
    chain: {
      // As the adapter does: a hundred accounts a call.
      async readAccounts(accounts) {
        calls += Math.ceil(accounts.length / 100)
        if (accounts[0] === intents[0]?.address) begunAt.push(now)
        return { slot: 1n, states: accounts.map(() => null) }
      },
    },
    store: {
      watchList: async (_network, { afterIndex, limit, open }) =>
        open ? intents.filter(({ derivationIndex }) => derivationIndex > afterIndex).slice(0, limit) : [],
      watched: async () => [],
    },
    directory: {
      tokens: async () =>
        new Map<Asset, Token>([
          [SOL, sol],
          [MINT, token],
        ]),
    },
    keys,
    notices: null,
    observe: async () => ({ explained: true, unfinished: false, leaving: new Set() }),
    clock: { now: () => new Date(now) },
    callsPerMinute: CALLS_PER_MINUTE,
    onNotice: () => {},
    onError: (error) => {
      throw error
    },
  })
  await watcher.reload()
  for (; now < started + MINUTE_MS; now += 1_000) await watcher.runOnce()
  const laps = begunAt.length
  const everyMs = laps > 1 ? ((begunAt.at(-1) ?? now) - (begunAt[0] ?? now)) / (laps - 1) : LAP_EVERY_MS.busy
  return { laps, calls, floor: laps * Math.ceil((count * 2) / 100), everyMs }
}

export async function benchLaps(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = []
  for (const count of [100, 1_000, 10_000]) {
    progress(`watching ${count} open intents for a minute of their own`)
    const { calls, floor, everyMs } = await watchFor(count)
    results.push({
      name: `RPC calls a minute, ${count} open intents`,
      ours: calls,
      baseline: floor,
      unit: 'calls',
      ratio: calls / floor,
      target: { atMost: 1.1 },
      detail: `a lap every ${(everyMs / 1_000).toFixed(1)} s; baseline: full calls of 100 accounts, nothing read twice`,
    })
  }
  return results
}
