// The checkout by an approve, on a chain.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { MOST_UNSIGNED, MOST_UNSIGNED_OF_WALLET } from '#core/billing/sponsoring.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeAddress, makeBlockhash, makeSignature } from '#core/chain/base58.ts'
import { blockHeightOf } from '#core/chain/block-height.ts'
import { SERVICE_KEYS } from '#core/chain/keys.ts'
import type { ObservedTransaction } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { UNIT } from '../../../support/charging-world.ts'
import {
  answered,
  prepareApprove,
  prepareProof,
  signedBy,
  startCheckoutWorld,
} from '../../../support/checkout-world.ts'
import { OFF_CURVE, units } from '../../../support/payment.ts'
import { until } from '../../../support/until.ts'

let world: Awaited<ReturnType<typeof startCheckoutWorld>>
let tier: Tier

beforeAll(async () => {
  world = await startCheckoutWorld()
  tier = await world.tier(await world.addBusiness())
})
afterAll(() => world.stop())

const raise = (what: string): never => {
  throw new Error(what)
}
const refused = (code: string) => expect.objectContaining({ code })
const statusOf = async (token: string) => (await world.services.readCheckout(token)).status

/** A wallet with tokens, and a checkout that it has prepared. */
async function prepared(allowance = 0n, sold = tier) {
  const owner = await world.wallet(20n * UNIT, allowance)
  const checkout = await world.open(sold)
  return { owner, ...checkout, offer: await prepareApprove(world.services, checkout.token, owner.address) }
}

async function activate(token: string, given: { subscriptionId: string; transaction: Uint8Array }): Promise<void> {
  await until(async () => (await world.services.activateCheckout(token, given)).status === 'completed')
}

test('an approve says which other delegate it replaces, also when it is handed out again', async () => {
  const owner = await world.wallet(20n * UNIT, 0n)
  const other = tier.payoutOwner
  await world.approve(owner, 5n * UNIT, other)
  const { token } = await world.open(tier)
  const prepare = () => prepareApprove(world.services, token, owner.address)
  expect(await prepare()).toMatchObject({ delegate: world.delegate, replacesDelegate: other })
  expect(await prepare()).toMatchObject({ replacesDelegate: other })
})

test('a signed approve completes the checkout, and its first charge activates the subscription', async () => {
  const { owner, token, id, offer } = await prepared()
  expect(offer).toMatchObject({ amount: 12n * UNIT, delegate: world.delegate, replacesDelegate: null })
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  await activate(token, given)
  const view = await world.services.readCheckout(token)
  expect(view).toMatchObject({
    status: 'completed',
    intent: { subscriptionId: offer.subscriptionId, subscriberWallet: owner.address },
    firstCharge: { status: 'pending', failureCode: null },
    totalAuthorization: { usdCents: 1_200n, baseUnits: 12n * UNIT },
  })
  const [approval] = await world.approvals(id)
  const { subscription, delegation } = await world.facts(offer.subscriptionId)
  expect(subscription).toMatchObject({
    status: 'incomplete',
    delegationEpoch: 1,
    approveSignature: approval?.feePayerSignature,
  })
  expect(delegation).toMatchObject({ status: 'active', epoch: 1, authorizedTotal: 12n * UNIT })
  const fees = await world.db.prisma.ledgerEntry.findMany({ where: { signature: approval?.feePayerSignature ?? '' } })
  expect(fees.map(({ kind, asset, delta }) => [kind, asset, delta.toFixed(0)])).toEqual([
    ['approval', 'SOL', `-${approval?.spendCost}`],
  ])
  await world.workUntil(async () => (await world.facts(offer.subscriptionId)).subscription.status === 'active')
  expect((await world.services.readCheckout(token)).firstCharge?.status).toBe('succeeded')
  expect(await world.services.activateCheckout(token, given)).toMatchObject({ status: 'completed' })
  expect(await world.events(offer.subscriptionId)).toEqual(['subscription.created', 'subscription.activated'])
  await expect(world.services.retryCheckout(token)).rejects.toEqual(refused('checkout_completed'))
  await expect(world.services.prepareCheckout(token, owner.address)).rejects.toEqual(refused('checkout_completed'))
  expect(world.errors).toEqual([])
})

