// The first half of an attempt: looks at the chain, compiles, and stores the unsigned message. Nothing can land yet.
import {
  type AccountState,
  type Address,
  type Asset,
  type Commitment,
  type Network,
  type Signature,
  SOL,
  WRAPPED_SOL_MINT,
} from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { isPriceRefusal } from '#core/money/price-rules.ts'
import {
  judgeClose,
  judgeTransfer,
  type Preflight,
  type PreflightFacts,
  type Rates,
  rentOfReceivers,
} from '#core/payments/booking/preflight.ts'
import { isRentReserve } from '#core/payments/booking/rent-reserve.ts'
import { goesLast } from '#core/payments/booking/set-aside.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import type { Custodians } from '#core/payments/returns/custodians.ts'
import { OVER_BUDGET } from '#core/payments/returns/obstacle.ts'
import { limitReached, type RefundBudget, type Spending } from '#core/payments/returns/refund-budget.ts'
import type { LeasedTransfer, Transfer } from '#core/transfers/transfer.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BalanceReader, DepositKeys, RentReader, Submitter, TransactionCompiler } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Price } from '#ports/price-feed.ts'
import type { Random } from '#ports/random.ts'
import type { IntentWorkStore, TransferStore } from '#ports/stores.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import { planOf, sourceAccountOf } from './plan.ts'
import { createSetAside } from './set-aside.ts'

const CONCURRENT = 8
const TRY_AGAIN_MS = 5_000
/** Nobody waits for rent, and what keeps it may stay for good: a stranger's dust must not be asked after for ever. */
const RENT_TRY_AGAIN_MS = 15 * 60_000
const HALTED_TRY_AGAIN_MS = 15_000
/** Where only a price or a budget can end the waiting. */
const SLOW_TRY_AGAIN_MS = 60_000
const BUDGET_TRY_AGAIN_MS = 5 * 60_000
/** The most bytes of a token account that is made here: 165, and what the allowed extensions of Token-2022 add. */
const TOKEN_ACCOUNT_BYTES = 200

type PreparingChain = BalanceReader & RentReader & Pick<Submitter, 'lifetime'> & TransactionCompiler

/** Those obligations for which an attempt is now stored; the others have been given back, with the reason. */
export type PrepareAttempts = (
  network: Network,
  leased: readonly LeasedTransfer[],
) => Promise<readonly LeasedTransfer[]>

export type PrepareDeps = {
  readonly chainOf: (network: Network) => PreparingChain
  readonly transfers: Pick<
    TransferStore,
    'prepareAttempt' | 'refundSpend' | 'haltsOn' | 'postpone' | 'hold' | 'finish' | 'knownSignatures'
  >
  readonly intents: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly decisionContext: ReadDecisionContext
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly feePayerOf: (network: Network) => Address
  readonly random: Pick<Random, 'uuid'>
  readonly prices: Pick<PriceSource, 'pricesFor'>
  readonly refundBudget: RefundBudget
  readonly commitment: Commitment
  readonly clock: Clock
  readonly onError: (error: unknown, transferId: string) => void
}

export function createAttemptPreparer(deps: PrepareDeps): PrepareAttempts {
  return async (network, claimed) => {
    const leased = await withoutHalted(deps, claimed)
    if (leased.length === 0) return []
    const chain = deps.chainOf(network)
    const snapshot = await look(deps, network, chain, leased)
    const prepared: LeasedTransfer[] = []
    await forEachParallel(leased, CONCURRENT, async (one) => {
      try {
        const attempt = await prepareOne(deps, chain, one, snapshot)
        if (attempt !== null) prepared.push(attempt)
      } catch (error) {
        await giveBack(deps, one, 'The transaction could not be prepared; see the log.')
        deps.onError(error, one.transfer.id)
      }
    })
    return prepared
  }
}

