// Refunds by businesses: created, read, canceled, and the transaction that pays one. docs/contract.md, "Refunds by the business".
import type { Tenant } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import { BLOCKHASH_LIFE } from '#core/chain/block-height.ts'
import { isWallet } from '#core/chain/curve.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { type Address, type Network, SOL } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import { type BaseUnits, type Lamports, makeLamports, subtractToZero, ZERO } from '#core/money/amounts.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { canPay } from '#core/payments/wallet-funds.ts'
import { cancelRefund } from '#core/refunds/observe.ts'
import {
  planRefunds,
  type RefundInput,
  type RefundTerms,
  refundTermsOf,
  type Settled,
  settledAmountOf,
  settledPayment,
} from '#core/refunds/plan.ts'
import { isOffered, isWaiting, type Refund, refundUriOf, unpaidOf } from '#core/refunds/refund.ts'
import { tokenAccountBytes } from '#core/transfers/preflight.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { BalanceReader, DepositKeys, RentReader, SlotTime, Submitter } from '#ports/chain.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { Random } from '#ports/random.ts'
import type { RefundStore, RefundsOf } from '#ports/refunds.ts'
import type { WalletTransactions } from '#ports/transactions.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { isUuid } from '#services/requests.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import type { LookDeps } from './look.ts'

/** What is given back of: a payment or a charge, by its id as it was sent. */
export type RefundOf = { readonly paymentId: string | null; readonly chargeId: string | null }

/** The transaction that pays a refund, for the wallet that is to pay. */
export type RefundTransactionOffer = {
  /** In wire form, with an empty place for the signature; null with a `reason`. */
  readonly transaction: Uint8Array | null
  /** Why there is none, for people; null when there is one. */
  readonly reason: string | null
  /** When it can no longer land, at the measured pace of the chain. */
  readonly expiresAt: Date | null
  /** What the wallet pays for the token account of the recipient, in lamports; zero where the recipient has one. */
  readonly accountRent: Lamports
}

/** The business, and the key or the member of it. */
export type Author = { readonly tenant: Tenant; readonly actor: Actor }

/** Each throws ServiceError. */
export type RefundServices = {
  /**
   * Creates a refund; with `reverseFee`, also that of the marketplace for its part. A repeat of a reference returns the stored one. Throws
   * `invalid_request`, `intent_not_found`, `charge_not_found`, `nothing_settled`, `invalid_address`, `sweep_destination_missing`,
   * `chain_unavailable` with an address, and the refusals of `planRefunds`.
   */
  create(by: Author, of: RefundOf, input: RefundInput, id?: string): Promise<CreatedRefund>
  /**
   * Returns what a refund would be now. Throws `invalid_request`, `intent_not_found`, `charge_not_found` and `nothing_settled`.
   */
  terms(caller: Tenant, of: RefundOf): Promise<RefundTerms>
  /** Returns a refund, and has its history read soon while it waits for money. Throws `refund_not_found`. */
  find(caller: Tenant, id: string): Promise<Refund>
  /**
   * Cancels a refund that was not paid. Its amount stays counted until no transaction from before can land any more; one that does
   * and completes it makes it `succeeded`. A repeat changes nothing. Throws `refund_not_found` and `refund_not_cancelable`.
   */
  cancel(by: Author, id: string): Promise<Refund>
  /** Makes the transaction that pays what is unpaid of a refund. A chain that is away is a reason, and no error. */
  transactionOf(refund: Refund): Promise<RefundTransactionOffer>
  /** Returns a link that pays what is unpaid of a refund; null from a minute before its end. */
  paymentUriOf(refund: Refund): string | null
  /** Returns the refunds of a payment or a charge, the newest first. */
  refundsOf(subjectId: string): Promise<readonly Refund[]>
  /** Returns what can still be given back, in base units. */
  refundableOf(subjectId: string, settled: BaseUnits): Promise<BaseUnits>
  readonly settledAmountOf: (intent: Pick<PaymentIntent, 'settlement'>) => BaseUnits
}

export type CreatedRefund = { readonly refund: Refund; readonly created: boolean }

export type RefundDeps = Omit<LookDeps, 'chainOf'> & {
  readonly refunds: RefundStore
  readonly work: Pick<IntentWorkStore, 'facts'>
  readonly directory: Pick<Directory, 'tokens' | 'custodians'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly walletTransactions: Pick<WalletTransactions, 'compilePayment'>
  readonly judgeRecipient: JudgeSweepDestination
  readonly random: Pick<Random, 'uuid' | 'bytes'>
  readonly chainOf: (
    network: Network,
  ) => ReturnType<LookDeps['chainOf']> & BalanceReader & RentReader & SlotTime & Pick<Submitter, 'lifetime'>
}

