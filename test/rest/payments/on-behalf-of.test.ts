// The payments that a marketplace creates for its sellers, on the general endpoints and on a real database.
import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { random } from '#adapters/node/random.ts'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { createRedirectDomainStore } from '#adapters/prisma/billing/catalogue-store.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import { createWebhookSender } from '#adapters/webhook-http/sender.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { cleanedText } from '#core/text.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { createDeliverer, DELIVERY_LIMITS } from '#services/events/deliver.ts'
import { formatWebhookSecret } from '#services/events/signature.ts'
import { createIntentServices } from '#services/payments/payments.ts'
import { addMarketplace, OPERATOR_ACTOR, SELLER_WALLET, sellerInput } from '../../support/example-seller.ts'
import { createTestSecrets } from '../../support/keys.ts'
import { only } from '../../support/only.ts'
import { addressNo, context, NOW, signatureNo, sweepOf, units } from '../../support/payment.ts'
import { answerWith, startReceiver } from '../../support/receiver.ts'
import { type SellerEdge, startSellerEdge } from '../../support/seller-edge.ts'
import { withKey } from '../../support/services.ts'
import { storesOf } from '../../support/stores.ts'
import { toyKeys } from '../../support/toy-chain.ts'
import { addAccount, addEndpoint } from '../../support/webhook-rows.ts'

const BUYER = { email: 'buyer@example.com' }
const SIGNATURE = signatureNo(1)

/** The indexes of the payments that a sweep has settled. */
const swept = new Set<number>()

/** The services of payments over a real database, without a chain. */
function paymentServices(database: Database) {
  const { intents, checkout, work } = storesOf(database)
  const accounts = createAccountStore(database.prisma)
  return createIntentServices({
    judgeBuyerAddress: async () => {},
    redirectDomains: createRedirectDomainStore(database),
    intents,
    checkout,
    accounts,
    work: {
      ...work,
      async facts(id) {
        const facts = await work.facts(id)
        if (facts === null || !swept.has(facts.intent.derivationIndex)) return facts
        const legs = sweepOf().legs.map((one) => (one.role === 'merchant' ? { ...one, role: 'seller' as const } : one))
        const moved = legs.map(({ amount }) => amount)
        const done = sweepOf({ subject: { kind: 'payment', id }, legs, moved, status: 'done', signature: SIGNATURE })
        return { ...facts, intent: { ...facts.intent, status: 'paid', selection: SOL_CHOICE }, transfers: [done] }
      },
    },
    directory: only<Directory>('directory', {
      account: async (id) => await accounts.find(id),
      tokens: async () => context().tokens,
    }),
    keys: only<DepositKeys>('keys', {
      addressOf: (path) => addressNo(path.branch === 'deposit' ? 1_000 + path.intent : 0),
      tokenAccountOf: toyKeys.tokenAccountOf,
    }),
    deriveAddresses: async () => [],
    secrets: createTestSecrets(random),
    random,
    clock: { now: () => NOW },
    maxMarketplaceFeeBps: makeBasisPoints(5_000),
    isSandbox: false,
    priceRangeOf: () => null,
    prices: only('prices', {}),
    leastPayable: only('leastPayable', {}),
    lockRate: only('lockRate', {}),
    chainOf: () => {
      throw new ServiceError('chain_unavailable')
    },
    decisionContext: async () => context(),
    changes: { watch: () => ({ next: async (ms) => ms, close: async () => {} }) },
  })
}
const SOL_CHOICE = { asset: 'SOL', decimals: 9, expected: units(1_000_000n), rate: null } as const

let edge: SellerEdge
/** Two sellers of the marketplace `own`. */
let sellers: readonly [string, string]

beforeAll(async () => {
  edge = await startSellerEdge({}, paymentServices)
  sellers = [await addSeller(), await addSeller()]
})
afterAll(() => edge.close())

async function addSeller(payout: string | null = SELLER_WALLET): Promise<string> {
  const input = { name: 'Blue Shop', sweep_destination: payout }
  const { status, body } = await edge.post('/marketplace/sellers', input, withKey(edge.keys.own))
  expect(status).toBeLessThan(300)
  return body.id
}

