// What recurring billing finds in a world: its settlement token, the wallets of subscribers, and the terms of the platform.
import type { Stores } from '#compose/stores.ts'
import type { Interval } from '#core/billing/tier.ts'
import type { Address } from '#core/chain/types.ts'
import { type Lamports, makeBasisPoints, makeLamports, makeUsdCents } from '#core/money/amounts.ts'
import type { PlatformBillingTerms } from '#services/billing/billing-services.ts'
import { holdingData, mintData, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/raw.ts'
import { createWallet, holdingPlace, type Wallet, type WorldMint } from '../chain/wallets.ts'
import type { Dice } from '../dice.ts'
import { NETWORK } from '../instance-ports.ts'
import type { Ground } from '../world.ts'

// The season of a seed with subscriptions: how long it lasts, and the periods that businesses sell in it.

const DAY_MS = 86_400_000

type Season = {
  readonly lengthMs: number
  /** Subscribers come in this time. */
  readonly openMs: number
  readonly tiers: readonly { readonly interval: Interval; readonly intervalCount: number }[]
  /** The lengths of trials in days. Some tiers have one. */
  readonly trials: readonly number[]
}

/** About as many periods in each season, so that a year costs no more steps than a week. */
const SEASONS: readonly Season[] = [
  { lengthMs: 7 * DAY_MS, openMs: DAY_MS, tiers: [{ interval: 'day', intervalCount: 1 }], trials: [1, 2] },
  {
    lengthMs: 40 * DAY_MS,
    openMs: 6 * DAY_MS,
    tiers: [
      { interval: 'week', intervalCount: 1 },
      { interval: 'day', intervalCount: 5 },
    ],
    trials: [3, 7],
  },
  {
    lengthMs: 220 * DAY_MS,
    // Until the end of January: months that are too short follow.
    openMs: 73 * DAY_MS,
    tiers: [
      { interval: 'month', intervalCount: 1 },
      { interval: 'week', intervalCount: 5 },
    ],
    trials: [7, 14, 30],
  },
  {
    lengthMs: 1_300 * DAY_MS,
    openMs: 73 * DAY_MS,
    tiers: [
      { interval: 'year', intervalCount: 1 },
      { interval: 'month', intervalCount: 6 },
    ],
    trials: [14, 90],
  },
]

/** Every third seed has subscriptions, and every seed where they are wanted. Returns null for the others. */
function drawSeason(dice: Dice, isWanted: boolean): Season | null {
  const has = dice.chance(1 / 3)
  const season = dice.pick(SEASONS)
  return has || isWanted ? season : null
}

export type BillingStage = {
  readonly season: Season
  readonly mint: WorldMint
  readonly subscribers: readonly Wallet[]
  readonly terms: PlatformBillingTerms
  readonly sponsorLamportsPerDay: Lamports
  readonly sponsorLamportsPerBusiness: Lamports
  /** The key that pulls. */
  readonly delegate: Address
  /** false while the operator has disabled recurring billing; an instance reads it when it starts. */
  isOn: boolean
}

const SOL_UNIT = 1_000_000_000n
/** In base units: enough for every period of every subscription. */
export const PLENTY = 100_000_000n
const FEE_BPS = 175
/** Enough for two checkouts of a day, one of each business: then `prepare` is refused. */
const TIGHT_BUDGET = 28_000
const BUDGET = 100_000_000

/** Returns null for a seed without subscriptions. The token has two decimals, so that fees are rounded. */
export async function setBillingStage(
  ground: Ground,
  stores: Pick<Stores, 'tokens'>,
  parts: { readonly issuer: Wallet; readonly platformWallet: Address | null; readonly delegate: Address },
  isWanted: boolean,
): Promise<BillingStage | null> {
  const { chain } = ground
  const dice = ground.dice.stream('subscriptions')
  const season = drawSeason(dice, isWanted)
  if (season === null) return null
  const { address } = createWallet(dice)
  const program = dice.pick([TOKEN_PROGRAM, TOKEN_2022_PROGRAM])
  const mint: WorldMint = { ticker: 'CENT', mint: address, program, decimals: 2, transferFeeBps: null }
  const data = mintData(parts.issuer.address, mint.decimals, null)
  chain.found(address, { lamports: chain.rentOf(BigInt(data.length)), owner: program, data })
  const subscribers = Array.from({ length: dice.between(1, 2) }, () => createWallet(dice))
  for (const { address: owner } of subscribers) {
    chain.found(owner, { lamports: SOL_UNIT, owner: SYSTEM_PROGRAM, data: new Uint8Array() })
    const held = holdingData({ mint: address, owner, amount: PLENTY }, false)
    chain.found(holdingPlace(owner, mint), { lamports: chain.rentOf(BigInt(held.length)), owner: program, data: held })
  }
  await stores.tokens.save({
    network: NETWORK,
    asset: address,
    mint: address,
    isNative: false,
    name: mint.ticker,
    ticker: mint.ticker,
    decimals: mint.decimals,
    tokenProgram: program,
    extensions: [],
    feedKey: mint.ticker,
    imageName: null,
    enabled: true,
  })
  const { platformWallet, delegate } = parts
  return {
    season,
    mint,
    subscribers,
    delegate,
    sponsorLamportsPerDay: makeLamports(dice.chance(0.3) ? TIGHT_BUDGET : BUDGET),
    sponsorLamportsPerBusiness: makeLamports(BUDGET),
    isOn: true,
    terms: {
      mint: address,
      minPriceUsdCents: makeUsdCents(10),
      maxPriceUsdCents: makeUsdCents(1_000_000),
      platformFeeBps: makeBasisPoints(platformWallet === null ? 0 : FEE_BPS),
      platformWallet,
      subscriptionsPerWallet: 50,
    },
  }
}
