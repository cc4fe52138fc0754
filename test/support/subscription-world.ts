// One subscription with its store and its transfers in memory, for tests of the machine. Changes are applied as a store
// applies them, and a claim, a signature and a landing happen as the engine of transfers makes them.
import { expect } from 'vitest'
import type { Charge, FailureCode } from '#core/billing/charge.ts'
import type { ChargeTransfer } from '#core/billing/charge-transfer.ts'
import type { Coupon } from '#core/billing/coupon.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import { type BookedCharge, bookCharge, bookUnlanded } from '#core/billing/machine/booking.ts'
import type { BillingChange, BillingEvent, Decision } from '#core/billing/machine/change.ts'
import { decideCompletion } from '#core/billing/machine/completion.ts'
import { decideDue } from '#core/billing/machine/due.ts'
import type { BillingContext, BillingFacts, BillingTerms, ChargeFacts } from '#core/billing/machine/facts.ts'
import { decideRevoked } from '#core/billing/machine/revoking.ts'
import { decideFailed, decideSubmitted, decideUnsigned, submits } from '#core/billing/machine/submitting.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import type { ObservedTransaction } from '#core/chain/types.ts'
import { makeBasisPoints, makeLamports, makeUsdCents, ZERO } from '#core/money/amounts.ts'
import type { Attempt } from '#core/transfers/transfer.ts'
import { DELEGATE, MERCHANT, PLATFORM, STABLECOIN, TOKEN_PROGRAM, WALLET } from './charge.ts'
import { addressNo, signatureNo, units } from './payment.ts'

export const START = new Date('2026-01-31T10:00:00.000Z')
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const TIER: Tier = {
  id: 'tier-1',
  accountId: 'business',
  productId: 'product',
  name: 'Monthly',
  description: null,
  priceUsdCents: makeUsdCents(1_000),
  interval: 'month',
  intervalCount: 1,
  authorizationPeriods: 12,
  trialDays: 0,
  mint: STABLECOIN,
  tokenProgram: TOKEN_PROGRAM,
  decimals: 6,
  unitBaseUnits: units(10_000_000n),
  payoutOwner: MERCHANT,
  payoutAta: addressNo(810),
  platformFeeBps: makeBasisPoints(300),
  platformWallet: PLATFORM,
  metadata: {},
  archivedAt: null,
  createdAt: START,
  updatedAt: START,
}

export const termsOf = (tier: Tier): BillingTerms => ({ tier, feeDestination: addressNo(811), delegate: DELEGATE })

export const CHECKOUT: SubscriptionIntent = {
  id: 'checkout',
  accountId: 'business',
  tierId: TIER.id,
  status: 'open',
  subscriberWallet: null,
  walletPinned: false,
  successUrl: null,
  cancelUrl: null,
  subscriptionId: null,
  couponId: null,
  metadata: { plan: 'gold' },
  version: 1,
  expiresAt: new Date(START.getTime() + DAY),
  createdAt: START,
  updatedAt: START,
  completedAt: null,
  canceledAt: null,
}

export const DELEGATION: Delegation = {
  id: 'delegation',
  network: 'live',
  wallet: WALLET,
  mint: STABLECOIN,
  tokenProgram: TOKEN_PROGRAM,
  decimals: 6,
  tokenAccount: addressNo(812),
  status: 'active',
  epoch: 1,
  authorizedTotal: units(10n ** 12n),
  chainSlot: 100n,
  pulledSlot: null,
  accountedSlot: 100n,
  accountedAllowance: units(10n ** 12n),
  chainDelegate: DELEGATE.address,
  chainAllowance: units(10n ** 12n),
  chainCheckedAt: START,
  clearedAt: null,
  version: 1,
  createdAt: START,
  updatedAt: START,
}

const TRANSFER_STATE = {
  moved: [],
  status: 'planned',
  reason: null,
  attemptCount: 0,
  fence: 0n,
  signature: null,
  createdAt: START,
  plannedVersion: 1,
  doneAt: null,
} as const

/** A pull that landed, by the subscription's authorization at that time. */
export type Pull = {
  readonly periodIndex: number
  readonly amount: bigint
  readonly at: Date
  readonly sentAt: Date
  readonly authorization: number
}

