// One subscriber and one business on a simulated chain, with the stores of the service, and what holds after every flow.
import { createNoopSigner, type Instruction } from '@solana/kit'
import { getRevokeInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { random } from '#adapters/node/random.ts'
import { createApprovalStore } from '#adapters/prisma/billing/approval-store.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createSubscriptionTierStore } from '#adapters/prisma/billing/catalogue-store.ts'
import { createChallengeStore } from '#adapters/prisma/billing/challenge-store.ts'
import { createSubscriptionCheckoutStore } from '#adapters/prisma/billing/checkout-store.ts'
import { createSubscriptionCouponStore } from '#adapters/prisma/billing/coupon-store.ts'
import { createDelegationLookup, createDelegationStore } from '#adapters/prisma/billing/delegation-store.ts'
import { createPortalPages, createPortalSessionStore } from '#adapters/prisma/billing/portal-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { createAccountReader } from '#adapters/solana/rpc/accounts.ts'
import { createAgreement } from '#adapters/solana/rpc/agreement.ts'
import { createExpiryProver } from '#adapters/solana/rpc/expiry-proof.ts'
import { createHistoryReader } from '#adapters/solana/rpc/history.ts'
import { createPaceReader, createSlotTimer } from '#adapters/solana/rpc/pace.ts'
import { createFinalSlots } from '#adapters/solana/rpc/slots.ts'
import { createSubmitter } from '#adapters/solana/rpc/submitter.ts'
import { createCompiler } from '#adapters/solana/transactions/compiler.ts'
import { newPortalSession } from '#core/billing/portal-session.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Address } from '#core/chain/types.ts'
import { makeUsdCents } from '#core/money/amounts.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { mintData, tokenAccountData } from '../../adapters/solana/chain-data.ts'
import { createSimulatedChain, type Fate, timeOf } from '../../simulator/chain/chain.ts'
import { createSimulatedNode } from '../../simulator/chain/node.ts'
import { createSimulatedPool } from '../../simulator/chain/pool.ts'
import { delegationIn, SYSTEM_PROGRAM } from '../../simulator/chain/raw.ts'
import { createWallet, paySol, payToken, signedTransaction, type Wallet } from '../../simulator/chain/wallets.ts'
import { openSimulatedDatabase, type SimulatedDatabase } from '../../simulator/database.ts'
import { createDice } from '../../simulator/dice.ts'
import { addressOf, FEE_PAYER, keys, newPerson, serviceKey } from '../../support/approves.ts'
import { addCoupon, addSubscription, addSubscriptionIntent, addTier } from '../../support/billing-rows.ts'
import { createTestSecrets } from '../../support/keys.ts'
import { units } from '../../support/payment.ts'
import { addBusiness } from '../../support/stores.ts'

// A network on LiteSVM, read through the service's own adapters, with one honest node and a clock that only the test moves.

type SimulatedNetwork = ReturnType<typeof openSimulatedNetwork>

/** `fateOf` decides how many slots each new transaction takes, or that it is lost. */
function openSimulatedNetwork(depositKeys: DepositKeys, fateOf: () => Fate = () => ({ afterSlots: 1n })) {
  const ledger = createSimulatedChain({ fateOf, onSubmitted: () => {}, onLanded: () => {} })
  const node = createSimulatedNode(1, ledger, { strikes: () => false, count: () => {} })
  const clock: Clock = { now: () => timeOf(ledger.tip) }
  const pass = (slots: bigint): void => ledger.advance(ledger.tip + slots)
  const pool = createSimulatedPool(
    [node],
    async (_node, _method, ask) => ask(),
    async () => pass(1n),
  )
  const finalSlots = createFinalSlots(pool, clock)
  const agreement = createAgreement(pool)
  const slotTimer = createSlotTimer(clock)
  const accounts = createAccountReader(pool, clock, slotTimer)
  const chain = {
    ...accounts,
    ...agreement,
    ...createHistoryReader(pool, finalSlots, agreement),
    ...createSubmitter(pool, clock, finalSlots, agreement, { lifetimeCacheMs: 0 }),
    ...createExpiryProver(pool),
    ...createCompiler({ accounts, depositKeys, network: 'live', computeUnitPrice: 10_000n }),
    ...createPaceReader(pool, slotTimer),
  }
  return {
    ledger,
    clock,
    chain,
    pass,
    /** Gives a wallet lamports before the first slot. */
    fund: (wallet: Address, lamports: bigint): void =>
      ledger.found(wallet, { lamports, owner: SYSTEM_PROGRAM, data: new Uint8Array() }),
    lamportsOf: (wallet: Address): bigint => ledger.accountAt(wallet, ledger.tip)?.lamports ?? 0n,
  }
}

const FUNDS = 10_000_000_000n

/** Gives a wallet a token account before the first slot, with an allowance for the service. */
function foundHolding(
  { ledger }: Pick<SimulatedNetwork, 'ledger'>,
  mint: Address,
  owner: Address,
  amount: bigint,
  allowance: bigint,
): void {
  ledger.found(associatedTokenAddress(owner, mint, TOKEN_PROGRAM_ADDRESS), {
    lamports: 2_039_280n,
    owner: TOKEN_PROGRAM_ADDRESS,
    data: tokenAccountData({
      mint,
      owner,
      amount,
      ...(allowance > 0n && { delegation: { delegate: serviceKey('delegate'), allowance } }),
    }),
  })
}

/** Lands the first transaction of the fee payer, by which a provider proves that it kept its history. */
async function fundingTransaction({ ledger, fund, chain, pass }: SimulatedNetwork) {
  const donor = createWallet(createDice('donor'))
  fund(donor.address, FUNDS)
  const wire = signedTransaction([donor], [paySol(donor, FEE_PAYER, 1_000_000n)], ledger.lifetimeAt(ledger.tip))
  await chain.broadcast(wire)
  pass(40n)
  return ledger.all()[0]?.signature
}

export const UNIT = 1_000_000n
export const FEE = 10_000n
const PERIODS = 12n
const DAY_MS = 86_400_000
export const SLOTS_OF_A_DAY = 432_000n
const MINT = addressOf(61)
const PAYOUT = addressOf(62)
const PLATFORM = addressOf(63)
/** The funding transaction of the fee payer brings as much. */
const GIFT = 1_000_000n
/** Opens the checkout, and the portal. */
const TOKEN = 'token-of-the-page'

const secrets = createTestSecrets(random)
const holdingOf = (owner: Address): Address => associatedTokenAddress(owner, MINT, TOKEN_PROGRAM_ADDRESS)

/** How a flow begins: with an open checkout, or with a subscription that has paid its first period. */
export type Beginning =
  | 'open checkout'
  | 'open checkout with room'
  | 'open checkout with a trial'
  | 'open checkout with a coupon'
  | 'open checkout with room and a coupon'
  | 'open checkout with room and a trial'
  | 'active subscription'
  | 'active subscription without a payout account'

let opened: Promise<SimulatedDatabase> | null = null

/** Creates the world in the database of this thread, which is emptied first. */
export async function createBillingWorld(beginning: Beginning) {
  opened ??= openSimulatedDatabase()
  const { db, reset } = await opened
  await reset()
  const whenSent: (() => void)[] = []
  const network = openSimulatedNetwork(keys, () => {
    whenSent.shift()?.()
    return { afterSlots: 1n }
  })
  network.fund(FEE_PAYER, FUNDS)
  network.ledger.found(MINT, { lamports: 10_000_000n, owner: TOKEN_PROGRAM_ADDRESS, data: mintData(6) })
  const owner = newPerson()
  const isActive = beginning.startsWith('active')
  const paid = isActive ? UNIT : 0n
  const tokens = PERIODS * UNIT - paid
  foundHolding(network, MINT, owner.address, tokens, isActive || beginning.includes('with room') ? tokens : 0n)
  const friend = createWallet(createDice('friend'))
  for (const person of [owner, friend]) network.fund(person.address, FUNDS)
  const holders = beginning === 'active subscription without a payout account' ? [PLATFORM] : [PAYOUT, PLATFORM]
  for (const wallet of [...holders, friend.address]) foundHolding(network, MINT, wallet, 0n, 0n)
  await fundingTransaction(network)

  const tenant = await addBusiness(db)
  const common = {
    mint: MINT,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
    payoutOwner: PAYOUT,
    payoutAta: holdingOf(PAYOUT),
    platformWallet: PLATFORM,
    interval: 'day',
  } as const
  // One day: its end is announced at once.
  const tier = await addTier(db, tenant, { ...common, trialDays: beginning.endsWith('a trial') ? 1 : 0 })
  const half = { priceUsdCents: makeUsdCents(50), unitBaseUnits: units(UNIT / 2n) }
  const cheaper = await addTier(db, tenant, { ...common, ...half, productId: tier.productId, name: 'Half' })
  const double = { priceUsdCents: makeUsdCents(200), unitBaseUnits: units(2n * UNIT) }
  const dearer = await addTier(db, tenant, { ...common, ...double, productId: tier.productId, name: 'Double' })
  if (isActive) await subscribed(db, tier, owner.address, network.clock.now())
  else await openCheckout(db, tier, network.clock.now(), beginning.endsWith('a coupon'))

  const subscriber: Wallet = { address: owner.address, key: owner.privateKey }
  const token = { ticker: 'USDC', mint: MINT, program: TOKEN_PROGRAM_ADDRESS, decimals: 6, transferFeeBps: null }
  const send = (signer: Wallet, instructions: readonly Instruction[]): void => {
    network.ledger.submit(signedTransaction([signer], instructions, network.ledger.lifetimeAt(network.ledger.tip)))
    network.pass(2n)
  }

  return {
    ...network,
    db,
    owner,
    /** The subscriber takes the allowance back with a transaction of its own. */
    revokeAllowance: (): void =>
      send(subscriber, [
        getRevokeInstruction({ source: holdingOf(owner.address), owner: createNoopSigner(owner.address) }),
      ]),
    /** The subscriber lends all its tokens to a friend. */
    lendTokens: (): void => send(subscriber, payToken(subscriber, friend.address, token, tokens)),
    returnTokens: (): void => send(friend, payToken(friend, owner.address, token, tokens)),
    merchant: { tenant },
    token: TOKEN,
    secrets,
    cheaper,
    dearer,
    stores: {
      approvals: createApprovalStore(db),
      billing: createBillingStore(db),
      challenges: createChallengeStore(db),
      checkouts: createSubscriptionCheckoutStore(db),
      delegationLookup: createDelegationLookup(db),
      delegations: createDelegationStore(db),
      portalPages: createPortalPages(db),
      portalSessions: createPortalSessionStore(db),
      subscriptionCoupons: createSubscriptionCouponStore(db),
      subscriptionTiers: createSubscriptionTierStore(db),
      transfers: createTransferStore(db),
    },
    /** The rent changes after the next transaction is sent, and before it lands. */
    changeRentBeforeLanding(lamportsPerByteYear: bigint): void {
      whenSent.push(() => network.ledger.changeRent(lamportsPerByteYear))
    },
    /** The wallet's tokens at the beginning. */
    tokens,
    /** The charge that had succeeded before. */
    paidBefore: paid,
    /** The rent in the payout account. */
    payoutRent: (): bigint => network.lamportsOf(holdingOf(PAYOUT)),
    tokensOf(wallet: Address): bigint {
      const raw = network.ledger.accountAt(holdingOf(wallet), network.ledger.tip)
      return raw === null ? 0n : Buffer.from(raw.data).readBigUInt64LE(64)
    },
    /** The allowance that the wallet gives the service now, in base units. */
    allowance(): bigint {
      const { delegate, amount } = delegationIn(network.ledger.accountAt(holdingOf(owner.address), network.ledger.tip))
      return delegate === serviceKey('delegate') ? amount : 0n
    },
    /** Returns the id of the only subscription. */
    async subscriptionId(): Promise<string> {
      return (await db.prisma.billingSubscription.findFirstOrThrow({ select: { id: true } })).id
    },
  }
}
export type BillingWorld = Awaited<ReturnType<typeof createBillingWorld>>

/** The coupon has one use, and takes a half off the first three charges. */
async function openCheckout(db: Database, tier: Tier, now: Date, hasCoupon: boolean): Promise<void> {
  const coupon = hasCoupon ? await addCoupon(db, tier, { maxUses: 1 }) : null
  const { id } = await addSubscriptionIntent(db, tier, coupon?.id ?? null)
  const expiresAt = new Date(now.getTime() + DAY_MS)
  const tokenHash = Uint8Array.from(secrets.hash(TOKEN))
  await db.prisma.subscriptionIntent.update({ where: { id }, data: { tokenHash, expiresAt } })
}

/** Stores a subscription whose first period was paid and begins now. */
async function subscribed(db: Database, tier: Tier, wallet: Address, now: Date): Promise<void> {
  const end = new Date(now.getTime() + DAY_MS)
  const times = { anchor: now, currentPeriodStart: now, currentPeriodEnd: end, nextChargeAt: end, dueAt: end }
  const allowance = units((PERIODS - 1n) * UNIT)
  const { subscription } = await addSubscription(db, tier, now.getTime(), times, {
    wallet,
    tokenAccount: holdingOf(wallet),
    chainDelegate: serviceKey('delegate'),
    chainAllowance: allowance,
    chainSlot: 0n,
    pulledSlot: null,
    accountedSlot: 0n,
    accountedAllowance: allowance,
    chainCheckedAt: now,
  })
  await db.prisma.transfer.updateMany({ data: { status: 'done' } })
  await db.prisma.event.deleteMany()
  const link = { tokenHash: secrets.hash(TOKEN), subscriptionId: subscription.id }
  await createPortalSessionStore(db).create([newPortalSession('recovery', link, now)])
}

/** How a flow ended, as values that can be compared. */
export type BillingEnding = {
  readonly status: string
  /** `<period> <status>`, the first period first. */
  readonly charges: readonly string[]
  /** The types of events, in order, without `subscription.` . */
  readonly events: readonly string[]
  /** What the wallet paid, and what the business and the platform received, in base units. */
  readonly money: readonly [bigint, bigint, bigint]
  /** What the service may still take from the wallet, in base units. */
  readonly allowance: bigint
}

export async function billingEndingOf(world: BillingWorld): Promise<BillingEnding> {
  const { db, owner, tokens, tokensOf } = world
  const subscription = await db.prisma.billingSubscription.findFirst()
  const charges = await db.prisma.charge.findMany({ orderBy: { periodIndex: 'asc' } })
  const events = await db.prisma.event.findMany({ orderBy: { sequence: 'asc' }, select: { type: true } })
  return {
    status: subscription?.status ?? 'none',
    charges: charges.map(({ periodIndex, status }) => `${periodIndex} ${status}`),
    events: events.map(({ type }) => type.replace('subscription.', '')),
    money: [tokens - tokensOf(owner.address), tokensOf(PAYOUT), tokensOf(PLATFORM)],
    allowance: world.allowance(),
  }
}

const LIVE = ['prepared', 'signed', 'sent', 'unknown'] as const

/** Returns true when nothing is under way, and nothing is due at this moment. */
export async function isBillingAtRest({ db, clock }: BillingWorld): Promise<boolean> {
  const [open, due, begun] = await Promise.all([
    db.prisma.transfer.count({ where: { status: { in: ['planned', 'in_progress'] } } }),
    db.prisma.billingSubscription.count({ where: { dueAt: { lte: clock.now() } } }),
    db.prisma.billingSubscription.count({ where: { status: { not: 'incomplete' } } }),
  ])
  return open === 0 && due === 0 && begun === 1
}

/** Checks what holds however often instances died. Returns one sentence for each rule that is broken. */
export async function brokenBillingPromises(world: BillingWorld): Promise<readonly string[]> {
  const { db, lamportsOf, owner, paidBefore, tokens, tokensOf } = world
  const broken: string[] = []
  const must = (holds: boolean, sentence: string) => {
    if (!holds) broken.push(sentence)
  }
  const attempts = await db.prisma.transferAttempt.findMany({ include: { transfer: true } })
  must(!attempts.some(({ state }) => LIVE.some((live) => live === state)), 'no attempt is left open')
  const landed = attempts.filter(({ state }) => state === 'final_ok').map(({ transferId }) => transferId)
  must(new Set(landed).size === landed.length, 'a transfer has one final success')
  const { _sum } = await db.prisma.charge.aggregate({ _sum: { amount: true }, where: { status: 'succeeded' } })
  const charged = BigInt(_sum.amount?.toFixed(0) ?? 0) - paidBefore
  must(charged === tokens - tokensOf(owner.address), 'the wallet paid the charges that succeeded')
  must(
    (await db.prisma.approval.count({ where: { state: { notIn: ['final_ok', 'final_err', 'dead'] } } })) === 0,
    'no approve is left open',
  )
  const booked = await db.prisma.ledgerEntry.aggregate({
    _sum: { delta: true },
    where: { address: FEE_PAYER, asset: 'SOL' },
  })
  const costs = BigInt(booked._sum.delta?.toFixed(0) ?? 0)
  must(FUNDS + GIFT + costs === lamportsOf(FEE_PAYER), 'the ledger contains the costs of the fee payer')
  return broken
}