async function addArchived(): Promise<string> {
  const seller = await addSeller()
  expect((await edge.ask('DELETE', `/marketplace/sellers/${seller}`, withKey(edge.keys.own))).status).toBe(200)
  return seller
}

const create = (seller: string | null, body: object = {}, key = edge.keys.own) =>
  edge.post(
    '/intents',
    { amount_usd_cents: 2500, accepted_tokens: [{ kind: 'sol' }], customer: BUYER, ...body },
    { ...withKey(key), ...(seller !== null && { 'X-Platform-On-Behalf-Of': seller }) },
  )

describe('POST /intents on behalf of a seller', () => {
  it('is the uniform 404 for a revoked marketplace, for each of its sellers', async () => {
    const [kept] = await edge.database.query<{ id: string }>(`SELECT id::text FROM accounts WHERE external_id = 'kept'`)
    const { status, body } = await create(kept?.id ?? '', {}, edge.keys.revoked)
    expect([status, body]).toEqual([404, { error: 'seller not found' }])
  })

  it('is the same 404 for an ordinary business and for another marketplace', async () => {
    for (const key of [edge.keys.ordinary, edge.keys.other]) {
      const { status, body } = await create(sellers[0], {}, key)
      expect([status, body]).toEqual([404, { error: 'seller not found' }])
    }
  })

  it.each<[string, () => Promise<string>, 'own' | 'test']>([
    ['a malformed id', async () => 'mugs', 'own'],
    ['an unknown id', async () => randomUUID(), 'own'],
    ['an archived seller', addArchived, 'own'],
    ['the id of an ordinary business', () => addAccount(edge.database), 'own'],
    ['the id of the marketplace itself', async () => edge.tenant.accountId, 'own'],
    ['a seller of the live network, from a test key', async () => sellers[0], 'test'],
  ])('is the same 404 for %s', async (_, idOf, key) => {
    const { status, body } = await create(await idOf(), {}, edge.keys[key])
    expect([status, body]).toEqual([404, { error: 'seller not found' }])
  })

  it.each<[string, object]>([
    ['email', { customer: undefined }],
    ['email', { customer: { first_name: 'Ada' } }],
    ['email', { customer: { email: null } }],
    ['application_fee_bps', { application_fee_bps: 5_001 }],
    ['application_fee_bps', { application_fee_bps: -1 }],
  ])('is 400 and names %s for %j', async (field, body) => {
    const answer = await create(sellers[0], body)
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }])
  })

  it('is 409 while the seller has no sweep destination', async () => {
    const seller = await addSeller(null)
    expect((await create(seller)).status).toBe(409)
    const patch = { sweep_destination: SELLER_WALLET }
    expect((await edge.send('PATCH', `/marketplace/sellers/${seller}`, patch, withKey(edge.keys.own))).status).toBe(200)
    expect((await create(seller)).status).toBe(200)
  })

  it('takes application_fee_bps only with the header', async () => {
    const { status, body } = await create(null, { application_fee_bps: 100 })
    expect([status, body]).toEqual([400, { error: expect.stringContaining('application_fee_bps') }])
    expect((await create(sellers[0], { application_fee_bps: 100 })).body).toMatchObject({ marketplace_fee_bps: 100 })
  })

  it('has a reference that is unique within the marketplace: for another seller it returns the payment of the first', async () => {
    const first = await create(sellers[0], { reference: 'order-1' })
    const repeat = await create(sellers[1], { reference: 'order-1' })
    expect([first.status, repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
    expect(repeat.body).toMatchObject({ derivation_index: first.body.derivation_index, client_secret: null })
    const [{ account_id } = { account_id: '' }] = await edge.database.query<{ account_id: string }>(
      `SELECT account_id::text FROM payment_intents WHERE reference = 'order-1'`,
    )
    expect(account_id).toBe(sellers[0])
  })
})