test('a second prepare of the wallet returns the same transaction while it may land', async () => {
  const { owner, token, offer } = await prepared()
  expect((await prepareApprove(world.services, token, owner.address)).transaction).toEqual(offer.transaction)
})

test('an offer ends when the blocks that are left have passed at the pace of the chain', async () => {
  const owner = await world.wallet(UNIT, 0n)
  const { token } = await world.open(tier)
  const chain = world.parts.chainOf()
  const newest = await chain.lifetime()
  const secondsLeftAfter = async (blocks: bigint) => {
    const now = { ...newest, lastValidBlockHeight: newest.lastValidBlockHeight + blocks }
    const services = world.servicesWith({ chainOf: () => ({ ...chain, slotMs: () => 300, lifetime: async () => now }) })
    const { expiresAt } = await prepareApprove(services, token, owner.address)
    return Math.round((expiresAt.getTime() - world.clock.now().getTime()) / 1_000)
  }
  expect([await secondsLeftAfter(0n), await secondsLeftAfter(50n)]).toEqual([45, 30])
})

test('a transaction that is about to expire is not handed out again: its end gives the wallet another one', async () => {
  const { owner, token, id, offer } = await prepared()
  const [first] = await world.approvals(id)
  const last = first?.lastValidBlockHeight ?? 0n
  await until(async () => blockHeightOf(await world.parts.chainOf().lifetime()) > last - 25n)
  const next = await prepareApprove(world.services, token, owner.address)
  expect(next.transaction).not.toEqual(offer.transaction)
  expect((await world.approvals(id)).map(({ state }) => state)).toEqual(['dead', 'prepared'])
  await activate(token, { subscriptionId: next.subscriptionId, transaction: await signedBy(owner, next) })
})

test('while the end of a transaction that is about to expire is not proved, none is handed out', async () => {
  const { owner, token, id } = await prepared()
  const chain = world.parts.chainOf()
  const [first] = await world.approvals(id)
  const expired = async () => {
    const lifetime = await chain.lifetime()
    return { ...lifetime, lastValidBlockHeight: (first?.lastValidBlockHeight ?? 0n) + 151n }
  }
  const proveExpired = async () => ({ expired: false, because: 'unproven', detail: 'a provider is away' }) as const
  const services = world.servicesWith({ chainOf: () => ({ ...chain, lifetime: expired, proveExpired }) })
  await expect(services.prepareCheckout(token, owner.address)).rejects.toEqual(refused('authorization_pending'))
})

test('a wallet that sends the transaction by itself completes the checkout', async () => {
  const { owner, token, offer } = await prepared()
  await world.broadcast(await signedBy(owner, offer))
  await until(async () => {
    await world.watch()
    return (await statusOf(token)) === 'completed'
  })
  expect((await world.facts(offer.subscriptionId)).subscription.status).toBe('incomplete')
  expect(world.errors).toEqual([])
})

test('requests that send one approve at the same moment send it once, and share the reads of one wait', async () => {
  const { owner, token, offer } = await prepared()
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  const calls = { broadcast: 0, signatureStatuses: 0, recordSigned: 0 }
  const chain = world.parts.chainOf()
  const lifetime = await chain.lifetime()
  const requests = 27
  const services = world.servicesWith({
    approvals: {
      ...world.deps.approvals,
      async recordSigned(...args) {
        const recorded = await world.deps.approvals.recordSigned(...args)
        calls.recordSigned += 1
        return recorded
      },
    },
    // The transaction never lands.
    chainOf: () => ({
      ...chain,
      lifetime: async () => lifetime,
      async broadcast() {
        calls.broadcast += 1
      },
      async signatureStatuses(signatures) {
        calls.signatureStatuses += 1
        return signatures.map(() => null)
      },
    }),
    sleep: async () => void (await until(async () => calls.recordSigned === requests)),
  })
  const posts = Array.from({ length: requests }, () => services.activateCheckout(token, given))
  for (const post of posts) expect((await post).status).toBe('confirmation_pending')
  expect(calls.signatureStatuses).toBe(30)
  expect(calls.broadcast).toBe(30)
  expect(calls.recordSigned).toBe(requests)
})