export class SubscriptionWorld {
  now = START
  /** Every event, in order. */
  readonly events: BillingEvent[] = []
  readonly pulls: Pull[] = []
  /** The last change that was applied. */
  lastChange: BillingChange | null = null
  /** Every charge, by period. */
  readonly charges = new Map<number, Charge>()
  #facts: BillingFacts | null = null
  #ids = 0
  #slot = 1_000n
  /** Counts authorizations: each begins with nothing spent. */
  authorization = 0
  #sentAt = START

  /** A completed checkout of the tier, whose first charge is planned. */
  static incomplete = (tier: Tier = TIER, coupon: Coupon | null = null): SubscriptionWorld =>
    SubscriptionWorld.#completed(tier, 0, coupon)

  /** A completed checkout with a trial of so many days, from `START`. */
  static trialing = (trialDays: number, tier: Tier = TIER, coupon: Coupon | null = null): SubscriptionWorld =>
    SubscriptionWorld.#completed({ ...tier, trialDays }, trialDays, coupon)

  static #completed(tier: Tier, trialDays: number, coupon: Coupon | null): SubscriptionWorld {
    const world = new SubscriptionWorld()
    const terms = termsOf(tier)
    const completion = {
      checkout: CHECKOUT,
      subscriptionId: 'subscription',
      receiverAccountId: 'business',
      wallet: WALLET,
      terms,
      coupon,
      delegation: DELEGATION,
      others: [],
      trialDays,
      consent: { by: 'proof' },
    } as const
    const decision = decideCompletion(completion, world.context())
    if (decision.kind !== 'moved') throw new Error('the checkout is not completed')
    world.#facts = {
      subscription: decision.change.after,
      terms,
      charge: null,
      delegation: DELEGATION,
      others: [],
    }
    world.#write(decision.change)
    return world
  }

  /** A subscription whose first charge succeeded at `START`. */
  static active(tier: Tier = TIER, coupon: Coupon | null = null): SubscriptionWorld {
    const world = SubscriptionWorld.incomplete(tier, coupon)
    world.charge()
    return world
  }

  get facts(): BillingFacts {
    if (this.#facts === null) throw new Error('there is no subscription')
    return this.#facts
  }
  set facts(facts: BillingFacts) {
    this.#facts = facts
  }
  get subscription(): BillingSubscription {
    return this.facts.subscription
  }
  get own(): ChargeFacts {
    const { charge } = this.facts
    if (charge === null) throw new Error('there is no charge')
    return charge
  }
  /** The charge of the latest period. */
  get latest(): Charge {
    return this.own.charge
  }
  get eventTypes(): readonly string[] {
    return this.events.map(({ type }) => type)
  }

  context(): BillingContext {
    this.#ids += 1
    return { now: this.now, newChargeId: `charge-${this.#ids}` }
  }

  /** The owner removes the delegate, and the account is read. Returns whether the subscription is stopped. */
  revoke(): boolean {
    const { delegation } = this.facts
    this.facts = { ...this.facts, delegation: { ...delegation, chainDelegate: null, chainAllowance: ZERO } }
    const isStopped = this.apply(decideRevoked(this.facts, this.context()))
    this.facts = { ...this.facts, delegation }
    return isStopped
  }

  /** Moves the clock without doing what is due: the service is down. */
  wait(ms: number): this {
    this.now = new Date(this.now.getTime() + ms)
    return this
  }

  /** Moves the clock to a time, and does everything in between when it is due. Charges stay where they are. */
  runTo(time: Date): this {
    for (let due = this.subscription.dueAt; due !== null && due <= time; due = this.subscription.dueAt) {
      if (due > this.now) this.now = due
      if (!this.due()) throw new Error(`nothing happens at ${due.toISOString()}`)
    }
    this.now = time
    return this
  }

  run(ms: number): this {
    return this.runTo(new Date(this.now.getTime() + ms))
  }

  /** Does what is due now; returns whether anything was. */
  due(): boolean {
    return this.apply(decideDue(this.facts, this.context()))
  }

  /** Applies a decision; returns whether it changes anything. */
  apply(decision: Decision): boolean {
    if (decision.kind === 'refused') throw new Error(`refused: ${decision.code}`)
    if (decision.kind === 'unchanged') return false
    this.#write(decision.change)
    return true
  }

  #write(change: BillingChange): void {
    const { subscription, charge } = this.facts
    if (change.before !== null) expect(change.before.version).toBe(subscription.version)
    if (change.after.spentAmount === 0n && subscription.spentAmount > 0n) this.authorization += 1
    this.lastChange = change
    this.events.push(...change.events)
    for (const written of change.charges) {
      const stored = this.charges.get(written.periodIndex)
      expect(written.version).toBe(stored === undefined ? 1 : stored.version + 1)
      if (stored !== undefined) expect(written.id).toBe(stored.id)
      this.charges.set(written.periodIndex, written)
    }
    this.facts = {
      ...this.facts,
      subscription: change.after,
      delegation: change.delegation?.after ?? this.facts.delegation,
      charge: this.#afterChange(charge, change),
    }
  }

  #afterChange(
    own: ChargeFacts | null,
    { charges, transfers, statusOverride, outcome }: BillingChange,
  ): ChargeFacts | null {
    let next = own
    if (statusOverride !== null) next = this.#overridden(own, statusOverride)
    if (outcome !== null && next !== null) {
      expect(outcome.transferId).toBe(next.transfer.id)
      const { transferStatus: status, reason, signature, at } = outcome
      next = { ...next, live: null, transfer: { ...next.transfer, status, reason, signature, doneAt: at } }
    }
    const planned = transfers[0]
    if (planned !== undefined) {
      const charge = charges.at(-1)
      if (charge === undefined) throw new Error('a transfer without a charge')
      const transfer: ChargeTransfer = { ...planned, ...TRANSFER_STATE, id: `transfer of ${charge.id}` }
      return { charge, transfer, live: null }
    }
    const charge = charges.find(({ id }) => id === next?.charge.id)
    return next === null || charge === undefined ? next : { ...next, charge }
  }

  /** As the store: nothing is withdrawn, or planned again, that may still land. */
  #overridden(own: ChargeFacts | null, override: NonNullable<BillingChange['statusOverride']>): ChargeFacts {
    if (own === null) throw new Error('no transfer to override')
    const { transferId, status, reason, fence } = override
    expect(transferId).toBe(own.transfer.id)
    if (status === 'planned') expect(['failed', 'held']).toContain(own.transfer.status)
    else if (fence === null) expect(['planned', 'in_progress', 'held']).toContain(own.transfer.status)
    else expect([own.transfer.status, own.transfer.fence]).toEqual(['in_progress', fence])
    expect([null, 'prepared']).toContain(own.live)
    const nextFence = fence === null ? own.transfer.fence + 1n : own.transfer.fence
    return { ...own, live: null, transfer: { ...own.transfer, status, reason, fence: nextFence } }
  }

  // ── the engine of transfers ────────────────────────────────────────────────────────────────────────────────────

  get lease() {
    return { transferId: this.own.transfer.id, fence: this.own.transfer.fence }
  }

  /** Claims the transfer of the latest charge; returns false when it is not planned. */
  claim(): boolean {
    const { transfer } = this.own
    if (transfer.status !== 'planned' && transfer.status !== 'in_progress') return false
    this.#patchTransfer({ status: 'in_progress', fence: transfer.fence + 1n })
    return true
  }

  /** Claims, marks the charge as submitted, and stores an unsigned attempt. Returns false when that is not permitted. */
  prepare(): boolean {
    if (!this.markSubmitted()) return false
    this.#patchTransfer({ attemptCount: this.own.transfer.attemptCount + 1 })
    this.facts = { ...this.facts, charge: { ...this.own, live: 'prepared' } }
    return true
  }

  /** Claims, and marks the charge as submitted: the instance may die before it stores an attempt. */
  markSubmitted(): boolean {
    if (!this.claim()) return false
    for (;;) {
      const decision = decideSubmitted(this.facts, this.lease, this.context())
      if (!this.apply(decision) || submits(decision)) return submits(decision)
    }
  }

  /** Does what time has brought before a stored attempt is signed. Returns whether it may still be signed. */
  maySign(): boolean {
    while (this.apply(decideUnsigned(this.facts, this.context()))) {}
    return this.own.live === 'prepared'
  }

  /** Signs and sends the prepared attempt. */
  sign(): void {
    expect(this.own.live).toBe('prepared')
    this.#sentAt = this.now
    this.facts = { ...this.facts, charge: { ...this.own, live: 'sent' } }
  }

  /** Prepares and sends an attempt. Throws when that is not permitted. */
  submit(): this {
    if (!this.prepare()) throw new Error('no attempt is permitted')
    this.sign()
    return this
  }

  /** The sent transaction is final. */
  /** `kept`: what the mint keeps of each leg. */
  land(failure: FailureCode | null = null, blockTime: Date = this.now, kept = 0n): this {
    expect(this.own.live).toBe('sent')
    const { charge } = this.own
    this.#slot += 10n
    if (failure === null) {
      const { periodIndex, amount } = charge
      const { authorization } = this
      this.pulls.push({ periodIndex, amount, at: blockTime, sentAt: this.#sentAt, authorization })
    }
    const transaction = transactionOf(this.own, this.#slot, blockTime, failure, kept)
    const booked: BookedCharge = { attempt: this.#attempt(), transaction, failure }
    this.#write(bookCharge(this.facts, booked, this.context()))
    return this
  }

  /** It is proved that the sent transaction cannot land, and another attempt may follow. */
  abandon(): this {
    expect(this.own.live).toBe('sent')
    this.facts = { ...this.facts, charge: { ...this.own, live: null } }
    return this
  }

  /** It is proved that no attempt landed, and none follows. */
  giveUp(): this {
    this.#write(bookUnlanded(this.facts, this.#attempt(), 'none landed', this.context()))
    return this
  }

  /** The check before an attempt finds that the charge cannot succeed. */
  fail(code: FailureCode): this {
    if (!this.claim()) throw new Error('the transfer is not planned')
    if (!this.apply(decideFailed(this.facts, this.lease, code, this.context())))
      throw new Error('the charge did not fail')
    return this
  }

  /** The charge succeeds now. */
  charge(): this {
    return this.submit().land()
  }

  #attempt(): Attempt & { readonly signature: NonNullable<Attempt['signature']> } {
    return { ...ATTEMPT, transferId: this.own.transfer.id, createdAt: this.now }
  }

  #patchTransfer(patch: Partial<ChargeTransfer>): void {
    this.facts = { ...this.facts, charge: { ...this.own, transfer: { ...this.own.transfer, ...patch } } }
  }
}

const ATTEMPT = {
  id: 'attempt',
  transferId: '',
  number: 1,
  state: 'sent',
  source: WALLET,
  message: new Uint8Array(),
  harvestWithheld: false,
  wire: new Uint8Array(),
  signature: signatureNo(1),
  lifetime: { blockhash: makeBlockhash(addressNo(813)), lastValidBlockHeight: 1n },
  knownSignature: signatureNo(2),
  createdAt: START,
  sentAt: START,
} as const

const FEE_PAYER = addressNo(816)

/** The transaction that makes the legs of the transfer, or fails with the fee. */
function transactionOf(
  { transfer }: ChargeFacts,
  slot: bigint,
  blockTime: Date,
  failure: FailureCode | null,
  kept: bigint,
): ObservedTransaction {
  const fee = {
    account: FEE_PAYER,
    owner: FEE_PAYER,
    asset: 'SOL',
    before: units(100_000n),
    after: units(85_000n),
  } as const
  const received = transfer.legs.map(({ destination, amount }) => ({
    account: destination,
    owner: destination,
    asset: transfer.asset,
    before: ZERO,
    after: units(amount - kept),
  }))
  return {
    signature: signatureNo(1),
    slot,
    blockTime,
    error: failure === null ? null : '{"InstructionError":[3,{"Custom":1}]}',
    fee: makeLamports(15_000n),
    feePayer: FEE_PAYER,
    signers: [FEE_PAYER, DELEGATE.address],
    accounts: [],
    memos: [transfer.key],
    changes: failure === null ? [fee, ...received] : [fee],
  }
}
