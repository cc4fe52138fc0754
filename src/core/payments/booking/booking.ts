// What a final transaction did, told to the ledger, the obligation and the intent at once. MONEY: the protocol, 3 and 4.
import type { Address, Asset, ObservedTransaction, Signature } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, capAtU64, makeBaseUnits, smaller, subtract, ZERO } from '#core/money/amounts.ts'
import { giveUp, statusGivenUp } from '#core/payments/booking/give-up.ts'
import { isLeftBehind, TRIES_TO_EMPTY } from '#core/payments/booking/rent-reserve.ts'
import { type IntentChange, type IntentFacts, moveTo, startChange, step } from '#core/payments/machine/change.ts'
import type { Surroundings } from '#core/payments/machine/decision-context.ts'
import {
  claimsAfter,
  depositsAfter,
  hasFailed,
  isOpen,
  takesApart,
  unclaimedApart,
  unclaimedOf,
  withDeposits,
} from '#core/payments/machine/reservations.ts'
import { nextRest, planSweep } from '#core/payments/machine/sweeping.ts'
import type { Deposit, Settlement, SettlementLeg } from '#core/payments/payment-intent.ts'
import { type Share, sharesLeft, sharesOf, totalOf } from '#core/payments/returns/deposit-shares.ts'
import { heldExcess } from '#core/payments/returns/return-state.ts'
import { withReturns } from '#core/payments/returns/returns.ts'
import type { Token } from '#core/tokens/token.ts'
import type {
  Attempt,
  AttemptOutcome,
  LedgerKind,
  NewLedgerEntry,
  NewTransfer,
  Transfer,
  TransferStatus,
} from '#core/transfers/transfer.ts'
import { sameSource } from '#core/transfers/transfer.ts'

/** Every effect that a final transaction had on addresses of ours, from its own balances before and after. */
export function ledgerOf(
  transaction: ObservedTransaction,
  ours: ReadonlySet<Address>,
  about: { network: Transfer['network']; kind: LedgerKind; intentId: string | null; transferId: string | null },
): readonly NewLedgerEntry[] {
  return transaction.changes
    .filter((change) => ours.has(change.owner) && change.after !== change.before)
    .map((change) => ({
      ...about,
      address: change.owner,
      account: change.account,
      asset: change.asset,
      delta: change.after - change.before,
      signature: transaction.signature,
      slot: transaction.slot,
    }))
}

/** What arrived for each leg, in leg order: less than was sent where the mint takes a fee, and never guessed. */
export function movedByLegs(transfer: Transfer, transaction: ObservedTransaction): readonly BaseUnits[] {
  const arrived = new Map<Address, bigint>()
  for (const change of transaction.changes) {
    if (change.asset !== transfer.asset || change.owner === transfer.source) continue
    const fee = change.asset === SOL && change.owner === transaction.feePayer ? transaction.fee : ZERO
    arrived.set(change.owner, (arrived.get(change.owner) ?? 0n) + change.after - change.before + fee)
  }
  // The fee payer may get exactly its fee back, and then its balance did not change at all.
  if (transfer.asset === SOL && !arrived.has(transaction.feePayer)) arrived.set(transaction.feePayer, transaction.fee)
  return transfer.legs.map((leg) => {
    const left = arrived.get(leg.destination) ?? 0n
    const share = left > 0n ? smaller(leg.amount, makeBaseUnits(left)) : ZERO
    arrived.set(leg.destination, left - share)
    return share
  })
}

export type Booking = {
  readonly facts: IntentFacts
  readonly transfer: Transfer
  readonly attempt: Attempt & { readonly signature: Signature }
  readonly transaction: ObservedTransaction
  readonly around: Surroundings
}

/** Books the final end of an intent's transfer: settled or returned, or planned anew when the chain refused it. */
export function bookTransfer(booking: Booking): IntentChange {
  const { facts, transfer, transaction, around } = booking
  const failed = transaction.error !== null
  const change: IntentChange = {
    ...startChange(facts.intent),
    outcome: outcomeOf(booking),
    ledger: ledgerOf(transaction, new Set([transfer.source, transaction.feePayer]), {
      network: transfer.network,
      kind: failed ? 'fee' : transfer.kind,
      intentId: facts.intent.id,
      transferId: transfer.id,
    }),
  }
  const told = transfer.kind === 'sweep' ? bookSweep(change, booking) : bookReturn(change, booking)
  return withReturns(failed || transfer.asset === SOL ? told : withRent(told, transfer, facts), facts, around)
}