test.each(['broadcast', 'signatureStatuses', 'lifetime', 'transaction'] as const)(
  'a signed approve is pending from the moment at which it is stored, also while %s finds no provider',
  async (call) => {
    const { owner, token, id, offer } = await prepared()
    const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
    const away = () => Promise.reject(new ServiceError('chain_unavailable'))
    const services = world.servicesWith({ chainOf: () => ({ ...world.parts.chainOf(), [call]: away }) })
    for (const _repeat of [1, 2])
      expect(await services.activateCheckout(token, given)).toEqual({
        status: 'confirmation_pending',
        subscriptionId: offer.subscriptionId,
      })
    expect((await world.approvals(id))[0]?.wire).not.toBeNull()
  },
)

test('nothing but the prepared transaction with the signature of its owner is accepted', async () => {
  const { owner, token, id, offer } = await prepared()
  const other = await prepared()
  const good = await signedBy(owner, offer)
  const flipped = (at: number) => good.map((byte, index) => (index === at ? byte ^ 1 : byte))
  const bad = [
    offer.transaction,
    new Uint8Array(),
    good.subarray(0, 100),
    Uint8Array.of(...good, 0),
    flipped(0),
    flipped(2),
    flipped(66),
    flipped(good.length - 1),
    await signedBy(other.owner, offer),
    await signedBy(other.owner, other.offer),
  ]
  for (const transaction of bad) {
    const given = { subscriptionId: offer.subscriptionId, transaction }
    await expect(world.services.activateCheckout(token, given)).rejects.toEqual(refused('invalid_signature'))
  }
  const foreign = { subscriptionId: other.offer.subscriptionId, transaction: good }
  await expect(world.services.activateCheckout(token, foreign)).rejects.toEqual(refused('subscription_not_found'))
  expect((await world.approvals(id)).map(({ state, wire }) => ({ state, wire }))).toEqual([
    { state: 'prepared', wire: null },
  ])
})

test('a second checkout of the wallet waits for the first, and then authorizes both', async () => {
  const { owner, token, offer } = await prepared()
  const second = await world.open(tier)
  await expect(world.services.prepareCheckout(second.token, owner.address)).rejects.toEqual(
    refused('authorization_pending'),
  )
  await activate(token, { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) })
  const next = await prepareApprove(world.services, second.token, owner.address)
  expect(next.amount).toBe(24n * UNIT)
  await activate(second.token, { subscriptionId: next.subscriptionId, transaction: await signedBy(owner, next) })
  expect((await world.facts(next.subscriptionId)).delegation).toMatchObject({ epoch: 2, chainAllowance: 24n * UNIT })
})

test('an approve does not cover the subscription again whose allowance its owner has removed a moment before', async () => {
  const { owner, token, offer } = await prepared()
  await activate(token, { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) })
  await world.workUntil(async () => (await world.facts(offer.subscriptionId)).subscription.status === 'active')
  await world.revoke(owner)
  const elsewhere = await world.open(await world.tier(await world.addBusiness()))
  expect((await prepareApprove(world.services, elsewhere.token, owner.address)).amount).toBe(12n * UNIT)
  expect((await world.facts(offer.subscriptionId)).subscription.status).toBe('revoked')
})

test('two checkouts of one wallet that prepare at once get one transaction', async () => {
  const owner = await world.wallet(20n * UNIT, 0n)
  const checkouts = [await world.open(tier), await world.open(tier), await world.open(tier)]
  const offers = await Promise.allSettled(
    checkouts.map(({ token }) => world.services.prepareCheckout(token, owner.address)),
  )
  const reasons = offers.flatMap((offer) => (offer.status === 'rejected' ? [offer.reason] : []))
  expect(reasons).toEqual([refused('authorization_pending'), refused('authorization_pending')])
})

test('a transaction that can no longer land is dead by proof, and another one is prepared', async () => {
  const { owner, token, id, offer } = await prepared()
  await until(async () => {
    await world.watch()
    return (await world.approvals(id))[0]?.state === 'dead'
  }, 60_000)
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  await expect(world.services.activateCheckout(token, given)).rejects.toEqual(refused('blockhash_expired'))
  const next = await prepareApprove(world.services, token, owner.address)
  expect(next.subscriptionId).toBe(offer.subscriptionId)
  expect(next.transaction).not.toEqual(offer.transaction)
  await activate(token, { subscriptionId: next.subscriptionId, transaction: await signedBy(owner, next) })
}, 90_000)

const delegationsOf = (wallet: string) => world.db.prisma.delegation.count({ where: { wallet } })