/** Those whose address may be sent from; the others are given back, and say why. */
async function withoutHalted(deps: PrepareDeps, leased: readonly LeasedTransfer[]): Promise<readonly LeasedTransfer[]> {
  if (leased.length === 0) return []
  const halts = await deps.transfers.haltsOn([...new Set(leased.map(({ transfer }) => transfer.source))])
  if (halts.size === 0) return leased
  const again = new Date(deps.clock.now().getTime() + HALTED_TRY_AGAIN_MS)
  for (const { transfer, lease } of leased) {
    const halt = halts.get(transfer.source)
    if (halt !== undefined)
      await deps.transfers.postpone(lease, `Nothing is sent from its address for now. ${halt}`, again)
  }
  return leased.filter(({ transfer }) => !halts.has(transfer.source))
}

/** What one call showed of every account that the transfers touch, and what the database knows of each. */
type ChainSnapshot = {
  readonly seen: ReadonlyMap<Address, AccountState | null>
  readonly stateOf: (account: Address) => AccountState | null
  readonly sourceOf: (transfer: Transfer) => Address
  /** Where a token arrives for a wallet; null for SOL, and where there is no account yet. */
  readonly receiverOf: (transfer: Transfer, wallet: Address) => AccountState | null
  readonly feePayerLamports: bigint
  readonly rent: { readonly wallet: bigint; readonly tokenAccount: bigint }
  /** Of the assets that are returned; without those that have no recent price, or where SOL has none. */
  readonly rates: ReadonlyMap<Asset, Rates>
  readonly now: Date
  readonly custodians: Custodians
  /** What was left behind, by transfer, where all else at the address waits for a person. */
  readonly last: ReadonlySet<string>
  /** By transfer: a final deposit that it follows. */
  readonly knownSignatures: ReadonlyMap<string, Signature>
}

async function look(
  deps: PrepareDeps,
  network: Network,
  chain: PreparingChain,
  leased: readonly LeasedTransfer[],
): Promise<ChainSnapshot> {
  const feePayer = deps.feePayerOf(network)
  const sources = new Map<string, Address>()
  for (const { transfer } of leased) sources.set(transfer.id, await sourceAccountOf(deps.keys, transfer))
  const destinations = leased.flatMap(({ transfer }) => transfer.legs.map(({ destination }) => destination))
  const receivers = await receiversOf(deps.keys, leased)
  const accounts = [...new Set([feePayer, ...sources.values(), ...destinations, ...receivers.values()])]
  const { tokens, custodians } = await deps.decisionContext(network)
  const [{ states }, wallet, tokenAccount, rates, last, knownSignatures] = await Promise.all([
    chain.readAccounts(accounts, deps.commitment),
    chain.minimumBalance(0),
    chain.minimumBalance(TOKEN_ACCOUNT_BYTES),
    readRates(deps.prices, tokens, leased),
    findLast(deps, leased),
    deps.transfers.knownSignatures(leased.map(({ transfer }) => transfer.id)),
  ])
  const byAccount = new Map(accounts.map((account, at) => [account, states[at] ?? null]))
  return {
    seen: byAccount,
    stateOf: (account) => byAccount.get(account) ?? null,
    sourceOf: ({ id, source }) => sources.get(id) ?? source,
    receiverOf({ asset }, wallet) {
      const account = receivers.get(`${asset} ${wallet}`)
      return account === undefined ? null : (byAccount.get(account) ?? null)
    },
    feePayerLamports: byAccount.get(feePayer)?.lamports ?? 0n,
    rent: { wallet, tokenAccount },
    rates,
    now: deps.clock.now(),
    custodians,
    last,
    knownSignatures,
  }
}

/**
 * Returns which of what was left behind nothing else goes before: the payment is swept, and what else lies at the address
 * is claimed by no transfer, because it is held for a person.
 */
async function findLast({ intents }: PrepareDeps, leased: readonly LeasedTransfer[]): Promise<ReadonlySet<string>> {
  const last = new Set<string>()
  for (const { transfer } of leased) {
    if (!isRentReserve(transfer) || transfer.intentId === null) continue
    const facts = await intents.facts(transfer.intentId)
    if (facts !== null && goesLast(transfer, facts)) last.add(transfer.id)
  }
  return last
}

