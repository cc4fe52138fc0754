// The settings of a business over a real database: who reads and changes them, and what the audit log says.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { random } from '#adapters/node/random.ts'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { createRedirectDomainStore } from '#adapters/prisma/billing/catalogue-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createApplicationStore, createMarketplaceStore } from '#adapters/prisma/marketplace/marketplace-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { KEY_SCOPES, type KeyPermission } from '#core/accounts/permissions.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { createAccountServices } from '#services/accounts/accounts.ts'
import { createAuthenticator } from '#services/accounts/authenticate.ts'
import { type ApplicationServices, createApplicationServices } from '#services/marketplace/applications.ts'
import { openTestDatabase } from '../../support/database.ts'
import { MINT } from '../../support/example-intent.ts'
import { AUTHOR, addKey, createTestSecrets } from '../../support/keys.ts'
import { only } from '../../support/only.ts'
import { context } from '../../support/payment.ts'
import { startTestService, type TestService, withKey } from '../../support/services.ts'
import { addAccount } from '../../support/webhook-rows.ts'

let database: Database
let service: TestService
let accountId: string
let applications: ApplicationServices
let marketplaces: ReturnType<typeof createMarketplaceStore>
let key: string
const NOW = new Date('2026-11-20T10:00:00Z')

beforeAll(async () => {
  database = await openTestDatabase()
  const secrets = createTestSecrets(random)
  const clock = { now: () => NOW }
  const accounts = createAccountStore(database.prisma)
  marketplaces = createMarketplaceStore(database)
  applications = createApplicationServices({ applications: createApplicationStore(database), clock })
  service = await startTestService({
    services: {
      applications,
      accounts: createAccountServices({
        accounts,
        authenticator: createAuthenticator({ clock, secrets, keys: createKeyStore(database.prisma) }),
        directory: { account: (id) => accounts.find(id), tokens: async () => context().tokens },
        redirectDomains: createRedirectDomainStore(database),
        directoryChanged: async () => {},
        saveImage: async () => 'shop.png',
        judgeSweepDestination: async () => {},
        serves: () => true,
        webhookSecrets: only('webhookSecrets', {}),
        secrets,
        random,
        clock,
        allowPrivateWebhooks: false,
        isSandbox: false,
      }),
    },
    reads: createTenantReads(database.prisma),
  })
})
afterAll(async () => {
  await service.close()
  await database.close()
})
beforeEach(async () => {
  accountId = await addAccount(database)
  key = await keyWith(KEY_SCOPES)
})

const keyWith = async (scopes: readonly KeyPermission[]) => (await addKey(database, accountId, { scopes })).secret

const FIELDS = `id livemode name label logoUrl accentColor supportUrl supportEmail acceptedAssets successUrl cancelUrl
  underpaymentToleranceBps`
const business = (by = key) => service.graphql(`{ business { ${FIELDS} } }`, {}, withKey(by))
const update = (input: object, by = key) =>
  service.graphql(
    `mutation ($input: UpdateBusinessInput!) { updateBusiness(input: $input) { ${FIELDS} } }`,
    { input },
    withKey(by),
  )

const UNSET = {
  livemode: true,
  name: 'Corner Shop',
  label: null,
  logoUrl: null,
  accentColor: null,
  supportUrl: null,
  supportEmail: null,
  acceptedAssets: [],
  successUrl: null,
  cancelUrl: null,
  underpaymentToleranceBps: 0,
}

describe('the settings of a business', () => {
  it('are read by every key, and are those of its own business', async () => {
    await addAccount(database, { name: 'Other' })
    const { body } = await business(await keyWith(['payments-view']))
    expect(body.data.business).toEqual({ ...UNSET, id: accountId })
  })

  it('are changed field by field, and cleared by null', async () => {
    await database.query(
      `INSERT INTO redirect_domains (id, account_id, host, active, created_at, updated_at) VALUES (gen_random_uuid(), $1, $2, true, now(), now())`,
      [accountId, 'shop.example'],
    )
    const set = {
      label: 'Shop',
      accentColor: '#0A7',
      acceptedAssets: ['SOL', MINT],
      successUrl: 'https://shop.example/paid',
      underpaymentToleranceBps: 150,
    }
    const { body } = await update(set)
    expect(body.data.updateBusiness).toEqual({ ...UNSET, ...set, accentColor: '#00aa77', id: accountId })
    await update({ supportEmail: 'help@shop.example', name: null })
    await update({
      label: null,
      acceptedAssets: null,
      accentColor: null,
      successUrl: null,
      underpaymentToleranceBps: null,
    })
    const { data } = (await business()).body
    expect(data.business).toEqual({ ...UNSET, supportEmail: 'help@shop.example', id: accountId })
  })

  it('are changed with the permission settings-manage alone', async () => {
    const others = KEY_SCOPES.filter((scope) => scope !== 'settings-manage')
    const { body } = await update({ label: 'Shop' }, await keyWith(others))
    expect(body.errors).toMatchObject([
      { message: expect.stringContaining('settings-manage'), extensions: { code: 'forbidden' } },
    ])
    expect((await business()).body.data.business.label).toBeNull()
  })

  it('are not changed by a change that is refused in part', async () => {
    const { body } = await update({ label: 'Shop', cancelUrl: 'https://other.example/' })
    expect(body.errors).toMatchObject([{ extensions: { code: 'invalid_redirect_url' } }])
    expect((await business()).body.data.business.label).toBeNull()
  })

  it('are in the audit log, with the key that changed them, before and after', async () => {
    await update({ label: 'Shop', acceptedAssets: ['SOL'] })
    const { body } = await service.graphql(
      `{ auditLog(first: 1) { edges { node { action actor { kind } changes } } } }`,
      {},
      withKey(key),
    )
    expect(body.data.auditLog.edges).toEqual([
      {
        node: {
          action: 'business_updated',
          actor: { kind: 'api_key' },
          changes: { label: [null, 'Shop'], accepted_tokens: [[], ['SOL']] },
        },
      },
    ])
  })

  it('have a logo, which null removes', async () => {
    const logo = (image: string) =>
      service.graphql(`mutation { setBusinessLogo(image: ${image}) { logoUrl } }`, {}, withKey(key))
    expect((await logo('"aGVsbG8="')).body.data.setBusinessLogo.logoUrl).toMatch(/shop.png$/)
    expect((await logo('null')).body.data.setBusinessLogo.logoUrl).toBeNull()
  })
})

