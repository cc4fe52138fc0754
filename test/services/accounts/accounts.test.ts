import { beforeEach, describe, expect, it } from 'vitest'
import { random } from '#adapters/node/random.ts'
import type { Account } from '#core/accounts/account.ts'
import { operatorActor } from '#core/accounts/audit.ts'
import { type Brand, NO_BRAND } from '#core/accounts/brand.ts'
import { USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { type Network, SOL } from '#core/chain/types.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { AccountServices } from '#services/accounts/account-services.ts'
import { type AccountDeps, createAccountServices } from '#services/accounts/accounts.ts'
import { MINT } from '../../support/example-intent.ts'
import { createTestSecrets } from '../../support/keys.ts'
import { only } from '../../support/only.ts'
import { context, UNKNOWN_MINT } from '../../support/payment.ts'
import { credential } from '../../support/services.ts'

const WALLET = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
const NOW = new Date('2026-11-20T10:00:00Z')
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const { account } = credential('live')
const ACTOR = operatorActor('192.0.2.1')
const BY = { actor: ACTOR, at: NOW }
const secrets = createTestSecrets(random)

let opened: Parameters<AccountStore['open']>[]
let updated: Parameters<AccountStore['update']>[]
let notices: number
let judged: [Network, string][]
let webhookUrl: string | null

const deps: AccountDeps = {
  accounts: only<AccountStore>('accounts', {
    open: async (...given) => {
      opened.push(given)
      return { ...account, ...given[0] }
    },
    update: async (...given) => {
      updated.push(given)
      return account
    },
    find: async (id) => (id === account.id ? account : id === SELLER.id ? SELLER : null),
    list: async () => [account, SELLER],
    webhookUrl: async () => webhookUrl,
  }),
  authenticator: { authenticate: () => Promise.reject(new Error('not expected here')) },
  directory: {
    account: async (id) => (id === account.id ? BRANDED : id === SELLER.id ? SELLER : null),
    tokens: async () => context().tokens,
  },
  redirectDomains: { active: async (_tenant, hosts) => new Set(hosts.filter((host) => host === 'shop.example')) },
  isSandbox: false,
  saveImage: async (bytes) => `${bytes.length} bytes`,
  directoryChanged: async () => {
    notices += 1
  },
  judgeSweepDestination: async (network, address) => {
    judged.push([network, address])
  },
  serves: (network) => network === 'live',
  secrets,
  webhookSecrets: { secret: (id, version) => Buffer.from(`${id}:${version}`) },
  random,
  clock: { now: () => NOW },
  allowPrivateWebhooks: false,
}
const SELLER: Account = {
  ...account,
  id: '11111111-1111-4111-8111-111111111111',
  marketplaceAccountId: account.id,
  brand: { ...NO_BRAND, logoName: 'mugs.png' },
}
const BRAND: Brand = {
  logoName: 'shop.png',
  accentColor: '#00aa77',
  supportUrl: 'https://shop.example/help',
  supportEmail: 'help@shop.example',
}
const BRANDED: Account = { ...account, brand: BRAND }

let services: AccountServices
beforeEach(() => {
  opened = []
  updated = []
  judged = []
  webhookUrl = null
  notices = 0
  services = createAccountServices(deps)
})

const draft = { name: 'Shop', network: 'live', label: null, sweepDestination: null, webhookUrl: null } as const
const invalid = (field: string) =>
  expect.objectContaining({ code: 'invalid_request', context: expect.objectContaining({ field }) })
const refusal = (code: string) => expect.objectContaining({ code })

describe('opening an account', () => {
  it('makes it, its key and its endpoint in one write, and answers each secret', async () => {
    const webhookUrl = 'https://shop.example.com/hooks'
    const { account, apiKey, webhookSecret } = await services.create(
      {
        ...draft,
        name: ' Shop ',
        label: 'The Shop',
        sweepDestination: WALLET,
        webhookUrl,
      },
      ACTOR,
    )
    const [row, madeKey, url] = opened[0] ?? []
    expect(row).toEqual({ id: account.id, network: 'live', name: 'Shop', label: 'The Shop', sweepDestination: WALLET })
    expect(madeKey).toEqual({
      id: expect.any(String),
      hash: secrets.hash(apiKey),
      hint: apiKey.slice(-4),
      name: 'First key',
      scopes: USUAL_KEY_SCOPES,
    })
    expect(url).toBe(webhookUrl)
    expect(webhookSecret).toBe(`whsec_${Buffer.from(`${account.id}:1`).toString('base64')}`)
    expect(judged).toEqual([['live', WALLET]])
  })

  it('stores of the key nothing that would give it away', async () => {
    const { apiKey } = await services.create(draft, ACTOR)
    expect(JSON.stringify(opened)).not.toContain(apiKey.slice(8, -4))
    expect(apiKey).toMatch(/^sk_live_[\w-]{43}$/)
  })

  it.each([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: 'two\nlines' }],
    ['name', { name: '\u200b' }],
    ['label', { label: '😀'.repeat(201) }],
    ['label', { label: '' }],
    ['webhookUrl', { webhookUrl: 'http://shop.example.com' }],
    ['webhookUrl', { webhookUrl: 'https://127.0.0.1/hooks' }],
    ['webhookUrl', { webhookUrl: 'https://user:password@shop.example.com' }],
    ['webhookUrl', { webhookUrl: 'shop' }],
  ])('refuses a bad %s before anything is written: %j', async (field, bad) => {
    await expect(services.create({ ...draft, ...bad }, ACTOR)).rejects.toEqual(invalid(field))
    expect(opened).toEqual([])
  })

  it('counts an emoji in a name or a label as one character', async () => {
    const name = '😀'.repeat(200)
    await services.create({ ...draft, name, label: name }, ACTOR)
    expect(opened[0]?.[0]).toMatchObject({ name, label: name })
  })

  it('is refused on a network that the deployment does not serve', async () => {
    await expect(services.create({ ...draft, network: 'test' }, ACTOR)).rejects.toEqual(refusal('network_unavailable'))
    expect(opened).toEqual([])
  })

  it('on one’s own machine takes a webhook there', async () => {
    const lenient = createAccountServices({ ...deps, allowPrivateWebhooks: true })
    await lenient.create({ ...draft, webhookUrl: 'http://127.0.0.1:9000/hooks' }, ACTOR)
    expect(opened[0]?.[2]).toBe('http://127.0.0.1:9000/hooks')
  })
})

