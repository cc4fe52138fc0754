import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTenantReads, type TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { startChange, step } from '#core/payments/change.ts'
import { openTestDatabase } from '../../support/database.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { subscribe, webSocketClient } from '../../support/graphql-client.ts'
import { choice, later, NOW } from '../../support/payment.ts'
import { createTestFeed, credential, startTestService, type TestService, withKey } from '../../support/services.ts'
import { addBusiness, addIntent, type Stores, storesOf } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

let database: Database

// The records of a payment, on a real database: pages, cursors, and tenants.
describe('the records of a payment', () => {
  const OWN = pendingIntent.accountId
  const STRANGER = '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d003'
  const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
  const SHOP = 'BPFLoaderUpgradeab1e11111111111111111111111'
  const FEE_PAYER = 'So11111111111111111111111111111111111111112'
  const LEGS = [
    { role: 'merchant', destination: SHOP, amount: '900', movedAmount: '891' },
    { role: 'network_fee', destination: FEE_PAYER, amount: '100', movedAmount: '100' },
  ]
  const COUNT = 101
  const NAMES = Array.from({ length: COUNT }, (_, at) => `no-${String(at).padStart(3, '0')}`)

  let service: TestService
  let reads = 0

  const idOf = (index: number) => `6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a${String(index).padStart(2, '0')}`

  beforeAll(async () => {
    database = await openTestDatabase()
    for (const id of [OWN, STRANGER]) await database.prisma.account.create({ data: { id, network: 'live', name: id } })
    for (const index of [1, 2, 3]) await insertIntent(index, OWN)
    await insertIntent(9, STRANGER)
    await database.prisma.deposit.createMany({
      // Two records have the same time.
      data: NAMES.map((signature, at) => ({ ...depositOf(idOf(3), signature), seenAt: later(Math.floor(at / 2)) })),
    })
    await database.prisma.event.createMany({
      // Entries for the feed of a marketplace are no events of a payment.
      data: NAMES.flatMap((name) => [name, 'intent.updated']).map((name) => ({
        network: 'live',
        accountId: OWN,
        receiverAccountId: OWN,
        subjectKind: 'payment',
        subjectId: idOf(3),
        intentId: idOf(3),
        type: name,
        data: {},
      })),
    })
    await insertDeposit(1, 's')
    await insertTransfer(1)
    service = await startTestService({
      reads: countedReads,
      services: {
        intents: {
          findByIndex: async (_caller, index) => ({ ...pendingIntent, id: idOf(index), derivationIndex: index }),
        },
      },
    })
  })
  afterAll(async () => {
    await service.close()
    await database.close()
  })

  /** Counts the reads of payments and of their records. */
  function countedReads(tenant: Tenant): TenantReads {
    const { paymentIntent, ...rest } = createTenantReads(database.prisma)(tenant)
    const counted = <Args, Result>(read: (args: Args) => Result) => {
      return (args: Args): Result => {
        reads += 1
        return read(args)
      }
    }
    const { findMany, findUnique, findUniqueOrThrow } = paymentIntent
    const counting = {
      ...paymentIntent,
      findMany: counted(findMany),
      findUnique: counted(findUnique),
      findUniqueOrThrow: counted(findUniqueOrThrow),
    }
    return { ...rest, paymentIntent: counting }
  }

  const globalId = (index: number) => Buffer.from(`PaymentIntent:${idOf(index)}`).toString('base64')

  const insertIntent = (index: number, account: string) =>
    database.prisma.paymentIntent.create({
      data: {
        id: idOf(index),
        network: 'live',
        accountId: account,
        callerAccountId: account,
        derivationIndex: index,
        address: `BPFLoaderUpgradeab1e1111111111111111111111${index}`,
        clientSecretHash: Uint8Array.of(index),
        priceUsdCents: 100n,
        acceptedAssets: ['SOL'],
        reference: `order-${index}`,
        expiresAt: later(600),
        createdAt: later(index),
        payeeLabel: 'Shop',
      },
    })

  const depositOf = (intentId: string, signature: string) => ({
    network: 'live' as const,
    intentId,
    account: 'a',
    asset: 'SOL',
    amount: '18446744073709551615',
    signature,
    slot: 5n,
    senders: [],
    use: 'applied' as const,
  })
  const insertDeposit = (index: number, signature: string) =>
    database.prisma.deposit.create({ data: depositOf(idOf(index), signature) })

  async function insertTransfer(index: number) {
    const { id } = await database.prisma.transfer.create({
      data: {
        key: `sweep:${index}`,
        network: 'live',
        subjectKind: 'payment',
        subjectId: idOf(index),
        intentId: idOf(index),
        accountId: OWN,
        kind: 'sweep',
        source: pendingIntent.address,
        authority: pendingIntent.address,
        authorityKey: 'deposit/0/1',
        asset: 'SOL',
        decimals: 9,
        legs: { create: LEGS.map((leg, position) => ({ ...leg, position, movedAmount: null })) },
      },
    })
    await database.prisma.transfer.update({ where: { id }, data: { status: 'done', signature: SIGNATURE } })
    for (const [position, { movedAmount }] of LEGS.entries())
      await database.prisma.transferLeg.updateMany({ where: { transferId: id, position }, data: { movedAmount } })
  }

  const PAGE = `query ($index: Int!, $first: Int, $after: String, $last: Int, $before: String) {
  paymentIntent(index: $index) {
    deposits(first: $first, after: $after, last: $last, before: $before) {
      edges { node { signature } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}`
  type Edges = { edges: { node: { signature: string } }[] }
  const signaturesOf = ({ edges }: Edges) => edges.map(({ node }) => node.signature)

  async function deposits(variables: object, index = 3) {
    const { body } = await service.graphql(PAGE, { index, ...variables }, withKey())
    const page = body.data?.paymentIntent?.deposits
    return {
      signatures: page && signaturesOf(page),
      pageInfo: page?.pageInfo,
      code: body.errors?.[0].extensions.code,
      message: body.errors?.[0].message,
    }
  }

  describe('deposits, transfers and events of a payment', () => {
    it('are shown to its business', async () => {
      const query = `query ($index: Int!) { paymentIntent(index: $index) {
      deposits { edges { node { amount asset use } } }
      transfers { edges { node { kind status asset signature legs { role destination amount movedAmount } } } }
      events { edges { node { type } } } } }`
      const { body } = await service.graphql(query, { index: 1 }, withKey())
      expect(body.data.paymentIntent).toEqual({
        deposits: { edges: [{ node: { amount: '18446744073709551615', asset: 'SOL', use: 'applied' } }] },
        transfers: {
          edges: [
            {
              node: {
                kind: 'sweep',
                status: 'done',
                asset: 'SOL',
                signature: SIGNATURE,
                legs: LEGS,
              },
            },
          ],
        },
        events: { edges: [] },
      })
    })

    it('are shown next to the tokens that are not allowed, which have no books', async () => {
      const at = { arrivals: 2n, amount: '9', firstSignature: 'a', lastSlot: 1n, firstSeenAt: later(1) }
      await database.prisma.unacceptedToken.createMany({
        data: [
          { intentId: idOf(2), mint: FEE_PAYER, lastSignature: 'older', lastSeenAt: later(1), ...at },
          { intentId: idOf(2), mint: '', lastSignature: 'newer', lastSeenAt: later(2), ...at },
          { intentId: idOf(9), mint: FEE_PAYER, lastSignature: 'foreign', lastSeenAt: later(3), ...at },
        ],
      })
      const query = '{ paymentIntent(index: 2) { unacceptedTokens { mint arrivals lastSignature lastSeenAt } } }'
      const { body } = await service.graphql(query, {}, withKey())
      expect(body.data.paymentIntent.unacceptedTokens).toEqual([
        { mint: null, arrivals: '2', lastSignature: 'newer', lastSeenAt: later(2).toISOString() },
        { mint: FEE_PAYER, arrivals: '2', lastSignature: 'older', lastSeenAt: later(1).toISOString() },
      ])
    })

    it('are read to the end, the newest first, without a gap or a repeat', async () => {
      const seen: string[] = []
      let after: string | null = null
      do {
        const { signatures, pageInfo } = await deposits({ first: 40, after })
        seen.push(...signatures)
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null
      } while (after !== null)
      expect(seen.toSorted()).toEqual(NAMES)
      expect(seen.slice(0, 1)).toEqual(NAMES.slice(-1))
    })

    it('are read backward too', async () => {
      const whole = (await deposits({ first: 100 })).signatures
      const { pageInfo } = await deposits({ first: 10 })
      expect((await deposits({ last: 3, before: pageInfo.endCursor })).signatures).toEqual(whole.slice(6, 9))
    })

    it('are 20 when no size is given', async () => {
      expect((await deposits({})).signatures).toHaveLength(20)
    })

    it.each(['edges { cursor }', 'pageInfo { hasNextPage }'])('can be read without their nodes: %s', async (page) => {
      const below = ['deposits', 'transfers', 'events'].map((name) => `${name}(first: 1) { ${page} }`).join(' ')
      for (const query of [
        `{ paymentIntent(index: 3) { ${below} } }`,
        `{ paymentIntents { edges { node { ${below} } } } }`,
      ]) {
        expect((await service.graphql(query, {}, withKey())).body.errors).toBeUndefined()
      }
    })

    it('have the order of the log where they are events', async () => {
      const query = `query ($after: String) { paymentIntent(index: 3) {
      events(first: 2, after: $after) { edges { node { type } } pageInfo { endCursor } } } }`
      const types: string[] = []
      let after = null
      for (let page = 0; page < 2; page += 1) {
        const { body } = await service.graphql(query, { after }, withKey())
        const { edges, pageInfo } = body.data.paymentIntent.events
        types.push(...edges.map(({ node }: { node: { type: string } }) => node.type))
        after = pageInfo.endCursor
      }
      expect(types).toEqual(NAMES.slice(-4).toReversed())
    })

    it.each([{ first: 0 }, { first: 101 }, { last: 101, before: 'x' }, { after: '' }, { after: 'bm9uZQ' }])(
      'are refused for %o',
      async (asked) => {
        const { code, message } = await deposits(asked)
        expect(code).toBe('invalid_request')
        expect(message).toMatch(new RegExp(`^(${Object.keys(asked).join('|')}) `))
      },
    )

    it('are refused with a cursor of another payment and of another list', async () => {
      const { pageInfo } = await deposits({ first: 1 })
      const other = await deposits({ after: pageInfo.endCursor }, 1)
      expect([other.code, other.message]).toEqual(['invalid_request', 'after is not valid'])
      const query = `{ paymentIntent(index: 3) { events(after: "${pageInfo.endCursor}") { edges { cursor } } } }`
      const { body } = await service.graphql(query, {}, withKey())
      expect(body.errors[0].extensions.code).toBe('invalid_request')
    })

    it('are read by the global id of their payment too', async () => {
      const query = `query ($id: ID!) { node(id: $id) { ... on PaymentIntent {
      derivationIndex deposits(first: 2) { edges { node { signature } } } transfers { edges { cursor } } } } }`
      const { body } = await service.graphql(query, { id: globalId(3) }, withKey())
      expect(body.errors).toBeUndefined()
      const { derivationIndex, deposits: page, transfers } = body.data.node
      expect([derivationIndex, signaturesOf(page).length, transfers]).toEqual([3, 2, { edges: [] }])
    })

    it('of another business are not found, and its payment is no node', async () => {
      expect((await deposits({}, 9)).code).toBe('intent_not_found')
      const { body } = await service.graphql(
        'query ($id: ID!) { node(id: $id) { id } }',
        { id: globalId(9) },
        withKey(),
      )
      expect(body).toEqual({ data: { node: null } })
    })

    it('are read again for each live state', async () => {
      const feed = createTestFeed()
      const own = { ...pendingIntent, id: idOf(2) }
      const live = await startTestService({
        live: feed,
        reads: createTenantReads(database.prisma),
        services: { intents: { findByIndex: async () => own } },
      })
      const client = webSocketClient(live.url, withKey())
      const query = 'subscription { paymentIntentUpdated(index: 2) { deposits { edges { node { signature } } } } }'
      const results = subscribe(client, query)
      const first = results.next()
      await until(() => feed.followers() === 1)
      feed.push(own)
      expect((await first).data).toEqual({ paymentIntentUpdated: { deposits: { edges: [] } } })
      await insertDeposit(2, 'later')
      feed.push({ ...own, version: 2 })
      const edges = [{ node: { signature: 'later' } }]
      expect((await results.next()).data).toEqual({ paymentIntentUpdated: { deposits: { edges } } })
      await client.dispose()
      await live.close()
    })
  })

  describe('in a page of payments', () => {
    const list = async (below: string) => {
      const query = `{ paymentIntents { edges { node { derivationIndex ${below} } } } }`
      return (await service.graphql(query, {}, withKey())).body
    }

    it('each payment has a page of each list', async () => {
      const body = await list(
        'deposits(first: 2) { edges { node { signature } } } events(first: 1) { edges { node { type } } }',
      )
      const nodes = body.data.paymentIntents.edges.map(({ node }: { node: { deposits: Edges } }) => node)
      const shown = nodes.map((node: { derivationIndex: number; deposits: Edges }) => [
        node.derivationIndex,
        signaturesOf(node.deposits).length,
      ])
      expect(shown).toEqual([
        [3, 2],
        [2, 1],
        [1, 1],
      ])
    })

    it('the lists of all payments are read together', async () => {
      reads = 0
      await list('deposits(first: 2) { edges { node { signature } } } transfers { edges { node { kind } } }')
      expect(reads).toBe(1)
    })

    it('a list is refused above 20 entries, and when it is read twice', async () => {
      const large = await list('deposits(first: 21) { edges { cursor } }')
      expect(large.errors[0].extensions.code).toBe('invalid_request')
      const twice = await list('a: deposits(first: 1) { edges { cursor } } b: deposits(first: 2) { edges { cursor } }')
      expect(twice.errors[0].message).toBe('deposits can be read once in a page of payments')
      const same = await list(
        'deposits(first: 1) { edges { cursor } } ... on PaymentIntent { deposits(first: 1) { edges { cursor } } }',
      )
      expect(same.errors).toBeUndefined()
    })
  })
})