/** Money that went back, or was released. */
function bookReturn(change: IntentChange, { facts, transfer, transaction, around }: Booking): IntentChange {
  if (transfer.kind !== 'release') return step(change, {}, around.now, null)
  // Where held money goes is a person's decision: nothing takes the place of a release that failed.
  return transaction.error === null
    ? step(change, {}, around.now, 'intent.held_released')
    : giveUp(change, transfer, facts, `The release failed on chain: ${transaction.error}`, around)
}

function bookSweep(change: IntentChange, { facts, transfer, transaction, around }: Booking): IntentChange {
  const { status } = facts.intent
  if (transaction.error !== null) {
    const failed = step(change, {}, around.now, null)
    if (isLeftBehind(transfer)) return triesRestAgain(transfer, facts) ? retryRest(failed, transfer, facts) : failed
    return status === 'settling' ? planSweep(failed, facts, around) : failed
  }
  const counted = withDeposits(change, settledLate(change, facts, transfer.asset))
  const received = totalOf(depositsAfter(counted, facts).filter(({ use }) => use === 'applied'))
  const token = tokenOf(transfer, around)
  const latest = settlementOf(transfer, change.outcome?.moved ?? [], transaction.signature, token)
  const merged = facts.intent.settlement === null ? latest : mergeSettlements(facts.intent.settlement, latest)
  const settlement = { ...merged, pendingAmount: leftBehindFor(counted, facts) }
  const isUnfinished = claimsAfter(counted, facts).some(
    (one) => one.kind === 'sweep' && isOpen(one) && !isLeftBehind(one),
  )
  if (status !== 'settling' || isUnfinished) {
    return step(counted, { settlement, received }, around.now, 'intent.settlement_updated')
  }
  const statusReason = heldExcess({ ...counted, after: { ...counted.after, status: 'swept' } }, facts, around)
  return moveTo(counted, 'swept', { settlement, received, statusReason }, around.now)
}

/** Late payments of which a sweep took some: the business has them now, so they count as received for the price. */
function settledLate(change: IntentChange, facts: IntentFacts, asset: Asset): readonly Deposit[] {
  const deposits = depositsAfter(change, facts).filter((one) => one.asset === asset && one.state === 'final')
  const done = claimsAfter(change, facts).filter(
    (claim) => claim.asset === asset && claim.status === 'done' && !takesApart(claim),
  )
  const shares = sharesOf(deposits.filter(({ use }) => use !== 'held'))
  const unreturned = sharesLeft(
    shares,
    done.filter(({ kind }) => kind !== 'sweep'),
  )
  const left = sharesLeft(
    unreturned,
    done.filter(({ kind }) => kind === 'sweep'),
  )
  const amountOf = (some: readonly Share[], deposit: Deposit) => totalOf(some.filter((one) => one.deposit === deposit))
  return deposits
    .filter((deposit) => deposit.use === 'late' && amountOf(left, deposit) < amountOf(unreturned, deposit))
    .map((deposit) => ({ ...deposit, use: 'applied' }))
}

/** What sweeps left behind for the business, and what follows when all else is gone. */
const leftBehindFor = (change: IntentChange, facts: IntentFacts): BaseUnits =>
  totalOf(
    claimsAfter(change, facts)
      .filter((claim) => isLeftBehind(claim) && isOpen(claim))
      .flatMap(({ legs }) => legs),
  )

/** Whether what was left behind is tried once more after a failure on chain, before a person is asked. */
const triesRestAgain = (transfer: Transfer, { transfers }: IntentFacts): boolean =>
  isLeftBehind(transfer) && transfers.filter((one) => isLeftBehind(one) && hasFailed(one)).length < TRIES_TO_EMPTY - 1

const retryRest = (change: IntentChange, transfer: Transfer, facts: IntentFacts): IntentChange => ({
  ...change,
  transfers: [...change.transfers, nextRest(transfer, ZERO, facts)],
})