describe('an application to be a marketplace', () => {
  const TEXT = { website: 'https://bazaar.example', sells: 'Mugs of potters', expectedVolume: '10,000 dollars a month' }
  const SHOWN = 'state website sells expectedVolume reason appliedAt decidedAt'
  const apply = (input: object = TEXT, by = key) =>
    service.graphql(
      `mutation ($input: MarketplaceApplicationInput!) { applyForMarketplace(input: $input) { ${SHOWN} } }`,
      { input },
      withKey(by),
    )
  const shown = async () =>
    (await service.graphql(`{ business { marketplaceApplication { ${SHOWN} } } }`, {}, withKey(key))).body.data.business
      .marketplaceApplication
  const approve = () =>
    marketplaces.change(accountId, AUTHOR, () => ({
      next: { accountId, status: 'active', defaultFeeBps: makeBasisPoints(0), feeWallet: null, sellerLimit: null },
      entries: [{ action: 'marketplace.updated', sellerId: null, changes: {} }],
    }))
  const WAITS = {
    ...TEXT,
    website: 'https://bazaar.example/',
    state: 'pending',
    reason: null,
    appliedAt: NOW.toISOString(),
    decidedAt: null,
  }

  it('is seen by the business and the operator, and waits for an answer', async () => {
    expect(await shown()).toBeNull()
    expect((await apply()).body.data.applyForMarketplace).toEqual(WAITS)
    expect(await shown()).toEqual(WAITS)
    const waiting = await applications.list({ isPending: true, limit: 100 })
    expect(waiting.map((one) => one.accountId)).toContain(accountId)
  })

  it('is refused with a reason, which the business reads before it applies again', async () => {
    await apply()
    await applications.refuse(accountId, 'no sellers yet', AUTHOR.actor)
    expect(await shown()).toMatchObject({ state: 'refused', reason: 'no sellers yet', decidedAt: NOW.toISOString() })
    await expect(applications.refuse(accountId, 'again', AUTHOR.actor)).rejects.toMatchObject({
      code: 'no_application',
    })
    await apply({ ...TEXT, sells: 'Mugs and plates' })
    expect(await shown()).toMatchObject({ state: 'pending', sells: 'Mugs and plates', reason: null })
  })

  it('is approved with the marketplace, and a marketplace cannot apply', async () => {
    await apply()
    await approve()
    expect(await shown()).toMatchObject({ state: 'approved', reason: null })
    expect((await apply()).body.errors).toMatchObject([{ extensions: { code: 'already_marketplace' } }])
  })

  it.each([
    ['website', { website: 'http://bazaar.example' }],
    ['sells', { sells: ' \n' }],
    ['expectedVolume', { expectedVolume: 'x'.repeat(501) }],
  ])('is not taken with a bad %s', async (field, input) => {
    const { body } = await apply({ ...TEXT, ...input })
    expect(body.errors).toMatchObject([
      { message: expect.stringContaining(field), extensions: { code: 'invalid_request' } },
    ])
    expect(await shown()).toBeNull()
  })

  it('needs the permission settings-manage', async () => {
    const { body } = await apply(TEXT, await keyWith(['payments', 'marketplace-manage']))
    expect(body.errors).toMatchObject([{ extensions: { code: 'forbidden' } }])
  })

  it('and its answer are in the audit log', async () => {
    await apply()
    await applications.refuse(accountId, 'no sellers yet', AUTHOR.actor)
    const { body } = await service.graphql(
      '{ auditLog(first: 2) { edges { node { action actor { kind } changes } } } }',
      {},
      withKey(key),
    )
    expect(body.data.auditLog.edges.map(({ node }: { node: object }) => node)).toMatchObject([
      {
        action: 'business_application_refused',
        actor: { kind: 'operator' },
        changes: { reason: [null, 'no sellers yet'] },
      },
      { action: 'business_applied', actor: { kind: 'api_key' }, changes: { sells: [null, TEXT.sells] } },
    ])
  })
})