test('approves are counted by their end; a signature that came too late counts as expired', async () => {
  const ends = () => world.deps.approvals.countEnds('live', new Date(0))
  const before = await ends()
  const { owner, token, id, offer } = await prepared()
  await until(async () => {
    await world.watch()
    return (await world.approvals(id))[0]?.state === 'dead'
  }, 60_000)
  expect(await ends()).toEqual({ ...before, unsigned: before.unsigned + 1 })
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  for (const _repeat of [1, 2])
    await expect(world.services.activateCheckout(token, given)).rejects.toEqual(refused('blockhash_expired'))
  expect(await ends()).toEqual({ ...before, expired: before.expired + 1 })
  const next = await prepareApprove(world.services, token, owner.address)
  await activate(token, { subscriptionId: next.subscriptionId, transaction: await signedBy(owner, next) })
  expect(await ends()).toEqual({ ...before, expired: before.expired + 1, landed: before.landed + 1 })
  expect(await world.deps.approvals.countEnds('test', new Date(0))).toEqual({
    landed: 0,
    failed: 0,
    expired: 0,
    unsigned: 0,
  })
  expect(await world.deps.approvals.countEnds('live', new Date(world.clock.now().getTime() + 1_000))).toEqual({
    landed: 0,
    failed: 0,
    expired: 0,
    unsigned: 0,
  })
})

test('a missing or frozen token account is refused, and the wallet is not stored', async () => {
  const poor = await world.tools.wallet()
  const { token } = await world.open(tier)
  await expect(world.services.prepareCheckout(token, poor.address)).rejects.toEqual(refused('no_token_account'))
  const frozen = await world.wallet(UNIT, 0n)
  await world.freeze(frozen.address)
  await expect(world.services.prepareCheckout(token, frozen.address)).rejects.toEqual(refused('account_frozen'))
  expect([await delegationsOf(poor.address), await delegationsOf(frozen.address)]).toEqual([0, 0])
})

test('an approve that fails on the chain costs its fee only, and the wallet prepares again', async () => {
  const { owner, token, id, offer } = await prepared()
  await world.freeze(owner.address)
  await world.broadcast(await signedBy(owner, offer))
  await until(async () => {
    await world.watch()
    return (await world.approvals(id))[0]?.state === 'final_err'
  })
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  await expect(world.services.activateCheckout(token, given)).rejects.toEqual(refused('authorization_required'))
  const [approval] = await world.approvals(id)
  const fees = await world.db.prisma.ledgerEntry.findMany({ where: { signature: approval?.feePayerSignature ?? '' } })
  expect(fees.map(({ kind }) => kind)).toEqual(['fee'])
  expect(await statusOf(token)).toBe('open')
})

test('an approve that is in a block and did not run is dead: it has no entry, costs no budget, and the wallet prepares again', async () => {
  const { owner, token, id, offer } = await prepared()
  const [stored] = await world.approvals(id)
  const signature = makeSignature(stored?.feePayerSignature ?? '')
  const chain = world.parts.chainOf()
  const error = '"InsufficientFundsForFee"'
  const feePayer = world.deps.keys.addressOf({ network: 'live', branch: 'fee_payer' })
  const ran: ObservedTransaction = {
    signature,
    slot: 9n,
    blockTime: null,
    error,
    fee: makeLamports(0),
    feePayer,
    signers: [feePayer, makeAddress(owner.address)],
    accounts: [],
    memos: [],
    changes: [],
  }
  const services = world.servicesWith({
    chainOf: () => ({
      ...chain,
      broadcast: async () => {},
      signatureStatuses: async (signatures) => signatures.map(() => ({ slot: 9n, final: true, error, doubt: null })),
      transaction: async () => ran,
    }),
  })
  const spent = () => world.deps.approvals.spentSince('live', new Date(0))
  const before = await spent()
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  await expect(services.activateCheckout(token, given)).rejects.toEqual(refused('blockhash_expired'))
  expect(await world.approvals(id)).toMatchObject([{ state: 'dead' }])
  expect(await world.db.prisma.ledgerEntry.count({ where: { signature } })).toBe(0)
  expect(await spent()).toBe(before - (stored?.spendCost ?? 0n))
  // With the same blockhash it would be the same transaction.
  await vi.waitFor(() => prepareApprove(world.services, token, owner.address), 5_000)
})