describe('changing an account', () => {
  it('changes the named fields only, and clears all caches', async () => {
    await services.update(account.id, { label: null }, ACTOR)
    expect(updated).toEqual([[account.id, { label: null }, BY, undefined]])
    expect(notices).toBe(1)
  })

  it('replaces its webhook endpoint, or ends it', async () => {
    await services.update(account.id, { webhookUrl: 'https://new.example.com' }, ACTOR)
    expect(updated[0]?.[3]).toEqual({ url: 'https://new.example.com/' })
    await services.update(account.id, { webhookUrl: null }, ACTOR)
    expect(updated[1]?.[3]).toMatchObject({ url: null })
  })

  it('chooses known types of events for an endpoint, each once; none chooses all', async () => {
    webhookUrl = 'https://shop.example.com/'
    await services.update(account.id, { webhookEvents: ['intent.swept', 'charge.failed', 'intent.swept'] }, ACTOR)
    await services.update(account.id, { webhookEvents: null }, ACTOR)
    expect(updated.map(([, , , endpoint]) => endpoint)).toEqual([
      { eventTypes: ['intent.swept', 'charge.failed'] },
      { eventTypes: [] },
    ])
    for (const unknown of ['intent.updated', 'intent.lost', ''])
      await expect(services.update(account.id, { webhookEvents: [unknown] }, ACTOR)).rejects.toEqual(
        invalid('webhookEvents'),
      )
  })

  it('chooses types only together with a URL, or after it', async () => {
    const webhookEvents = ['intent.swept']
    await expect(services.update(account.id, { webhookEvents }, ACTOR)).rejects.toEqual(invalid('webhookEvents'))
    await services.update(account.id, { webhookEvents, webhookUrl: 'https://shop.example.com' }, ACTOR)
    webhookUrl = 'https://shop.example.com/'
    const removal = services.update(account.id, { webhookEvents, webhookUrl: null }, ACTOR)
    await expect(removal).rejects.toEqual(invalid('webhookEvents'))
    expect(updated).toHaveLength(1)
  })

  it('judges a new sweep destination on the account’s own network', async () => {
    await services.update(account.id, { sweepDestination: WALLET }, ACTOR)
    expect(judged).toEqual([['live', WALLET]])
    await services.update(account.id, { sweepDestination: null }, ACTOR)
    expect(updated[1]).toEqual([account.id, { sweepDestination: null }, BY, undefined])
  })

  it('refuses what it refuses at opening, and clears no cache', async () => {
    await expect(services.update(account.id, { name: '' }, ACTOR)).rejects.toEqual(invalid('name'))
    await expect(services.update(account.id, { webhookUrl: 'ftp://x' }, ACTOR)).rejects.toEqual(invalid('webhookUrl'))
    await expect(services.update(UNKNOWN, { name: 'X' }, ACTOR)).rejects.toEqual(refusal('account_not_found'))
    expect([updated, notices]).toEqual([[], 0])
  })
})

