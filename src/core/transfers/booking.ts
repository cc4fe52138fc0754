// What a final transaction did, told to the ledger, the obligation and the intent at once. MONEY: the protocol, 3 and 4.
import type { Address, ObservedTransaction, Signature } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { type IntentChange, type IntentFacts, moveTo, startChange, step } from '#core/intents/change.ts'
import type { Settlement, SettlementLeg } from '#core/intents/intent.ts'
import { planSweep, type Surroundings } from '#core/intents/intent-machine.ts'
import { add, type BaseUnits, makeBaseUnits, smaller, subtract, ZERO } from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import type {
  Attempt,
  AttemptOutcome,
  LedgerKind,
  NewLedgerEntry,
  NewTransfer,
  Transfer,
} from '#core/transfers/transfer.ts'

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

/** Books the final end of an intent's sweep: settled, or planned anew when the chain refused it. */
export function bookSweep(booking: Booking): IntentChange {
  const { facts, transfer, transaction, around } = booking
  const failed = transaction.error !== null
  const outcome = outcomeOf(booking)
  const change: IntentChange = {
    ...startChange(facts.intent),
    outcome,
    ledger: ledgerOf(transaction, new Set([transfer.source, transaction.feePayer]), {
      network: transfer.network,
      kind: failed ? 'fee' : 'sweep',
      intentId: facts.intent.id,
      transferId: transfer.id,
    }),
  }
  // A transfer that nobody is waiting for any more (a person re-armed it, say) still books what it did.
  if (facts.intent.status !== 'settling') return step(change, {}, around.now, null)
  if (failed) return planSweep(step(change, {}, around.now, null), facts.deposits, facts, around)
  const settlement = settlementOf(transfer, outcome.moved, transaction.signature, tokenOf(transfer, around))
  const swept = moveTo(change, 'swept', { settlement }, around.now)
  return transfer.asset === SOL ? swept : { ...swept, transfers: [...swept.transfers, rentOf(transfer, facts)] }
}

/** Every attempt of the settlement died, each with proof: it is given up until somebody re-arms it. */
export function bookExhausted(
  { facts, transfer, attempt, around }: Omit<Booking, 'transaction'>,
  statusReason: string,
): IntentChange {
  const outcome: AttemptOutcome = {
    attemptId: attempt.id,
    transferId: transfer.id,
    attemptState: 'dead',
    transferStatus: 'failed',
    reason: statusReason,
    signature: attempt.signature,
    slot: null,
    moved: [],
    at: around.now,
  }
  const change = { ...startChange(facts.intent), outcome }
  if (facts.intent.status !== 'settling') return step(change, {}, around.now, null)
  return moveTo(change, 'settle_failed', { statusReason }, around.now)
}

function outcomeOf({ transfer, attempt, transaction, around }: Booking): AttemptOutcome {
  const failed = transaction.error !== null
  return {
    attemptId: attempt.id,
    transferId: transfer.id,
    attemptState: failed ? 'final_err' : 'final_ok',
    transferStatus: failed ? 'failed' : 'done',
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
    signatures: [signature],
    legs: [...legs, ...mintFee],
  }
}

/** The obligation to close the emptied token account; its rent goes to the fee payer. */
function rentOf(transfer: Transfer, facts: IntentFacts): NewTransfer {
  const round = 1 + Math.max(0, ...facts.transfers.filter(({ kind }) => kind === 'rent').map((rent) => rent.round))
  return {
    ...obligationOf(transfer),
    key: `rent:${transfer.source}:${transfer.asset}:${round}`,
    kind: 'rent',
    round,
    legs: [],
  }
}

function obligationOf(transfer: Transfer): Omit<NewTransfer, 'key' | 'kind' | 'round' | 'legs'> {
  const { network, accountId, intentId, source, sourceAccountIndex, sourceIntentIndex, asset, decimals, tokenProgram } =
    transfer
  return { network, accountId, intentId, source, sourceAccountIndex, sourceIntentIndex, asset, decimals, tokenProgram }
}