/** Prices are asked for only where tokens are returned: whether that is worth its cost depends on them. */
async function readRates(
  prices: PrepareDeps['prices'],
  tokens: DecisionContext['tokens'],
  leased: readonly LeasedTransfer[],
): Promise<ChainSnapshot['rates']> {
  const returned = leased.filter(({ transfer }) => transfer.legs.some(({ role }) => role === 'refund'))
  const assets = new Set(returned.map(({ transfer }) => transfer.asset).filter((asset) => asset !== SOL))
  if (assets.size === 0) return new Map()
  const sol = tokens.get(SOL) ?? { mint: WRAPPED_SOL_MINT, feedKey: SOL }
  const priced = [...assets].flatMap((asset) => tokens.get(asset) ?? [])
  const found = await prices.pricesFor([sol, ...priced])
  const priceOf = ({ mint }: { readonly mint: string }): Price | null => {
    const outcome = found.get(mint)
    return outcome === undefined || isPriceRefusal(outcome) ? null : outcome
  }
  const solPrice = priceOf(sol)
  return new Map(
    priced.flatMap((token) => {
      const price = priceOf(token)
      return price === null || solPrice === null ? [] : [[token.asset, { asset: price, sol: solPrice }]]
    }),
  )
}

/** The token accounts that legs arrive in, by asset and wallet. */
async function receiversOf(
  keys: PrepareDeps['keys'],
  leased: readonly LeasedTransfer[],
): Promise<ReadonlyMap<string, Address>> {
  const receivers = new Map<string, Address>()
  for (const { transfer } of leased) {
    const { asset, tokenProgram, legs } = transfer
    if (asset === SOL || tokenProgram === null) continue
    for (const { destination } of legs) {
      receivers.set(`${asset} ${destination}`, await keys.tokenAccountOf(destination, asset, tokenProgram))
    }
  }
  return receivers
}

async function prepareOne(
  deps: PrepareDeps,
  chain: PreparingChain,
  { transfer, lease }: LeasedTransfer,
  snapshot: ChainSnapshot,
): Promise<LeasedTransfer | null> {
  const source = snapshot.stateOf(snapshot.sourceOf(transfer))
  const verdict = judge(transfer, source, snapshot)
  if (verdict === 'gone') {
    await finishWithoutAttempt(deps, lease)
    return null
  }
  if (!verdict.go) {
    await putOff(deps, { transfer, lease }, verdict)
    return null
  }
  const knownSignature = snapshot.knownSignatures.get(transfer.id)
  if (knownSignature === undefined) throw new Error('a transfer follows a final deposit')
  const harvestWithheld = (source?.token?.withheld ?? 0n) > 0n
  const lifetime = await chain.lifetime()
  const { message, fee } = await chain.compile(planOf(transfer, { harvestWithheld }), lifetime, snapshot.seen)
  const spending = spendingOf(deps, transfer, snapshot, fee)
  if (spending !== null && (await isOverBudget(deps, { transfer, lease }, spending))) return null
  const live = await deps.transfers.prepareAttempt(lease, {
    id: deps.random.uuid(),
    transferId: transfer.id,
    number: transfer.attemptCount + 1,
    source: transfer.source,
    message,
    harvestWithheld,
    lifetime,
    knownSignature,
    createdAt: deps.clock.now(),
    ...(spending !== null && { spending }),
  })
  if (live !== null) return { transfer, lease, live }
  // Or the lease is lost, and then this writes nothing.
  await giveBack(deps, { lease }, 'Another transaction from this address may still land.')
  return null
}

/** The most that a refund may take from the fee payer; null for any other transfer, which has no budget. */
function spendingOf(deps: PrepareDeps, transfer: Transfer, snapshot: ChainSnapshot, fee: bigint): Spending | null {
  const { network, kind, intentId } = transfer
  if (kind !== 'refund') return null
  const cost = makeLamports(fee + rentOfReceivers(factsOf(transfer, null, snapshot)))
  const spender = { network, feePayer: deps.feePayerOf(network), intentId, now: deps.clock.now() }
  return { ...spender, cost, budget: deps.refundBudget }
}

