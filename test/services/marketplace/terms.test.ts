// The terms of a marketplace: edited by the business, granted and revoked by the operator.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { ServiceError } from '#core/errors.ts'
import type { MarketplaceCaller, MarketplaceServices } from '#services/marketplace/marketplace-services.ts'
import { describeOnBothEngines } from '../../support/database.ts'
import {
  addMarketplace,
  marketplaceServices,
  OPERATOR_ACTOR,
  SELLER_WALLET,
  sellerInput,
} from '../../support/example-seller.ts'
import { addAccount } from '../../support/webhook-rows.ts'

const refused = (code: string, context: object = {}) =>
  expect.objectContaining({ code, context: expect.objectContaining(context) })

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