test.each(['a checkout that was canceled', 'the checkout of an archived seller'])(
  '%s keeps the allowance unused',
  async (name) => {
    const tenant = await world.addBusiness()
    const { owner, token, id, offer } = await prepared(0n, await world.tier(tenant))
    const { account, subscriptionIntent } = world.db.prisma
    if (name.includes('archived'))
      await account.update({ where: { id: tenant.accountId }, data: { archivedAt: world.clock.now() } })
    else await subscriptionIntent.update({ where: { id }, data: { status: 'canceled', version: { increment: 1 } } })
    await world.broadcast(await signedBy(owner, offer))
    await until(async () => {
      await world.watch()
      return (await world.approvals(id))[0]?.state === 'final_ok'
    })
    expect(await world.parts.billing.facts(offer.subscriptionId)).toBeNull()
    const [delegation] = await world.db.prisma.delegation.findMany({ where: { wallet: owner.address } })
    expect(delegation).toMatchObject({ epoch: 1, status: 'active' })
    await expect(world.services.prepareCheckout(token, owner.address)).rejects.toEqual(refused('checkout_closed'))
  },
)

test('an address of a program is no wallet', async () => {
  const { token } = await world.open(tier)
  await expect(world.services.prepareCheckout(token, OFF_CURVE)).rejects.toEqual(refused('invalid_subscriber_wallet'))
})

test.each(SERVICE_KEYS)(
  'the key of the service %s is no wallet, although anyone can create its token account',
  async (branch) => {
    const wallet = world.deps.keys.addressOf({ network: 'live', branch })
    await world.tools.fundToken(world.mint, wallet, UNIT)
    const { token, id } = await world.open(tier)
    await expect(world.services.prepareCheckout(token, wallet)).rejects.toEqual(refused('invalid_subscriber_wallet'))
    expect(await world.approvals(id)).toEqual([])
  },
)

test('a pinned wallet, a malformed wallet, an unknown token and an expired checkout are refused', async () => {
  const [owner, other] = [await world.wallet(UNIT, 0n), await world.wallet(UNIT, 0n)]
  const { token } = await world.open(tier, { subscriberWallet: owner.address, walletPinned: true })
  const { prepareCheckout } = world.services
  await expect(prepareCheckout(token, other.address)).rejects.toEqual(refused('wallet_not_permitted'))
  await expect(prepareCheckout(token, 'no wallet')).rejects.toEqual(refused('invalid_subscriber_wallet'))
  await expect(prepareCheckout('unknown', owner.address)).rejects.toEqual(refused('checkout_not_found'))
  const late = await world.open(tier, { expiresAt: world.clock.now() })
  await expect(prepareCheckout(late.token, owner.address)).rejects.toEqual(refused('checkout_expired'))
  expect(await statusOf(late.token)).toBe('expired')
  await expect(prepareCheckout(token, owner.address)).resolves.toMatchObject({ amount: 12n * UNIT })
})

test('the sponsor prepares nothing beyond its budget of 24 hours, and the wallet is not stored', async () => {
  const owner = await world.wallet(UNIT, 0n)
  const { token, id } = await world.open(tier)
  const services = world.servicesWith({ sponsorLamportsPerDay: makeLamports(1n) })
  await expect(services.prepareCheckout(token, owner.address)).rejects.toMatchObject(LIMITED)
  expect([await world.approvals(id), await delegationsOf(owner.address)]).toEqual([[], 0])
})

const LIMITED = { code: 'rate_limited', context: { retry_after_seconds: expect.any(Number) } }

test('one business uses half of the budget at most, and another one has the rest', async () => {
  const [first, second, third] = [await prepared(), await world.wallet(UNIT, 0n), await world.wallet(UNIT, 0n)]
  const { network } = (await world.approvals(first.id))[0] ?? {}
  const { _sum } = await world.db.prisma.approval.aggregate({
    where: { network: network ?? 'live', state: { not: 'dead' } },
    _sum: { spendCost: true },
  })
  // The business of the tier has spent all that was spent, which leaves one checkout to anyone.
  const forCheckouts = (_sum.spendCost ?? 0n) + 20_000n
  const services = world.servicesWith({ sponsorLamportsPerDay: makeLamports((forCheckouts * 4n) / 3n) })
  const own = await world.open(tier)
  await expect(services.prepareCheckout(own.token, second.address)).rejects.toMatchObject(LIMITED)
  const other = await world.open(await world.tier(await world.addBusiness()))
  await expect(services.prepareCheckout(other.token, third.address)).resolves.toMatchObject({ requiresSignature: true })
})