describe('what a marketplace says of the order', () => {
  const order = {
    description: 'Two mugs',
    line_items: [{ name: 'A mug', quantity: 2, amount_usd_cents: 2_500 }],
  }
  const register = (host: string, seller?: string) =>
    edge.database.query(
      `INSERT INTO redirect_domains (id, account_id, host, active, created_at, updated_at)
       VALUES ('${randomUUID()}', '${seller ?? edge.tenant.accountId}', '${host}', true, now(), now())`,
    )

  it('is shown to the marketplace and to the buyer, and a repeat does not change it', async () => {
    await register('market.example')
    await register('mugs.example', sellers[0])
    const urls = { success_url: 'https://market.example/thanks', cancel_url: 'https://mugs.example/cart' }
    const { status, body } = await create(sellers[0], { ...order, ...urls, reference: 'order-of-mugs' })
    expect([status, body]).toEqual([200, expect.objectContaining({ ...order, ...urls })])
    const seen = await edge.get(`/intents/status?client_secret=${body.client_secret}`)
    expect(seen.body).toMatchObject({ ...order, ...urls })
    const repeat = await create(sellers[0], { description: 'Three mugs', reference: 'order-of-mugs' })
    expect(repeat.body).toMatchObject({ client_secret: null, ...order, ...urls })
    const read = await edge.get('/intents?reference=order-of-mugs', withKey(edge.keys.own))
    expect(read.body).toMatchObject({ ...order, ...urls })
  })

  it('may redirect to no domain of another seller', async () => {
    await register('other.example', sellers[1])
    const { status, body } = await create(sellers[0], { success_url: 'https://other.example/' })
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^success_url must be https/)])
  })
})

describe('the details of a buyer', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...'\u200f\u200e\u200b\u200c\u200d\u00ad\u2060\ufeff\u202e\u2069\u0301\0\n\ud83d\udc00'.split('')),
  )
  const name = fc.string({ unit, maxLength: 200 })

  it('may have any characters in a name and an address: the order is created and shows them', async () => {
    await fc.assert(
      fc.asyncProperty(name, name, async (last_name, line1) => {
        const customer = { ...BUYER, last_name, address: { line1 } }
        const { status, body } = await create(sellers[0], { customer })
        expect(status).toBe(200)
        const taken = { ...BUYER, last_name: cleanedText(last_name), address: { line1: cleanedText(line1) } }
        expect(body.customer_details).toEqual(taken)
        const changed = { client_secret: body.client_secret, last_name: line1, address: { line1: last_name } }
        const details = await edge.post('/intents/details', changed)
        expect([details.status, details.body]).toEqual([
          200,
          { ...BUYER, last_name: taken.address.line1, address: { line1: taken.last_name } },
        ])
      }),
      { numRuns: 25 },
    )
  })

  it.each([
    ['email', { email: 'ada\u200b@example.com' }],
    ['email', { email: 'ada\u202e@example.com' }],
    ['country', { ...BUYER, address: { country: 'IL\u200f' } }],
    ['country', { ...BUYER, address: { country: 'XX' } }],
  ])('must have a valid %s, exactly as it is sent: %j', async (what, customer) => {
    const { status, body } = await create(sellers[0], { customer })
    expect([status, body]).toEqual([400, { error: expect.stringContaining(what) }])
  })

  it('are found by a search that leaves out invisible characters', async () => {
    const customer = { ...BUYER, first_name: 'Levi\u200f', last_name: 'Co\u00adhen' }
    const { body } = await create(sellers[0], { customer })
    const { body: found } = await edge.get('/marketplace/payments?search=levi%20cohen', withKey(edge.keys.own))
    expect(found.payments.map(({ id }: { id: string }) => id)).toEqual([body.id])
  })
})

