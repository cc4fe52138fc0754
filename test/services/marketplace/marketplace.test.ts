// Sellers on a real database: created once, edited with an audit trail, archived when nothing is in flight.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { tenantOf } from '#core/accounts/account.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { ServiceError } from '#core/errors.ts'
import { INTENT_STATUSES } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import type { MarketplaceCaller, MarketplaceServices } from '#services/marketplace/marketplace-services.ts'
import { describeOnBothEngines } from '../../support/database.ts'
import {
  addMarketplace,
  callerOf,
  marketplaceServices,
  OPERATOR_ACTOR,
  SELLER_WALLET,
  sellerInput,
} from '../../support/example-seller.ts'
import { addIntent, storesOf } from '../../support/stores.ts'
import { addAccount } from '../../support/webhook-rows.ts'

const refused = (code: string, context: object = {}) =>
  expect.objectContaining({ code, context: expect.objectContaining(context) })

describeOnBothEngines('sellers', (open) => {
  const admit = async () => {}

  let database: Database
  let services: MarketplaceServices
  let caller: MarketplaceCaller
  let stranger: MarketplaceCaller
  beforeAll(async () => {
    database = await open()
    services = marketplaceServices(database)
    caller = await addMarketplace(database, services)
    stranger = await addMarketplace(database, services)
  })

  const create = (fields: object = {}, by = caller) => services.createSeller(by, { ...sellerInput, ...fields }, admit)
  const trail = (sellerId: string) =>
    database.prisma.auditEntry.findMany({ where: { sellerAccountId: sellerId }, orderBy: { position: 'asc' } })

  it('a create stores every field, on the network of the marketplace, and one audit entry', async () => {
    const fields = {
      name: 'Blue Shop',
      externalId: 'shop-1',
      description: 'Pottery\nand more',
      metadata: { plan: 'gold', tags: ['a', null, 1.5], nested: { on: true } },
      label: 'Blue',
      sweepDestination: SELLER_WALLET,
      marketplaceFeeBps: 250,
    }
    const { seller, created } = await create(fields)
    expect(created).toBe(true)
    expect(seller).toMatchObject({ ...fields, network: 'live', archivedAt: null, logoName: null })
    expect(await services.findSeller(caller.tenant, seller.id)).toEqual(seller)
    expect(await trail(seller.id)).toMatchObject([
      {
        action: 'seller.created',
        accountId: caller.tenant.accountId,
        actorKind: 'api_key',
        actorCredential: 'sk_live_…x7Qa',
        actorIp: '203.0.113.9',
        createdAt: seller.createdAt,
      },
    ])
  })

  it('a repeat of an external id answers with its seller, is not counted, and writes nothing', async () => {
    const { seller } = await create({ externalId: 'shop-2' })
    let counted = 0
    const count = async () => {
      counted += 1
    }
    const input = { ...sellerInput, name: '', externalId: 'shop-2', marketplaceFeeBps: 99_999 }
    expect(await services.createSeller(caller, input, count)).toEqual({ seller, created: false })
    expect(counted).toBe(0)
    expect(await trail(seller.id)).toHaveLength(1)
  })

  it('twenty concurrent creates with one external id make one seller', async () => {
    // Each is in another process.
    const made = await Promise.all(
      Array.from({ length: 20 }, () =>
        marketplaceServices(database).createSeller(caller, { ...sellerInput, externalId: 'shop-3' }, admit),
      ),
    )
    expect(new Set(made.map(({ seller }) => seller.id)).size).toBe(1)
    expect(made.filter(({ created }) => created)).toHaveLength(1)
    const [first] = made
    expect(await trail(first?.seller.id ?? '')).toHaveLength(1)
  })

  it('of concurrent creates with one external id, only the first is counted', async () => {
    let counted = 0
    const count = async () => {
      counted += 1
    }
    const input = { ...sellerInput, externalId: 'shop-5' }
    const made = await Promise.all(Array.from({ length: 20 }, () => services.createSeller(caller, input, count)))
    expect([counted, made.filter(({ created }) => created).length]).toEqual([1, 1])
  })

  it('two marketplaces may use one external id', async () => {
    const { seller } = await create({ externalId: 'shared' })
    const other = await create({ externalId: 'shared' }, stranger)
    expect(other.created).toBe(true)
    expect(other.seller.id).not.toBe(seller.id)
  })

  it('concurrent creates never exceed the limit, which counts archived sellers', async () => {
    const limited = await addMarketplace(database, services, { sellerLimit: 3 })
    const { seller } = await create({}, limited)
    await services.archiveSeller(limited, seller.id)
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => create({}, limited)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refused('seller_limit_reached'))
    expect(await services.find(limited.tenant)).toMatchObject({ sellersCount: 2, sellersTotal: 3 })
  })

  it('concurrent creates and archives are all counted', async () => {
    const busy = await addMarketplace(database, services)
    const none = { sellersCount: 0, sellersTotal: 0 }
    expect(await services.find(busy.tenant)).toMatchObject(none)
    const sellers = await Promise.all(Array.from({ length: 6 }, () => create({}, busy)))
    const archives = sellers.slice(0, 4).map(({ seller }) => services.archiveSeller(busy, seller.id))
    await Promise.all([...archives, ...Array.from({ length: 3 }, () => create({}, busy))])
    expect(await services.find(busy.tenant)).toMatchObject({ sellersCount: 5, sellersTotal: 9 })
  })

  it('the seller of an external id is answered with though the limit is reached', async () => {
    const limited = await addMarketplace(database, services, { sellerLimit: 1 })
    const { seller } = await create({ externalId: 'only' }, limited)
    expect(await create({ externalId: 'only' }, limited)).toEqual({ seller, created: false })
  })

  it.each([
    ['name', { name: ' ' }],
    ['name', { name: 'a'.repeat(201) }],
    ['name', { name: 'two\nlines' }],
    ['label', { label: '\u202e' }],
    ['external_id', { externalId: 'a'.repeat(256) }],
    ['external_id', { externalId: '\0' }],
    ['description', { description: 'a'.repeat(501) }],
    ['marketplace_fee_bps', { marketplaceFeeBps: 5_001 }],
    ['marketplace_fee_bps', { marketplaceFeeBps: -1 }],
  ])('refuses a create with the %s of %o', async (field, fields) => {
    await expect(create(fields)).rejects.toEqual(refused('invalid_request', { field }))
  })

  it('a refused create is not stored, and a create that is not admitted is not stored either', async () => {
    const limited = async (): Promise<void> => {
      throw new ServiceError('seller_rate_limited')
    }
    const input = { ...sellerInput, externalId: 'shop-4' }
    await expect(services.createSeller(caller, input, limited)).rejects.toEqual(refused('seller_rate_limited'))
    expect((await create({ externalId: 'shop-4' })).created).toBe(true)
  })

  it('an edit writes one audit entry for each changed dimension, with before and after', async () => {
    const { seller } = await create({ label: 'Blue', metadata: { plan: 'gold' } })
    const patch = { name: 'Red Shop', label: null, sweepDestination: SELLER_WALLET, marketplaceFeeBps: 100 }
    const edited = await services.updateSeller(caller, seller.id, patch)
    expect(edited).toMatchObject({ ...patch, metadata: { plan: 'gold' } })
    expect(edited.updatedAt.getTime()).toBeGreaterThan(seller.updatedAt.getTime())
    expect((await trail(seller.id)).slice(1).map(({ action, changes }) => [action, changes])).toEqual([
      ['seller.updated', { name: ['Blue Shop', 'Red Shop'], label: ['Blue', null] }],
      ['seller.payout_changed', { sweep_destination: [null, SELLER_WALLET] }],
      ['seller.fee_changed', { marketplace_fee_bps: [null, 100] }],
    ])
  })

  it('an edit that changes nothing writes nothing', async () => {
    const { seller } = await create({ metadata: { a: 1, b: 2 } })
    expect(await services.updateSeller(caller, seller.id, { name: seller.name, metadata: { b: 2, a: 1 } })).toEqual(
      seller,
    )
    expect(await trail(seller.id)).toHaveLength(1)
  })

  it('concurrent edits leave a trail without a gap: each entry begins where its predecessor ended', async () => {
    const { seller } = await create({ marketplaceFeeBps: 0 })
    const rates = Array.from({ length: 8 }, (_, at) => at + 1)
    await Promise.all(rates.map((marketplaceFeeBps) => services.updateSeller(caller, seller.id, { marketplaceFeeBps })))
    const changes = (await trail(seller.id)).slice(1).map((entry) => Object(entry.changes).marketplace_fee_bps)
    expect(changes.map(([, after]) => after).toSorted((a, b) => a - b)).toEqual(rates)
    for (const [at, [before]] of changes.entries()) expect(before).toBe(at === 0 ? 0 : changes[at - 1][1])
  })

  it('an edit needs a field', async () => {
    const { seller } = await create()
    await expect(services.updateSeller(caller, seller.id, { name: undefined })).rejects.toEqual(
      refused('invalid_request'),
    )
  })

  it('archives a seller once; it keeps its index, and still answers to its external id', async () => {
    const { seller } = await create({ externalId: 'gone' })
    const archived = await services.archiveSeller(caller, seller.id)
    expect(archived).toEqual({ ...seller, archivedAt: expect.any(Date), updatedAt: expect.any(Date) })
    expect(await services.archiveSeller(caller, seller.id)).toEqual(archived)
    expect((await trail(seller.id)).map(({ action }) => action)).toEqual(['seller.created', 'seller.archived'])
    expect(await create({ externalId: 'gone' })).toEqual({ seller: archived, created: false })
  })

  describe('while its money is in flight', () => {
    const NO_BILLING = { subscription_ids: [], subscription_intent_ids: [] }

    it.each(INTENT_STATUSES)('a payment that is %s', async (status) => {
      const { seller } = await create()
      const stores = storesOf(database)
      const intent = await addIntent(stores, caller.tenant, { accountId: seller.id })
      await database.prisma.paymentIntent.update({ where: { id: intent.id }, data: { status } })
      const archive = services.archiveSeller(caller, seller.id)
      if (STATUS_POLICY[status].isInFlight)
        await expect(archive).rejects.toEqual(
          refused('seller_money_in_flight', { intent_ids: [intent.id], ...NO_BILLING }),
        )
      else expect((await archive).archivedAt).not.toBeNull()
    })
  })

  it('a seller of another marketplace is as unknown as an id that no seller has', async () => {
    const { seller } = await create()
    for (const id of [seller.id, randomUUID(), caller.tenant.accountId, 'no-id']) {
      await expect(services.findSeller(stranger.tenant, id)).rejects.toEqual(refused('seller_not_found'))
      await expect(services.updateSeller(stranger, id, { name: 'Mine' })).rejects.toEqual(refused('seller_not_found'))
      const payout = { sweepDestination: SELLER_WALLET }
      await expect(services.updateSeller(stranger, id, payout)).rejects.toEqual(refused('seller_not_found'))
      await expect(services.archiveSeller(stranger, id)).rejects.toEqual(refused('seller_not_found'))
    }
    expect(await services.findSeller(caller.tenant, seller.id)).toEqual(seller)
  })

  it('a revoked marketplace reads its sellers, and changes nothing', async () => {
    const revoked = await addMarketplace(database, services)
    const { seller } = await create({ externalId: 'kept' }, revoked)
    await services.revoke(revoked.tenant.accountId, OPERATOR_ACTOR)
    const disabled = refused('marketplace_disabled')
    await expect(create({ externalId: 'kept' }, revoked)).rejects.toEqual(disabled)
    await expect(create({}, revoked)).rejects.toEqual(disabled)
    await expect(services.updateSeller(revoked, seller.id, { name: 'New' })).rejects.toEqual(disabled)
    await expect(services.archiveSeller(revoked, seller.id)).rejects.toEqual(disabled)
    await expect(services.update(revoked, { defaultFeeBps: 1 })).rejects.toEqual(disabled)
    expect(await services.findSeller(revoked.tenant, seller.id)).toEqual(seller)
    expect(await services.find(revoked.tenant)).toMatchObject({ status: 'disabled', sellersTotal: 1 })
    await services.approve(revoked.tenant.accountId, {}, OPERATOR_ACTOR)
    expect((await create({}, revoked)).created).toBe(true)
  })

  describe('a correction by the operator', () => {
    const wallet = { sweepDestination: SELLER_WALLET }

    it('changes the wallet, name and label of a seller of a revoked marketplace, and says so in its audit trail', async () => {
      const revoked = await addMarketplace(database, services)
      const { seller } = await create({ label: 'Blue' }, revoked)
      await services.revoke(revoked.tenant.accountId, OPERATOR_ACTOR)
      const patch = { ...wallet, name: 'Red Shop', label: null }
      expect(await services.correctSeller(seller.id, patch, OPERATOR_ACTOR)).toMatchObject({ id: seller.id, ...patch })
      const stored = await services.findSeller(revoked.tenant, seller.id)
      expect(stored).toEqual({ ...seller, ...patch, updatedAt: expect.any(Date) })
      const [, ...entries] = await trail(seller.id)
      expect(entries).toMatchObject([
        { action: 'seller.updated', changes: { name: ['Blue Shop', 'Red Shop'], label: ['Blue', null] } },
        { action: 'seller.payout_changed', changes: { sweep_destination: [null, SELLER_WALLET] } },
      ])
      for (const { actorKind, actorCredential, actorIp, accountId } of entries)
        expect([actorKind, actorCredential, actorIp, accountId]).toEqual([
          'operator',
          null,
          OPERATOR_ACTOR.ip,
          revoked.tenant.accountId,
        ])
    })

    it('that changes nothing writes nothing', async () => {
      const { seller } = await create()
      await services.correctSeller(seller.id, { name: seller.name }, OPERATOR_ACTOR)
      expect(await trail(seller.id)).toHaveLength(1)
    })

    it('needs a seller, a field, and a value that a marketplace could give', async () => {
      const { seller } = await create()
      const correct = (id: string, patch: object) => services.correctSeller(id, patch, OPERATOR_ACTOR)
      for (const id of [randomUUID(), 'no-id'])
        await expect(correct(id, wallet)).rejects.toEqual(refused('account_not_found'))
      await expect(correct(caller.tenant.accountId, wallet)).rejects.toEqual(
        refused('invalid_request', { field: 'id' }),
      )
      await expect(correct(seller.id, {})).rejects.toEqual(refused('invalid_request', { field: 'input' }))
      await expect(correct(seller.id, { name: '' })).rejects.toEqual(refused('invalid_request', { field: 'name' }))
      const unpayable = marketplaceServices(database, () => {
        throw new ServiceError('invalid_address', { field: 'sweep_destination' })
      })
      await expect(unpayable.correctSeller(seller.id, wallet, OPERATOR_ACTOR)).rejects.toEqual(
        refused('invalid_address'),
      )
      expect(await services.findSeller(caller.tenant, seller.id)).toEqual(seller)
    })
  })

  it('an ordinary business has no marketplace', async () => {
    const ordinary = callerOf(tenantOf({ id: await addAccount(database), network: 'live' }))
    const missing = refused('marketplace_not_found')
    await expect(services.find(ordinary.tenant)).rejects.toEqual(missing)
    await expect(services.update(ordinary, { defaultFeeBps: 1 })).rejects.toEqual(missing)
    await expect(create({}, ordinary)).rejects.toEqual(missing)
  })

  it('the database refuses to change, remove or empty the audit trail', async () => {
    const { seller } = await create()
    const [entry] = await trail(seller.id)
    for (const statement of [
      `UPDATE audit_log SET action = 'none' WHERE id = '${entry?.id}'`,
      `DELETE FROM audit_log WHERE id = '${entry?.id}'`,
      'TRUNCATE audit_log',
      'TRUNCATE accounts CASCADE',
    ])
      await expect(database.query(statement)).rejects.toThrow('audit entries are never changed or removed')
    expect(await trail(seller.id)).toEqual([entry])
  })
})