// A business sees its own events. Nothing in them may show how many events others had in between.
describe('the volume of events', () => {
  let stores: Stores
  beforeAll(async () => {
    database = await openTestDatabase()
    stores = storesOf(database)
  })
  afterAll(() => database.close())

  type Edge<Node> = { readonly node: Node }

  const FIELDS = '{ __type(name: "IntentEvent") { fields { name } } }'

  it('two events of a business look the same whether or not others had any in between', async () => {
    const without = await eventsShown(0)
    const many = await eventsShown(60)
    expect(Object.keys(without[0] ?? {}).length).toBeGreaterThanOrEqual(3)
    expect(many).toEqual(without)
  })

  /** Returns all visible data of the events of two intents, with this many events of another business between them. */
  async function eventsShown(others: number): Promise<Record<string, unknown>[]> {
    const business = await addBusiness(database)
    await selectIn(business)
    const stranger = await addBusiness(database)
    for (let count = 0; count < others; count += 1) await addIntent(stores, stranger)
    await selectIn(business)
    const service = await startTestService({
      services: { accounts: { authenticate: async () => ({ ...credential('live'), tenant: business }) } },
      reads: createTenantReads(database.prisma),
    })
    try {
      const names = (await service.graphql(FIELDS, {}, withKey())).body.data.__type.fields
      const selection = names.map(({ name }: { name: string }) => name).join(' ')
      const list = `{ paymentIntents { edges { node { events { edges { node { ${selection} } } } } } } }`
      const { edges } = (await service.graphql(list, {}, withKey())).body.data.paymentIntents
      const eventsOf = ({ node }: Edge<{ events: { edges: Edge<Record<string, unknown>>[] } }>) => node.events.edges
      return edges.flatMap(eventsOf).map((edge: Edge<Record<string, unknown>>) => masked(edge.node))
    } finally {
      await service.close()
    }
  }

  /** Without the ids, which are the time and random bits. */
  const masked = ({ id, ...event }: Record<string, unknown>) => ({
    ...event,
    id: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(String(id)) ? 'drawn' : id,
  })

  async function selectIn(business: Tenant): Promise<void> {
    const intent = await addIntent(stores, business)
    const selected = step(startChange(intent), { selection: choice('SOL', 9n) }, NOW, 'intent.token_selected')
    if (!(await stores.work.apply(selected))) throw new Error('the intent was changed in between')
  }
})