describe('a payment for a seller', () => {
  const find = (reference: string, key: string) => edge.get(`/intents?reference=${reference}`, withKey(key))
  const read = (index: number, key: string) => edge.get(`/status?index=${index}`, withKey(key))
  const cancel = (index: number, key: string) => edge.post('/cancel', { index }, withKey(key))
  const sweep = (index: number, key: string) => edge.post('/sweep', { index }, withKey(key))

  it("is read by its marketplace's key, by index and by reference", async () => {
    const { derivation_index: index } = (await create(sellers[0], { reference: 'order-read' })).body
    const answers = [await read(index, edge.keys.own), await find('order-read', edge.keys.own)]
    for (const { status, body } of answers) {
      expect([status, body.derivation_index, body.reference]).toEqual([200, index, 'order-read'])
    }
  })

  it("is cancelled by its marketplace's key", async () => {
    const { derivation_index: index } = (await create(sellers[0])).body
    expect((await cancel(index, edge.keys.own)).status).toBe(200)
    expect((await read(index, edge.keys.own)).body.status).toBe('cancelled')
  })

  it("is swept by its marketplace's key", async () => {
    const { derivation_index: index } = (await create(sellers[0])).body
    const early = await sweep(index, edge.keys.own)
    expect([early.status, early.body]).toEqual([400, { error: 'there is nothing to sweep' }])
    swept.add(index)
    const { status, body } = await sweep(index, edge.keys.own)
    expect([status, body]).toEqual([200, expect.objectContaining({ signature: SIGNATURE, lamports_swept: 995_000 })])
  })

  it("is read, cancelled and swept by its marketplace's key after the revocation, because its money is in flight", async () => {
    const { tenant, actor } = await addMarketplace(edge.database, edge.marketplaces)
    const key = await edge.keyOf(tenant.accountId)
    const input = { ...sellerInput, sweepDestination: SELLER_WALLET }
    const { seller } = await edge.marketplaces.createSeller({ tenant, actor }, input, async () => {})
    const made = [await create(seller.id, {}, key), await create(seller.id, {}, key)]
    const [open, paid] = made.map(({ body }) => body.derivation_index)
    swept.add(paid)
    await edge.marketplaces.revoke(tenant.accountId, OPERATOR_ACTOR)
    expect((await create(seller.id, {}, key)).status).toBe(404)
    expect((await read(open, key)).status).toBe(200)
    expect(await cancel(open, key)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect(await sweep(paid, key)).toMatchObject({ status: 200, body: { signature: SIGNATURE } })
  })

  it('does not exist for the key of another marketplace, of an ordinary business, or of test mode', async () => {
    const { derivation_index: index } = (await create(sellers[0], { reference: 'order-hidden' })).body
    swept.add(index)
    for (const key of [edge.keys.other, edge.keys.ordinary, edge.keys.test]) {
      for (const act of [read, cancel, sweep]) expect((await act(index, key)).status).toBe(404)
      expect((await find('order-hidden', key)).status).toBe(404)
    }
    swept.delete(index)
    expect((await read(index, edge.keys.own)).body.status).toBe('pending')
  })

  it("is delivered to its marketplace's endpoint only, signed with the marketplace's secret", async () => {
    const own = await startReceiver(answerWith(204))
    const ofSeller = await startReceiver(answerWith(204))
    const marketplaceId = edge.tenant.accountId
    const endpointId = await addEndpoint(edge.database, marketplaceId, own.url)
    await addEndpoint(edge.database, sellers[0], ofSeller.url)
    await create(sellers[0], { reference: 'order-delivered' })

    const secret = (id: string) => createHash('sha256').update(id).digest()
    const sender = createWebhookSender({ allowPrivate: true, timeoutMs: 5_000 })
    await createDeliverer(
      {
        worker: random.uuid(),
        store: { ...createDeliveryStore(edge.database), ...createDeliveryLog(edge.database) },
        sender,
        secrets: { secret },
        chainName: () => 'solana:localnet',
        clock: { now: () => NOW },
        wallClock: { now: () => new Date() },
        random: { fraction: () => 0 },
      },
      DELIVERY_LIMITS,
    ).runOnce()
    for (const one of [sender, own, ofSeller]) await one.close()

    expect([own.received.length, ofSeller.received.length]).toEqual([1, 0])
    const [got] = own.received
    const header = (name: string) => String(got?.headers[name])
    const verified = new Webhook(formatWebhookSecret(secret(endpointId))).verify(got?.body ?? '', {
      'webhook-id': header('webhook-id'),
      'webhook-timestamp': header('webhook-timestamp'),
      'webhook-signature': header('webhook-signature'),
    })
    expect(verified).toMatchObject({
      type: 'intent.created',
      account: { id: sellers[0], is_seller: true },
      data: { reference: 'order-delivered' },
    })
  })
})
