// What is owed back: balances of a deposit address that nobody is owed, to whoever sent them. Decided anew each time from
// deposits and transfers, so that it does not matter in which order they came to be known. CONTRACT, MONEY: refunds.
import type { Asset } from '#core/chain/types.ts'
import { SOL, SOL_DECIMALS, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { type IntentChange, type IntentFacts, moveTo, step } from '#core/intents/change.ts'
import type { Deposit, IntentStatus, LatePayment, TokenRefund } from '#core/intents/intent.ts'
import { allocateRefund, type Share, sharesLeft, sharesOf, totalOf } from '#core/intents/shares.ts'
import type { Surroundings } from '#core/intents/surroundings.ts'
import { type BaseUnits, subtract } from '#core/money/amounts.ts'
import type { Leg } from '#core/transfers/plan.ts'
import type { NewTransfer, Transfer, TransferStatus } from '#core/transfers/transfer.ts'

/** How often a return is planned anew after its transaction failed on chain. */
export const MAX_RETURN_ROUNDS = 5

export const SENDER_UNKNOWN = 'Nobody can be told for sure to have sent it.'
export const TOO_SMALL = 'It is less than the network fee that returning it costs.'
export const FAILED_TOO_OFTEN = 'The transfer back failed on chain too often.'

/** A transfer as it stands once a change is applied. */
type Claim = Pick<Transfer, 'kind' | 'asset' | 'legs' | 'round'> & { readonly status: TransferStatus }

/** Statuses in which the selected asset is owed back, and not to the business. */
const OWED_BACK: ReadonlySet<IntentStatus> = new Set(['swept', 'refunding', 'refunded', 'cancelled'])

export function depositsAfter(change: IntentChange, facts: IntentFacts): readonly Deposit[] {
  const changed = new Map(change.deposits.map((deposit) => [depositKey(deposit), deposit]))
  const kept = facts.deposits.filter((deposit) => !changed.has(depositKey(deposit)))
  return [...kept, ...changed.values()].filter(({ state }) => state !== 'dropped')
}

export const depositKey = ({ signature, account, asset }: Pick<Deposit, 'signature' | 'account' | 'asset'>): string =>
  `${signature} ${account} ${asset}`

export function claimsAfter({ outcome, transfers }: IntentChange, facts: IntentFacts): readonly Claim[] {
  const stored = facts.transfers.map((transfer) =>
    transfer.id === outcome?.transferId ? { ...transfer, status: outcome.transferStatus } : transfer,
  )
  return [...stored, ...transfers.map((transfer) => ({ ...transfer, status: 'planned' as const }))]
}

const isOpen = ({ status }: Claim): boolean => status === 'planned' || status === 'in_progress' || status === 'held'

const legsOf = (claims: readonly Claim[]): readonly Leg[] => claims.flatMap(({ legs }) => legs)

/** What is final at the address of an asset, less what transfers have taken or are about to take. */
export function unclaimedOf(asset: Asset, deposits: readonly Deposit[], claims: readonly Claim[]): readonly Share[] {
  const final = deposits.filter(
    (deposit) => deposit.asset === asset && deposit.state === 'final' && deposit.use !== 'held',
  )
  const taken = claims.filter((claim) => claim.asset === asset && claim.status !== 'failed')
  return sharesLeft(sharesOf(final), legsOf(taken))
}

/** Plans what can go back now, and tells where every return stands. The last step of every change. */
export function withReturns(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  const assets = new Set(depositsAfter(change, facts).flatMap(({ asset, use }) => (use === 'held' ? [] : [asset])))
  let next = change
  for (const asset of assets) next = returnAsset(next, facts, asset, around)
  return tellReturns(endRefunding(next, facts, around), facts, around)
}

type Standing =
  | { readonly is: 'nothing' | 'waiting' | 'open' | 'business' }
  | { readonly is: 'stuck'; readonly reason: string }
  | { readonly is: 'ready'; readonly legs: readonly Leg[] }

/** Where an asset's return stands: nothing owed, not final yet, on its way, stuck, or ready to be planned. */
function standingOf(change: IntentChange, facts: IntentFacts, asset: Asset, around: Surroundings): Standing {
  const intent = change.after
  if (asset === intent.selection?.asset && !OWED_BACK.has(intent.status)) return { is: 'business' }
  const deposits = depositsAfter(change, facts).filter((deposit) => deposit.asset === asset && deposit.use !== 'held')
  const claims = claimsAfter(change, facts).filter((claim) => claim.asset === asset)
  if (claims.some((claim) => isOpen(claim) && claim.kind !== 'rent')) return { is: 'open' }
  // One that is not final yet would be left behind, or make the transaction fail for what it leaves.
  if (deposits.some(({ state }) => state === 'confirmed')) return { is: 'waiting' }
  const owed = unclaimedOf(asset, deposits, claims)
  if (owed.length === 0) return { is: 'nothing' }
  const failures = claims.filter(({ kind, status }) => kind === 'refund' && status === 'failed').length
  if (failures >= MAX_RETURN_ROUNDS) return { is: 'stuck', reason: FAILED_TOO_OFTEN }
  return planLegs(asset, owed, around)
}

/** Everything to its senders; of SOL, the network fee comes out of the largest share. */
function planLegs(asset: Asset, owed: readonly Share[], { terms }: Surroundings): Standing {
  const shares = [...allocateRefund(totalOf(owed), owed)].sort((a, b) => (a.amount > b.amount ? -1 : 1))
  const [largest] = shares
  if (largest === undefined) return { is: 'stuck', reason: SENDER_UNKNOWN }
  const refundTo = ({ address, amount }: (typeof shares)[number]): Leg => ({
    role: 'refund',
    destination: address,
    amount,
    feeBps: null,
  })
  if (asset !== SOL) return { is: 'ready', legs: shares.map(refundTo) }
  // Of SOL nothing may be left behind: an account between nothing and the rent minimum fails the transaction.
  if (totalOf(shares) < totalOf(owed)) return { is: 'stuck', reason: SENDER_UNKNOWN }
  if (largest.amount <= terms.networkFee) return { is: 'stuck', reason: TOO_SMALL }
  const fee: Leg = { role: 'network_fee', destination: terms.feePayer, amount: terms.networkFee, feeBps: null }
  const first = { ...largest, amount: subtract(largest.amount, terms.networkFee) }
  return { is: 'ready', legs: [first, ...shares.slice(1)].map(refundTo).concat(fee.amount > 0n ? fee : []) }
}

function returnAsset(change: IntentChange, facts: IntentFacts, asset: Asset, around: Surroundings): IntentChange {
  const standing = standingOf(change, facts, asset, around)
  if (standing.is !== 'ready') return change
  const intent = change.after
  const token = around.tokens.get(asset)
  const round =
    1 + Math.max(0, ...claimsAfter(change, facts).map(({ kind, round: last }) => (kind === 'refund' ? last : 0)))
  const transfer: NewTransfer = {
    key: `refund:intent:${intent.derivationIndex}:${round}:${asset}`,
    kind: 'refund',
    network: intent.network,
    accountId: intent.accountId,
    intentId: intent.id,
    source: intent.address,
    sourceAccountIndex: facts.payee.accountIndex,
    sourceIntentIndex: intent.derivationIndex,
    asset,
    decimals: asset === SOL ? SOL_DECIMALS : (token?.decimals ?? 0),
    tokenProgram: token?.tokenProgram ?? null,
    round,
    legs: standing.legs,
  }
  return { ...change, transfers: [...change.transfers, transfer] }
}

/** A refund is over when nothing of what it is about is left to return, and failed when something cannot be. */
function endRefunding(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  if (change.after.status !== 'refunding') return change
  const owed = new Set(
    depositsAfter(change, facts).flatMap(({ asset, use }) => (use === 'applied' || use === 'late' ? [asset] : [])),
  )
  const standings = [...owed].map((asset) => standingOf(change, facts, asset, around))
  if (standings.some(({ is }) => is === 'open' || is === 'waiting' || is === 'ready')) return change
  const stuck = standings.find((standing) => standing.is === 'stuck')
  if (stuck?.is === 'stuck') return moveTo(change, 'refund_failed', { statusReason: stuck.reason }, around.now)
  return moveTo(change, 'refunded', {}, around.now)
}

// ── telling ──────────────────────────────────────────────────────────────────────────────────────────────────────

function tellReturns(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  const tokenRefunds = tokenRefundsOf(change, facts, around)
  const latePayments = latePaymentsOf(change, facts, around)
  const before = change.after
  let told = change
  if (latePayments.length > before.latePayments.length) {
    told = step(told, { latePayments }, around.now, 'intent.late_payment')
  } else if (!isSame(latePayments, before.latePayments)) told = step(told, { latePayments }, around.now, null)
  if (isSame(tokenRefunds, before.tokenRefunds)) return told
  return step(told, { tokenRefunds }, around.now, 'intent.token_refund_updated')
}

const isSame = (a: readonly { readonly status: string }[], b: readonly { readonly status: string }[]): boolean =>
  a.length === b.length && a.every(({ status }, at) => status === b[at]?.status)

const REFUND_STATUS: Readonly<Record<Standing['is'], TokenRefund['status']>> = {
  nothing: 'refunded',
  business: 'pending',
  waiting: 'pending',
  ready: 'settling',
  open: 'settling',
  stuck: 'failed',
}

/** One entry for each wrong asset that arrived, in the order of arrival. */
function tokenRefundsOf(change: IntentChange, facts: IntentFacts, around: Surroundings): readonly TokenRefund[] {
  const wrong = depositsAfter(change, facts).filter(({ use }) => use === 'wrong_asset')
  const assets = new Set(wrong.map(({ asset }) => asset))
  return [...assets].map((asset) => ({
    mint: asset === SOL ? WRAPPED_SOL_MINT : asset,
    status: REFUND_STATUS[standingOf(change, facts, asset, around).is],
  }))
}

/** Late payments, oldest first, but for those that settled to the business after all. */
function latePaymentsOf(change: IntentChange, facts: IntentFacts, around: Surroundings): readonly LatePayment[] {
  const deposits = depositsAfter(change, facts)
  const late = deposits.filter(({ use }) => use === 'late').sort((a, b) => (a.slot < b.slot ? -1 : 1))
  return [...new Set(late.map(({ asset }) => asset))].flatMap((asset) => {
    const shares = sharesOf(deposits.filter((deposit) => deposit.asset === asset && deposit.use !== 'held'))
    const claims = claimsAfter(change, facts).filter((claim) => claim.asset === asset && claim.status !== 'failed')
    const done = legsOf(claims.filter(({ status }) => status === 'done'))
    const kept = leftOf(shares, done)
    const keptByRefunds = leftOf(
      shares,
      done.filter(({ role }) => role === 'refund'),
    )
    const unclaimed = leftOf(shares, legsOf(claims))
    const standing = standingOf(change, facts, asset, around)
    const rest = standing.is === 'stuck' ? stuckStatus(standing.reason) : 'pending'
    return late.flatMap((deposit): LatePayment[] => {
      if (deposit.asset !== asset) return []
      const { amount, signature } = deposit
      const told = { mint: asset === SOL ? null : asset, amount, signature }
      if (kept(deposit) > 0n) return [{ ...told, status: unclaimed(deposit) > 0n ? rest : 'settling' }]
      return keptByRefunds(deposit) === amount ? [] : [{ ...told, status: 'refunded' }]
    })
  })
}

/** What legs leave of each deposit. */
function leftOf(shares: readonly Share[], legs: readonly Leg[]): (deposit: Deposit) => BaseUnits {
  const left = Map.groupBy(sharesLeft(shares, legs), ({ deposit }) => deposit)
  return (deposit) => totalOf(left.get(deposit) ?? [])
}

const stuckStatus = (reason: string): LatePayment['status'] => (reason === FAILED_TOO_OFTEN ? 'failed' : 'held')