test('a checkout leaves ten approves unsigned within an hour at most, for whatever wallets', async () => {
  const { token, id } = await world.open(tier)
  for (let stranger = 0; stranger < MOST_UNSIGNED; stranger += 1) {
    await prepareApprove(world.services, token, (await world.wallet(UNIT, 0n)).address)
    await world.abandon(id)
  }
  const owner = await world.wallet(UNIT, 0n)
  await expect(world.services.prepareCheckout(token, owner.address)).rejects.toMatchObject(LIMITED)
  await world.db.prisma.approval.updateMany({
    where: { intentId: id },
    data: { createdAt: new Date(world.clock.now().getTime() - 3_600_001) },
  })
  await expect(world.services.prepareCheckout(token, owner.address)).resolves.toMatchObject({ requiresSignature: true })
})

test('checkouts of one business for any wallet hold a wallet ten times an hour at most, and not those of others or for the wallet', async () => {
  const owner = await world.wallet(UNIT, 0n)
  await world.holdByStrangers(tier, owner.address, MOST_UNSIGNED)
  const next = await world.open(tier)
  await prepareProof(world.services, next.token, owner.address)
  expect(await world.approvals(next.id)).toEqual([])
  const pinned = await world.open(tier, { subscriberWallet: owner.address, walletPinned: true })
  await expect(prepareApprove(world.services, pinned.token, owner.address)).resolves.toBeDefined()
  await world.abandon(pinned.id)
  const other = await world.open(await world.tier(await world.addBusiness()))
  await expect(prepareApprove(world.services, other.token, owner.address)).resolves.toBeDefined()
})

test('checkouts of a marketplace and of all its sellers together hold a wallet ten times an hour at most', async () => {
  const owner = await world.wallet(UNIT, 0n)
  const marketplace = await world.addBusiness()
  const sellerTier = async () => world.tier(await world.addSeller(marketplace))
  await world.holdByStrangers(await sellerTier(), owner.address, MOST_UNSIGNED - 2)
  await world.holdByStrangers(await world.tier(marketplace), owner.address, 2)
  const next = await world.open(await sellerTier())
  await prepareProof(world.services, next.token, owner.address)
  expect(await world.approvals(next.id)).toEqual([])
})

test('checkouts of all businesses hold a wallet twenty times an hour at most, and its owner goes on with a signed text', async () => {
  const owner = await world.wallet(20n * UNIT, 0n)
  await world.holdByStrangers(tier, owner.address, MOST_UNSIGNED_OF_WALLET, true)
  const other = await world.open(await world.tier(await world.addBusiness()))
  const { confirmCheckout, activateCheckout } = world.services
  const text = await prepareProof(world.services, other.token, owner.address)
  const answer = await answered(owner, text)
  const forged = { ...answer, signature: Buffer.alloc(64, 1).toString('base64') }
  await expect(confirmCheckout(other.token, forged)).rejects.toEqual(refused('invalid_signature'))
  await prepareProof(world.services, other.token, owner.address)
  await expect(confirmCheckout(other.token, answer)).rejects.toEqual(refused('authorization_required'))
  // The text is a proof for its own checkout, and only until it expires.
  const pinned = await world.open(tier, { subscriberWallet: owner.address, walletPinned: true })
  await prepareProof(world.services, pinned.token, owner.address)
  world.sleep(600_001)
  await prepareProof(world.services, other.token, owner.address)
  world.sleep(-600_001)
  const offer = await prepareApprove(world.services, other.token, owner.address)
  expect(offer.subscriptionId).toBe(text.subscriptionId)
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  await until(async () => (await activateCheckout(other.token, given)).status === 'completed')
})

test('a wallet that strangers have held twenty times is free again after an hour', async () => {
  const owner = await world.wallet(UNIT, 0n)
  await world.holdByStrangers(tier, owner.address, MOST_UNSIGNED_OF_WALLET, true)
  const { token } = await world.open(tier)
  await prepareProof(world.services, token, owner.address)
  await world.db.prisma.approval.updateMany({
    where: { delegation: { wallet: owner.address } },
    data: { createdAt: new Date(world.clock.now().getTime() - 3_600_001) },
  })
  await expect(prepareApprove(world.services, token, owner.address)).resolves.toBeDefined()
})