/** Puts a refund off that would exceed a limit: of an hour or a day until that has passed, of its intent for a person. */
async function isOverBudget(
  deps: PrepareDeps,
  leased: Pick<LeasedTransfer, 'transfer' | 'lease'>,
  { cost, budget, ...spender }: Spending,
): Promise<boolean> {
  const limit = limitReached(budget, await deps.transfers.refundSpend(spender), cost)
  if (limit === null) return false
  if (limit === 'intent') {
    const refunds = leased.transfer.legs.filter(({ role }) => role === 'refund')
    const legs = refunds.map(({ role, destination }) => ({ role, destination, obstacle: 'over_budget' as const }))
    await createSetAside(deps).withoutThem(leased, OVER_BUDGET, legs)
  } else
    await giveBack(deps, leased, `${OVER_LIMIT} ${limit}: they go on when less of it is used.`, BUDGET_TRY_AGAIN_MS)
  return true
}

const OVER_LIMIT = 'Refunds have cost the fee payer as much as they may in one'

async function putOff(
  deps: PrepareDeps,
  leased: Pick<LeasedTransfer, 'transfer' | 'lease'>,
  verdict: Exclude<Preflight, { readonly go: true }>,
): Promise<void> {
  const { reason } = verdict
  const setAside = createSetAside(deps)
  switch (verdict.because) {
    case 'later': {
      const againMs = verdict.isSlow ? SLOW_TRY_AGAIN_MS : TRY_AGAIN_MS
      return await giveBack(deps, leased, reason, leased.transfer.kind === 'rent' ? RENT_TRY_AGAIN_MS : againMs)
    }
    case 'held':
      return await setAside.hold(leased, reason)
    case 'undeliverable':
      return await setAside.withoutThem(leased, reason, verdict.legs)
    case 'outdated':
      if (!(await setAside.forDust(leased, reason))) await giveBack(deps, leased, reason)
  }
}

function judge(transfer: Transfer, source: AccountState | null, snapshot: ChainSnapshot): Preflight | 'gone' {
  const { feePayerLamports, rent } = snapshot
  if (transfer.kind === 'rent') return judgeClose(source, feePayerLamports, rent.wallet)
  return judgeTransfer(factsOf(transfer, source, snapshot))
}

function factsOf(transfer: Transfer, source: AccountState | null, snapshot: ChainSnapshot): PreflightFacts {
  const { feePayerLamports, rent, now, custodians } = snapshot
  const isLast = snapshot.last.has(transfer.id)
  const wallets = transfer.legs.map(({ destination }) => destination)
  const destinations = new Map(wallets.map((wallet) => [wallet, snapshot.stateOf(wallet)]))
  const receivers = new Map(wallets.map((wallet) => [wallet, snapshot.receiverOf(transfer, wallet)]))
  const rates = snapshot.rates.get(transfer.asset) ?? null
  return { transfer, source, destinations, receivers, feePayerLamports, rent, rates, now, custodians, isLast }
}

const giveBack = (
  deps: PrepareDeps,
  { lease }: Pick<LeasedTransfer, 'lease'>,
  reason: string,
  againMs = TRY_AGAIN_MS,
): Promise<void> => deps.transfers.postpone(lease, reason, new Date(deps.clock.now().getTime() + againMs))

/** The token account is not there any more: its rent was collected before, or nothing was ever in it. */
async function finishWithoutAttempt(deps: PrepareDeps, lease: LeasedTransfer['lease']): Promise<void> {
  await deps.transfers.finish(lease, {
    attemptId: null,
    attemptState: null,
    status: 'done',
    reason: null,
    signature: null,
    slot: null,
    at: deps.clock.now(),
    ledger: [],
  })
}
