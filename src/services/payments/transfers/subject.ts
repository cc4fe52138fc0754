// Payments as a subject of transfers: sweeps, refunds and releases are checked against the chain before they are signed,
// and booked together with the payment's status.
import { type Asset, type Network, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { isPriceRefusal } from '#core/money/price.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { judgeTransfer, PRICE_WAIT_MS, type Preflight, type PreflightFacts } from '#core/payments/machine/preflight.ts'
import { bookExhausted, isReserveDue } from '#core/payments/machine/withdraw.ts'
import { OVER_BUDGET } from '#core/payments/obstacle.ts'
import {
  asPaymentTransfer,
  isForBusiness,
  isRentReserve,
  PAYMENT_SUBJECT,
  type PaymentTransfer,
  RENT_SUBJECT,
} from '#core/payments/transfers.ts'
import type { Token } from '#core/tokens/token.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import { PAYOUT_PENDING, payoutWithoutAccount } from '#core/transfers/payout-creation.ts'
import { coversLegs, TRY_AGAIN_MS, type TransferView } from '#core/transfers/preflight.ts'
import { msSince } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'
import type { Price } from '#ports/price-feed.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import { claimPayoutCreation, type PayoutCreationDeps } from '#services/transfers/payout-creation.ts'
import { createRentSubject } from '#services/transfers/rent-subject.ts'
import type { Check, Claimed, TransferSubject } from '#services/transfers/subject.ts'
import {
  createTokenReleaseSubject,
  type DecideDeps,
  decideByTransfer,
  holdTransfer,
  planForDust,
  planWithout,
} from './token-release.ts'

// Prices by which a refund of tokens is compared with what it costs the fee payer in SOL.

type RateFacts = Pick<PreflightFacts, 'rates' | 'unpricedSince'>

/** Returns the rates of the assets that the allowlist contains. An asset has none while it or SOL has no recent price. */
export type ReadRates = (
  tokens: DecisionContext['tokens'],
  assets: ReadonlySet<Asset>,
) => Promise<ReadonlyMap<Asset, RateFacts>>

export function createRatesReader(deps: {
  readonly prices: Pick<PriceSource, 'pricesFor'>
  readonly clock: Clock
}): ReadRates {
  const misses = new Map<string, { readonly first: Date; readonly last: Date }>()

  /** Returns when the first reading failed, and counts the present one. After an hour without a reading, it is the first again. */
  function unpricedSince(token: Token): Date {
    const now = deps.clock.now()
    const known = misses.get(nameOf(token))
    const goesOn = known !== undefined && msSince(known.last.getTime(), now.getTime()) < PRICE_WAIT_MS
    const first = goesOn ? known.first : now
    misses.set(nameOf(token), { first, last: now })
    return first
  }

  return async (tokens, assets) => {
    if (assets.size === 0) return new Map()
    const sol = tokens.get(SOL) ?? { mint: WRAPPED_SOL_MINT, feedKey: SOL }
    const priced = [...assets].flatMap((asset) => tokens.get(asset) ?? [])
    const found = await deps.prices.pricesFor([sol, ...priced])
    const priceOf = ({ mint }: { readonly mint: string }): Price | null => {
      const outcome = found.get(mint)
      return outcome === undefined || isPriceRefusal(outcome) ? null : outcome
    }
    const solPrice = priceOf(sol)
    const factsOf = (token: Token): RateFacts => {
      const price = priceOf(token)
      if (price === null || solPrice === null) return { rates: null, unpricedSince: unpricedSince(token) }
      misses.delete(nameOf(token))
      return { rates: { asset: price, sol: solPrice }, unpricedSince: null }
    }
    return new Map(priced.map((token) => [token.asset, factsOf(token)]))
  }
}

const nameOf = ({ network, asset }: Token): string => `${network} ${asset}`

/** The delay when only a price can end the waiting. */
const SLOW_TRY_AGAIN_MS = 60_000
/** The transfers of each kind that one round claims. */
const MAX = { sweep: 128, refund: 64, release: 16 } as const

type PaymentSubjectDeps = DecideDeps &
  PayoutCreationDeps & {
    readonly prices: Pick<PriceSource, 'pricesFor'>
    readonly refundBudget: SpendBudget
    /** The priority fee for each compute unit, in millionths of a lamport. */
    readonly computeUnitPrice: bigint
  }

function createPaymentSubject(deps: PaymentSubjectDeps): TransferSubject {
  const readRates = createRatesReader(deps)
  return {
    kind: PAYMENT_SUBJECT,
    queues: {
      sweep: { most: MAX.sweep },
      refund: { most: MAX.refund, budget: deps.refundBudget },
      release: { most: MAX.release },
    },
    action: 'legs',
    isUntouched: coversLegs,
    async readChecks(network, claimed) {
      const known = await readKnown({ ...deps, readRates }, network, claimed)
      return async (one, view) => {
        const transfer = asPaymentTransfer(one.transfer)
        const check = await follow(deps, one, judgeTransfer({ ...view, ...known(transfer), transfer }))
        return check === 'go' ? await judgePayout(deps, transfer, view) : check
      }
    },
    async overBudget(one) {
      const refunds = asPaymentTransfer(one.transfer).legs.filter(({ role }) => role === 'refund')
      const legs = refunds.map(({ role, destination }) => ({ role, destination, obstacle: 'over_budget' as const }))
      await planWithout(deps, one, OVER_BUDGET, legs)
      return 'handled'
    },
    async book(one, attempt, transaction) {
      await decideByTransfer(deps, one, (about) => bookTransfer({ ...about, attempt, transaction }))
    },
    async giveUp(one, attempt, reason) {
      await decideByTransfer(deps, one, (about) => bookExhausted({ ...about, attempt }, reason))
    },
  }
}

/** Judges whether the fee payer may pay for the token account of the business, where it is missing. */
async function judgePayout(deps: PayoutCreationDeps, transfer: PaymentTransfer, view: TransferView): Promise<Check> {
  const wallet = payoutWithoutAccount(transfer, view, isForBusiness)
  if (wallet === null) return 'go'
  switch (await claimPayoutCreation(deps, transfer, { isCharge: false })) {
    case 'allowed':
      return 'go'
    case 'pending':
      return PAYOUT_PENDING
    case 'spent':
      return { reason: `${wallet} ${NO_PAYOUT_ACCOUNT}`, afterMs: SLOW_TRY_AGAIN_MS }
  }
}

/** Anyone can create the token account of a wallet, so this ends without a person of the service. */
const NO_PAYOUT_ACCOUNT = 'has no account for this token, and the service paid for one in the last 30 days: create it.'

type Known = Pick<PreflightFacts, 'rates' | 'unpricedSince' | 'computeUnitPrice' | 'now' | 'custodians' | 'isLast'>

const NO_RATES = { rates: null, unpricedSince: null }

/** Reads the facts for the checks that are not on the chain. */
async function readKnown(
  deps: PaymentSubjectDeps & { readonly readRates: ReadRates },
  network: Network,
  claimed: readonly Claimed[],
): Promise<(transfer: PaymentTransfer) => Known> {
  const { tokens, custodians } = await deps.decisionContext(network)
  const transfers = claimed.map(({ transfer }) => asPaymentTransfer(transfer))
  const [rates, last] = await Promise.all([
    deps.readRates(tokens, returnedAssets(transfers)),
    findLast(deps, transfers),
  ])
  const { computeUnitPrice } = deps
  const now = deps.clock.now()
  return ({ id, asset }) => ({
    ...(rates.get(asset) ?? NO_RATES),
    computeUnitPrice,
    now,
    custodians,
    isLast: last.has(id),
  })
}

/** Reads prices, only when tokens are returned: whether a return is worth its cost depends on them. */
const returnedAssets = (transfers: readonly PaymentTransfer[]): ReadonlySet<Asset> =>
  new Set(
    transfers
      .filter(({ asset, legs }) => asset !== SOL && legs.some(({ role }) => role === 'refund' || role === 'buyer'))
      .map(({ asset }) => asset),
  )

/** Returns the rent reserves that go now. */
async function findLast(
  { intents, clock }: Pick<PaymentSubjectDeps, 'intents' | 'clock'>,
  transfers: readonly PaymentTransfer[],
): Promise<ReadonlySet<string>> {
  const last = new Set<string>()
  for (const transfer of transfers.filter(isRentReserve)) {
    const facts = await intents.facts(transfer.subject.id)
    if (facts !== null && isReserveDue(transfer, facts, clock.now())) last.add(transfer.id)
  }
  return last
}

/** Carries out the verdict of the check. */
async function follow(deps: DecideDeps, one: Claimed, verdict: Preflight): Promise<Check> {
  if (verdict.go) return 'go'
  const { reason } = verdict
  switch (verdict.because) {
    case 'later':
      return { reason, afterMs: verdict.isSlow ? SLOW_TRY_AGAIN_MS : TRY_AGAIN_MS }
    case 'held':
      await holdTransfer(deps, one, reason)
      return 'handled'
    case 'undeliverable':
      await planWithout(deps, one, reason, verdict.legs)
      return 'handled'
    case 'outdated':
      return (await planForDust(deps, one, reason)) ? 'handled' : { reason, afterMs: TRY_AGAIN_MS }
  }
}

/** Returns the subjects of payments: the payments, the rent of their emptied token accounts, and releases of tokens without books. */
export const subjectsOfPayments = (
  deps: PaymentSubjectDeps & Omit<Parameters<typeof createRentSubject>[0], 'kind'>,
): readonly TransferSubject[] => [
  createPaymentSubject(deps),
  createRentSubject({ ...deps, kind: RENT_SUBJECT }),
  createTokenReleaseSubject(deps),
]