test('the sponsor signs an approve that is stored, and nothing before', async () => {
  const owner = await world.wallet(20n * UNIT, 0n)
  const { token, id } = await world.open(tier)
  const { deps } = world
  const states: unknown[] = []
  const services = world.servicesWith({
    signer: {
      async sponsor(...given) {
        states.push(...(await world.approvals(id)).map(({ state, feePayerSignature }) => [state, feePayerSignature]))
        return await deps.signer.sponsor(...given)
      },
    },
  })
  const offer = await prepareApprove(services, token, owner.address)
  expect(states).toEqual([['prepared', null]])
  await activate(token, { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) })
})

test('no two approves are the same transaction', async () => {
  const { deps } = world
  const chain = deps.chainOf('live')
  const lifetime = await chain.lifetime()
  const services = world.servicesWith({ chainOf: () => ({ ...chain, lifetime: async () => lifetime }) })
  const owner = await world.wallet(UNIT, 0n)
  const { token, id } = await world.open(tier)
  await prepareApprove(services, token, owner.address)
  await world.db.prisma.approval.updateMany({ where: { intentId: id }, data: { state: 'final_ok' } })
  const other = await world.open(tier)
  await expect(services.prepareCheckout(other.token, owner.address)).rejects.toEqual(refused('authorization_pending'))
  expect(await world.approvals(other.id)).toMatchObject([{ state: 'dead', feePayerSignature: null }])
  await until(async () => (await chain.lifetime()).blockhash !== lifetime.blockhash)
  await expect(prepareApprove(world.services, other.token, owner.address)).resolves.toBeDefined()
})

test('an approve that was never signed ends with its blockhash, and no one could have used it', async () => {
  const owner = await world.wallet(20n * UNIT, 0n)
  const { token, id } = await world.open(tier)
  const { deps } = world
  const approvals = { ...deps.approvals, recordSponsored: () => Promise.reject(new Error('killed')) }
  await expect(world.servicesWith({ approvals }).prepareCheckout(token, owner.address)).rejects.toThrow('killed')
  const [stored] = await world.approvals(id)
  const { network, total, message, lastValidBlockHeight, blockhash } = stored ?? raise('nothing is stored')
  const lifetime = { blockhash: makeBlockhash(blockhash), lastValidBlockHeight } as const
  const { mint, tokenProgram, decimals } = tier
  const plan = {
    kind: 'approve' as const,
    network,
    owner: owner.address,
    token: { mint, tokenProgram, decimals },
    total: units(BigInt(total.toFixed(0))),
    lifetime,
  }
  const signing = await deps.signer.sponsor(plan, message)
  if ('refused' in signing) throw new Error(signing.refused)
  const guessed = {
    subscriptionId: stored?.subscriptionId ?? '',
    transaction: await signedBy(owner, { transaction: signing.wire }),
  }
  await expect(world.services.activateCheckout(token, guessed)).rejects.toEqual(refused('invalid_signature'))
  await world.watch()
  expect((await world.approvals(id))[0]?.state).toBe('prepared')
  await world.db.prisma.approval.update({ where: { id: stored?.id ?? '' }, data: { lastValidBlockHeight: 1n } })
  await world.watch()
  expect((await world.approvals(id))[0]).toMatchObject({ state: 'dead', feePayerSignature: null })
  await expect(prepareApprove(world.services, token, owner.address)).resolves.toBeDefined()
})

test('an approve of another wallet changes nothing for the wallet that has completed the checkout', async () => {
  const { owner, token, id, offer } = await prepared()
  const other = await world.wallet(20n * UNIT, 0n)
  const theirs = await prepareApprove(world.services, token, other.address)
  await activate(token, { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) })
  const before = await world.facts(offer.subscriptionId)
  await world.broadcast(await signedBy(other, theirs))
  await until(async () => {
    await world.watch()
    return (await world.approvals(id)).every(({ state }) => state === 'final_ok')
  })
  expect(await world.facts(offer.subscriptionId)).toEqual(before)
  const given = { subscriptionId: theirs.subscriptionId, transaction: await signedBy(other, theirs) }
  await expect(world.services.activateCheckout(token, given)).rejects.toEqual(refused('checkout_completed'))
})