const mergeSettlements = (earlier: Settlement, latest: Settlement): Settlement => ({
  ...earlier,
  destinationAmount: capAtU64(earlier.destinationAmount + latest.destinationAmount),
  platformFeeAmount: capAtU64(earlier.platformFeeAmount + latest.platformFeeAmount),
  signatures: [...earlier.signatures, ...latest.signatures],
  legs: [...earlier.legs, ...latest.legs],
})

function outcomeOf({ facts, transfer, attempt, transaction, around }: Booking): AttemptOutcome {
  const failed = transaction.error !== null
  const givenUp = triesRestAgain(transfer, facts) ? 'failed' : statusGivenUp(transfer)
  return {
    attemptId: attempt.id,
    transferId: transfer.id,
    fence: transfer.fence,
    attemptState: failed ? 'final_err' : 'final_ok',
    transferStatus: failed ? givenUp : 'done',
    reason: transaction.error,
    signature: attempt.signature,
    slot: transaction.slot,
    moved: failed ? [] : movedByLegs(transfer, transaction),
    at: around.now,
  }
}

function tokenOf(transfer: Transfer, around: Surroundings): Token {
  const token = around.tokens.get(transfer.asset)
  if (token === undefined) throw new Error(`no token for ${transfer.asset}`)
  return token
}

/** The figures of a settlement, from what moved and not from what was planned. Spec: "Settlement object". */
export function settlementOf(
  transfer: Transfer,
  movedAmounts: readonly BaseUnits[],
  signature: Signature,
  token: Pick<Token, 'ticker'>,
): Settlement {
  const mint = transfer.asset === SOL ? null : transfer.asset
  const common = { mint, asset: token.ticker, decimals: transfer.decimals, signature }
  const legs = transfer.legs.map(
    (leg, position): SettlementLeg => ({
      ...common,
      role: leg.role,
      destination: leg.destination,
      feeBps: leg.feeBps,
      amount: movedAmounts[position] ?? ZERO,
    }),
  )
  const sent = add(...transfer.legs.map(({ amount }) => amount))
  const withheld = subtract(sent, add(...legs.map(({ amount }) => amount)))
  const amountOf = (...roles: SettlementLeg['role'][]): BaseUnits =>
    add(...legs.filter(({ role }) => roles.includes(role)).map(({ amount }) => amount))
  // A transfer-fee mint keeps its fee back; told as a leg, so that the legs add up to what was received.
  const mintFee: SettlementLeg[] =
    withheld > 0n && mint !== null
      ? [{ ...common, role: 'network_fee', destination: mint, feeBps: null, amount: withheld }]
      : []
  return {
    asset: token.ticker,
    decimals: transfer.decimals,
    destinationAmount: amountOf('merchant', 'seller'),
    platformFeeAmount: amountOf('platform'),
    pendingAmount: ZERO,
    signatures: [signature],
    legs: [...legs, ...mintFee],
  }
}

/**
 * Adds the obligation to close the emptied token account; its rent goes to the fee payer. While something is left in it,
 * the transfer that takes that will.
 */
function withRent(change: IntentChange, transfer: Transfer, facts: IntentFacts): IntentChange {
  const there = [depositsAfter(change, facts), claimsAfter(change, facts)] as const
  const left = [...unclaimedOf(transfer.asset, ...there), ...unclaimedApart(transfer.asset, ...there)]
  if (left.length > 0) return change
  const earlier = facts.transfers.filter(({ kind }) => kind === 'rent')
  // Two of them could be under way at once, and of the one that comes too late nobody could tell whether it had landed.
  if (earlier.some(({ asset, status }) => asset === transfer.asset && UNDER_WAY.has(status))) return change
  const round = 1 + Math.max(0, ...earlier.map((rent) => rent.round))
  const rent: NewTransfer = {
    ...sameSource(transfer),
    key: `rent:${transfer.source}:${transfer.asset}:${round}`,
    kind: 'rent',
    round,
    legs: [],
  }
  return { ...change, transfers: [...change.transfers, rent] }
}

const UNDER_WAY: ReadonlySet<TransferStatus> = new Set(['planned', 'in_progress'])