const REFERENCE_KEY_BYTES = 32

export function createRefundServices(deps: RefundDeps): RefundServices {
  const { refunds, random, clock } = deps
  const refundsOf = createBatcher(async (ids: readonly string[]) => {
    const found = await refunds.refundsOf([...new Set(ids)])
    return ids.map((id): RefundsOf => found.get(id) ?? NONE)
  }, TOGETHER)
  const require = async (caller: Tenant, id: string): Promise<Refund> => {
    const refund = isUuid(id) ? await refunds.find(caller, id) : null
    if (refund === null) throw new ServiceError('refund_not_found')
    return refund
  }
  return {
    async create(by, of, input, id = random.uuid()) {
      const { tenant: caller } = by
      const { reference, amount, amountUsdCents } = input
      const stored = reference === null ? null : await refunds.findByReference(caller, reference)
      if (stored !== null) return { refund: stored, created: false }
      if (amount !== null && amountUsdCents !== null)
        throw new ServiceError('invalid_request', { field: 'amount_usd_cents', rule: 'and amount exclude each other' })
      const settled = await settledOf(deps, caller, of)
      if (input.to !== null) await deps.judgeRecipient(settled.network, input.to)
      const newKey = () => addressOfBytes(random.bytes(REFERENCE_KEY_BYTES))
      const slot = await newestSlot(deps, settled.network)
      const made = { ids: [id, random.uuid()], keys: [newKey(), newKey()], at: clock.now(), slot } as const
      return await refunds.create(by, settled, reference, (counted) => {
        const planned = planRefunds(settled, input, counted, made)
        if ('refused' in planned) throw new ServiceError(planned.refused, planned.context)
        return planned
      })
    },

    async terms(caller, of) {
      const settled = await settledOf(deps, caller, of)
      return refundTermsOf(settled, await refunds.counted(settled))
    },

    async find(caller, id) {
      const refund = await require(caller, id)
      const { nextLookAt, lookedAt, failedLooks } = refund
      const now = clock.now()
      const isFresh = lookedAt !== null && now.getTime() - lookedAt.getTime() < LOOKS_APART_MS
      // After a failure, who reads the refund does not shorten the pause.
      if (nextLookAt !== null && nextLookAt > now && !isFresh && failedLooks === 0) await refunds.lookSoon(refund, now)
      return refund
    },

    cancel: ({ tenant: caller, actor }, id) =>
      retryWhenChanged(async () => {
        const stored = await require(caller, id)
        if (stored.status === 'canceled') return stored
        if (!isWaiting(stored)) throw new ServiceError('refund_not_cancelable', { status: stored.status })
        return (await deps.refundWork.apply(stored, cancelRefund(stored, actor, clock.now()), [])) ?? CHANGED_MEANWHILE
      }),

    async transactionOf(refund) {
      try {
        return await offerOf(deps, refund)
      } catch (error) {
        if (hasCode(error, 'chain_unavailable')) return noOffer('The chain cannot be read now.')
        // What is at the address may have changed since the creation.
        if (hasCode(error, 'invalid_address')) return noOffer(`The recipient ${error.context.rule}.`)
        throw error
      }
    },

    paymentUriOf: (refund) => refundUriOf(refund, clock.now()),

    refundsOf: async (subjectId) => (await refundsOf(subjectId)).refunds,
    refundableOf: async (subjectId, settled) =>
      settled === 0n ? settled : subtractToZero(settled, (await refundsOf(subjectId)).total),
    settledAmountOf,
  }
}

const TOGETHER = { maxSize: 100, concurrency: 2, isSharedFailure: () => true }
const NONE: RefundsOf = { refunds: [], total: ZERO }

/** Who reads a refund has it looked at again after this time, in milliseconds. */
const LOOKS_APART_MS = 3_000

/** Returns the newest final slot; null while the chain cannot be read: a refund is created without it. */
async function newestSlot({ chainOf }: RefundDeps, network: Network): Promise<bigint | null> {
  try {
    return (await chainOf(network).blockTime()).slot
  } catch (error) {
    if (hasCode(error, 'chain_unavailable')) return null
    throw error
  }
}