test('a wallet whose approve lands after that of another wallet has not subscribed', async () => {
  const { owner, token, offer } = await prepared()
  const other = await world.wallet(20n * UNIT, 0n)
  const theirs = await prepareApprove(world.services, token, other.address)
  await activate(token, { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) })
  const given = { subscriptionId: theirs.subscriptionId, transaction: await signedBy(other, theirs) }
  await expect(activate(token, given)).rejects.toEqual(refused('checkout_completed'))
})

test('a wallet has a limited number of subscriptions', async () => {
  const owner = await world.wallet(UNIT, 0n)
  const services = world.servicesWith({ subscriptionsPerWallet: 0 })
  const { token } = await world.open(tier)
  await expect(services.prepareCheckout(token, owner.address)).rejects.toMatchObject({
    code: 'wallet_limit_reached',
    context: { limit: 0 },
  })
})

test('a wallet at its limit frees a place by a subscription that has ended, and other wallets do not count', async () => {
  const { owner, token, offer } = await prepared()
  await activate(token, { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) })
  const { prepareCheckout } = world.servicesWith({ subscriptionsPerWallet: 1 })
  const next = await world.open(tier)
  const limited = { code: 'wallet_limit_reached', context: { limit: 1 } }
  const store = (data: { status?: string; network?: 'live' | 'test' }) =>
    world.db.prisma.billingSubscription.update({ where: { id: offer.subscriptionId }, data })
  await expect(prepareCheckout(next.token, owner.address)).rejects.toMatchObject(limited)
  const other = await world.wallet(UNIT, 0n)
  await expect(prepareCheckout(next.token, other.address)).resolves.toBeDefined()
  const { countOfWallet } = world.deps.checkouts
  const wallet = makeAddress(owner.address)
  expect([await countOfWallet('live', wallet), await countOfWallet('test', wallet)]).toEqual([1, 0])
  for (const status of ['canceled', 'failed']) {
    await store({ status })
    expect(await countOfWallet('live', wallet)).toBe(0)
  }
  await expect(prepareCheckout(next.token, owner.address)).resolves.toBeDefined()
})

const change = (id: string, data: { readonly status?: string; readonly expiresAt?: Date }) =>
  world.db.prisma.subscriptionIntent.update({ where: { id }, data: { ...data, version: { increment: 1 } } })

test.each([
  ['expired', 'checkout_expired'],
  ['canceled', 'checkout_closed'],
] as const)('an approve of a checkout that was %s before it is sent is not stored', async (status, code) => {
  const { owner, token, id, offer } = await prepared()
  await change(id, status === 'expired' ? { expiresAt: world.clock.now() } : { status })
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  await expect(world.services.activateCheckout(token, given)).rejects.toEqual(refused(code))
  expect(await world.approvals(id)).toMatchObject([{ state: 'prepared', wire: null }])
})

test('an approve that was sent completes a checkout that expires after it, and not one that is canceled after it', async () => {
  for (const status of ['open', 'canceled']) {
    const { owner, token, id, offer } = await prepared()
    const transaction = await signedBy(owner, offer)
    const [approval] = await world.approvals(id)
    await world.deps.approvals.recordSigned(approval?.id ?? '', transaction)
    await change(id, { status, expiresAt: world.clock.now() })
    const done = activate(token, { subscriptionId: offer.subscriptionId, transaction })
    if (status === 'open') await done
    else await expect(done).rejects.toEqual(refused('checkout_closed'))
  }
})

test('the spending of a time leaves out older approves and dead ones', async () => {
  const since = new Date(world.clock.now().getTime() - 86_400_000)
  const spent = () => world.deps.approvals.spentSince('live', since)
  const before = await spent()
  const { id } = await prepared()
  const [approval] = await world.approvals(id)
  const after = before + (approval?.spendCost ?? 0n)
  const store = (data: { state: string; createdAt?: Date }) =>
    world.db.prisma.approval.updateMany({ where: { intentId: id }, data })
  expect([after > before, await spent()]).toEqual([true, after])
  await store({ state: 'dead' })
  expect(await spent()).toBe(before)
  await store({ state: 'final_ok' })
  expect(await spent()).toBe(after)
  await store({ state: 'final_ok', createdAt: since })
  expect(await spent()).toBe(before)
})