it('an id that is none is not found, and no store is asked', async () => {
  await expect(services.find('x')).rejects.toEqual(refusal('account_not_found'))
  expect(await services.webhookUrl('1')).toBeNull()
})

describe('the brand of an account', () => {
  it('is changed field by field, in the form in which it is stored', async () => {
    await services.update(account.id, { accentColor: ' #0A7 ', supportUrl: 'https://SHOP.example', logo: null }, ACTOR)
    await services.update(account.id, { logo: Uint8Array.of(1, 2), supportEmail: 'help@shop.example' }, ACTOR)
    expect(updated).toEqual([
      [account.id, { accentColor: '#00aa77', supportUrl: 'https://shop.example/', logoName: null }, BY, undefined],
      [account.id, { logoName: '2 bytes', supportEmail: 'help@shop.example' }, BY, undefined],
    ])
    expect(notices).toBe(2)
  })

  it.each([
    ['accentColor', '0a7'],
    ['accentColor', '#00aa7'],
    ['accentColor', 'red;}body{display:none'],
    ['supportUrl', 'http://shop.example/'],
    ['supportUrl', 'javascript:alert(1)'],
    ['supportEmail', 'help'],
  ])('refuses a bad %s before anything is written: %j', async (field, text) => {
    await expect(services.update(account.id, { [field]: text }, ACTOR)).rejects.toEqual(invalid(field))
    expect(updated).toEqual([])
  })

  it('is not set for a seller, whose pages have its logo and the rest of its marketplace', async () => {
    await expect(services.update(SELLER.id, { accentColor: '#0a7' }, ACTOR)).rejects.toEqual(invalid('id'))
    expect(await services.brandOf(SELLER.id)).toEqual({ ...BRAND, logoName: 'mugs.png' })
    expect(await services.brandOf(account.id)).toEqual(BRAND)
  })
})

describe('the defaults of payments', () => {
  it('are changed field by field, in the form in which they are stored, and cleared by null', async () => {
    await services.update(
      account.id,
      { acceptedAssets: [SOL, MINT, SOL], successUrl: 'https://SHOP.example/paid' },
      ACTOR,
    )
    await services.update(account.id, { acceptedAssets: null, successUrl: null, cancelUrl: null }, ACTOR)
    expect(updated.map(([, patch]) => patch)).toEqual([
      { acceptedAssets: [SOL, MINT], successUrl: 'https://shop.example/paid' },
      { acceptedAssets: [], successUrl: null, cancelUrl: null },
    ])
  })

  it.each([
    ['a token that is not allowed', { acceptedAssets: [UNKNOWN_MINT] }, 'token_not_accepted_on_platform'],
    ['a page at a domain that is not registered', { successUrl: 'https://other.example/' }, 'invalid_redirect_url'],
    ['a page without https', { cancelUrl: 'http://shop.example/' }, 'invalid_redirect_url'],
  ])('are refused before anything is written: %s', async (_name, patch, code) => {
    const refusal = services.update(account.id, { ...patch, logo: Uint8Array.of(1) }, ACTOR)
    await expect(refusal).rejects.toMatchObject({ code })
    expect(updated).toEqual([])
  })
})