/** Throws `invalid_request`, `intent_not_found`, `charge_not_found` and `nothing_settled`. */
async function settledOf(deps: RefundDeps, caller: Tenant, { paymentId, chargeId }: RefundOf): Promise<Settled> {
  if ((paymentId === null) === (chargeId === null))
    throw new ServiceError('invalid_request', { field: 'payment', rule: 'or charge is required, and not both' })
  const settled = await (chargeId === null ? paymentOf(deps, caller, paymentId) : chargeOf(deps, caller, chargeId))
  if (settled.amount === 0n) throw new ServiceError('nothing_settled')
  return settled
}

async function chargeOf(deps: RefundDeps, caller: Tenant, id: string): Promise<Settled> {
  const settled = isUuid(id) ? await deps.refunds.settledCharge(caller, id) : null
  if (settled === null) throw new ServiceError('charge_not_found')
  return settled
}

async function paymentOf(deps: RefundDeps, caller: Tenant, id: string | null): Promise<Settled> {
  const facts = id !== null && isUuid(id) ? await deps.work.facts(id) : null
  if (facts === null || !isSeenBy(caller, facts.intent)) throw new ServiceError('intent_not_found')
  const { network, selection } = facts.intent
  const token = selection === null ? undefined : (await deps.directory.tokens(network)).get(selection.asset)
  const settled = settledPayment(facts, token?.tokenProgram ?? null, await deps.directory.custodians(network))
  if (settled === null) throw new ServiceError('nothing_settled')
  return settled
}

const isSeenBy = ({ network, accountId }: Tenant, intent: PaymentIntent): boolean =>
  intent.network === network && [intent.accountId, intent.callerAccountId].includes(accountId)

const NO_RENT = makeLamports(0)

const noOffer = (reason: string): RefundTransactionOffer => ({
  transaction: null,
  reason,
  expiresAt: null,
  accountRent: NO_RENT,
})

/** Throws `chain_unavailable` and `invalid_address`. */
async function offerOf(deps: RefundDeps, refund: Refund): Promise<RefundTransactionOffer> {
  const { payer, recipient, asset, decimals, tokenProgram } = refund
  if (!isWaiting(refund)) return noOffer('The refund has ended.')
  if (!isOffered(refund, deps.clock.now())) return noOffer('The time of the refund is over.')
  if (!isWallet(payer))
    return noOffer('The wallet that pays is that of a program: use payment_uri, or its own interface.')
  await deps.judgeRecipient(refund.network, recipient)
  const chain = deps.chainOf(refund.network)
  if (asset !== SOL && tokenProgram === null)
    return noOffer('The token is not on the list of the service: use payment_uri.')
  const token = asset === SOL || tokenProgram === null ? null : { mint: asset, tokenProgram, decimals }
  const accountOf = (owner: Address) =>
    token === null ? owner : deps.keys.tokenAccountOf(owner, token.mint, token.tokenProgram)
  const extensions = (await deps.directory.tokens(refund.network)).get(asset)?.extensions ?? null
  const names = [payer, await accountOf(payer), await accountOf(recipient)]
  const [{ states }, walletRent, tokenRent, lifetime] = await Promise.all([
    chain.readAccounts(names),
    chain.minimumBalance(0),
    token === null ? NO_RENT : chain.minimumBalance(tokenAccountBytes(token.tokenProgram, extensions)),
    chain.lifetime(),
  ])
  const [wallet = null, source = null, receiver = null] = states
  const amount = unpaidOf(refund)
  const lacking = token === null && amount + (receiver?.lamports ?? 0n) < walletRent
  if (lacking) return noOffer('The recipient would hold less SOL than the chain requires of an account.')
  if (receiver?.token && receiver.token.owner !== recipient)
    return noOffer('The token account of the recipient belongs to another wallet.')
  if (receiver?.token?.frozen === true) return noOffer('The token account of the recipient is frozen by its issuer.')
  if (!canPay(payer, { asset, amount }, { wallet, source, receiver }, { wallet: walletRent, tokenAccount: tokenRent }))
    return noOffer('The wallet that pays holds too little, for the amount or for the network fee and rent.')
  const { referenceKey: reference } = refund
  const payment = { wallet: payer, to: recipient, amount, token, reference, lifetime }
  return {
    transaction: deps.walletTransactions.compilePayment(payment),
    reason: null,
    expiresAt: new Date(deps.clock.now().getTime() + Number(BLOCKHASH_LIFE) * chain.slotMs()),
    accountRent: token !== null && receiver?.token == null ? tokenRent : NO_RENT,
  }
}