// The terms of a marketplace: edited by the business, granted and revoked by the operator.
describeOnBothEngines('the terms of a marketplace', (open) => {
  let database: Database
  let services: MarketplaceServices
  let caller: MarketplaceCaller
  beforeAll(async () => {
    database = await open()
    services = marketplaceServices(database, (field, address) => {
      if (address !== SELLER_WALLET) throw new ServiceError('invalid_address', { field })
    })
    caller = await addMarketplace(database, services)
  })

  const trail = ({ tenant }: MarketplaceCaller) =>
    database.prisma.auditEntry.findMany({
      where: { accountId: tenant.accountId },
      orderBy: { position: 'asc' },
    })

  it('an approval has defaults, and is in the trail as the change of the operator', async () => {
    const approved = await addMarketplace(database, services)
    expect(await services.show(approved.tenant.accountId)).toEqual({
      accountId: approved.tenant.accountId,
      status: 'active',
      defaultFeeBps: 0,
      feeWallet: null,
      sellerLimit: null,
      sellersCount: 0,
      sellersTotal: 0,
    })
    expect(await trail(approved)).toMatchObject([
      { actorKind: 'operator', actorCredential: null, changes: { status: [null, 'active'] } },
      { changes: { default_fee_bps: [null, 0] } },
    ])
  })

  it('an edit changes what is given, and writes one entry for each changed field', async () => {
    const edited = await addMarketplace(database, services)
    await services.update(edited, { defaultFeeBps: 300, feeWallet: SELLER_WALLET })
    expect(await services.update(edited, { feeWallet: null })).toMatchObject({ defaultFeeBps: 300, feeWallet: null })
    await services.update(edited, { defaultFeeBps: 300 })
    expect((await trail(edited)).slice(2).map(({ action, changes }) => [action, changes])).toEqual([
      ['marketplace.updated', { default_fee_bps: [0, 300] }],
      ['marketplace.updated', { fee_wallet: [null, SELLER_WALLET] }],
      ['marketplace.updated', { fee_wallet: [SELLER_WALLET, null] }],
    ])
  })

  it.each([5_001, -1, 1.5])('refuses the default rate %d', async (defaultFeeBps) => {
    const field = refused('invalid_request', { field: 'default_fee_bps' })
    await expect(services.update(caller, { defaultFeeBps })).rejects.toEqual(field)
    await expect(services.approve(caller.tenant.accountId, { defaultFeeBps }, OPERATOR_ACTOR)).rejects.toEqual(field)
  })

  it('refuses a wallet that cannot be paid, and an edit without a field', async () => {
    const feeWallet = makeAddress('11111111111111111111111111111111')
    const refusal = refused('invalid_address', { field: 'fee_wallet' })
    await expect(services.update(caller, { feeWallet })).rejects.toEqual(refusal)
    await expect(services.update(caller, {})).rejects.toEqual(refused('invalid_request'))
  })

  it('a second approval keeps the terms that it does not name, and the sellers', async () => {
    const again = await addMarketplace(database, services, { sellerLimit: 5 })
    await services.createSeller(again, sellerInput, async () => {})
    await services.revoke(again.tenant.accountId, OPERATOR_ACTOR)
    await services.revoke(again.tenant.accountId, OPERATOR_ACTOR)
    const approved = await services.approve(again.tenant.accountId, { defaultFeeBps: 10 }, OPERATOR_ACTOR)
    expect(approved).toMatchObject({ status: 'active', sellerLimit: 5, defaultFeeBps: 10, sellersTotal: 1 })
    const statuses = (await trail(again)).flatMap(({ changes }) => Object(changes).status ?? [])
    expect(statuses).toEqual([null, 'active', 'active', 'disabled', 'disabled', 'active'])
  })

  it('a seller is never a marketplace', async () => {
    const { seller } = await services.createSeller(caller, sellerInput, async () => {})
    const isSeller = refused('invalid_request', { field: 'account_id' })
    await expect(services.approve(seller.id, {}, OPERATOR_ACTOR)).rejects.toEqual(isSeller)
    await expect(services.show(seller.id)).rejects.toEqual(isSeller)
  })

  it('the operator learns that an account, or its marketplace, does not exist', async () => {
    const ordinary = await addAccount(database)
    await expect(services.show(ordinary)).rejects.toEqual(refused('marketplace_not_found'))
    await expect(services.revoke(ordinary, OPERATOR_ACTOR)).rejects.toEqual(refused('marketplace_not_found'))
    await expect(services.approve(randomUUID(), {}, OPERATOR_ACTOR)).rejects.toEqual(refused('account_not_found'))
  })

  it('concurrent first approvals make one marketplace', async () => {
    const id = await addAccount(database)
    await Promise.all(Array.from({ length: 5 }, () => services.approve(id, { sellerLimit: 9 }, OPERATOR_ACTOR)))
    expect(await services.show(id)).toMatchObject({ status: 'active', sellerLimit: 9 })
    expect(await database.prisma.auditEntry.count({ where: { accountId: id } })).toBe(3)
  })
})
