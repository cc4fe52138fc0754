import { getProgramDerivedAddress } from '@solana/kit'
import { beforeEach, describe, expect, it } from 'vitest'
import { random } from '#adapters/node/random.ts'
import type { Account } from '#core/accounts/account.ts'
import type { ApiKey } from '#core/accounts/api-key.ts'
import { operatorActor } from '#core/accounts/audit.ts'
import { type Brand, NO_BRAND } from '#core/accounts/brand.ts'
import { USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, type Network, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { AccountStore, KeyStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { AccountServices } from '#services/accounts/account-services.ts'
import { type AccountDeps, createAccountServices } from '#services/accounts/accounts.ts'
import { type Authenticator, createAuthenticator } from '#services/accounts/authenticate.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { MINT } from '../../support/example-intent.ts'
import { createTestSecrets } from '../../support/keys.ts'
import { only } from '../../support/only.ts'
import { context, UNKNOWN_MINT } from '../../support/payment.ts'
import { credential } from '../../support/services.ts'

const WALLET = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')

describe('accounts', () => {
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
      expect(row).toEqual({
        id: account.id,
        network: 'live',
        name: 'Shop',
        label: 'The Shop',
        sweepDestination: WALLET,
      })
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
      await expect(services.create({ ...draft, network: 'test' }, ACTOR)).rejects.toEqual(
        refusal('network_unavailable'),
      )
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
      await services.update(
        account.id,
        { accentColor: ' #0A7 ', supportUrl: 'https://SHOP.example', logo: null },
        ACTOR,
      )
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
        { acceptedAssets: [SOL, MINT, SOL], successUrl: 'https://SHOP.example/paid', underpaymentToleranceBps: 500 },
        ACTOR,
      )
      const nothing = { acceptedAssets: null, successUrl: null, cancelUrl: null, underpaymentToleranceBps: null }
      await services.update(account.id, nothing, ACTOR)
      expect(updated.map(([, patch]) => patch)).toEqual([
        { acceptedAssets: [SOL, MINT], successUrl: 'https://shop.example/paid', underpaymentToleranceBps: 500 },
        { acceptedAssets: [], successUrl: null, cancelUrl: null, underpaymentToleranceBps: 0 },
      ])
    })

    it.each([
      ['a token that is not allowed', { acceptedAssets: [UNKNOWN_MINT] }, 'token_not_accepted_on_platform'],
      ['a page at a domain that is not registered', { successUrl: 'https://other.example/' }, 'invalid_redirect_url'],
      ['a page without https', { cancelUrl: 'http://shop.example/' }, 'invalid_redirect_url'],
      ['a tolerance of more than five percent', { underpaymentToleranceBps: 501 }, 'invalid_request'],
      ['a tolerance of less than nothing', { underpaymentToleranceBps: -1 }, 'invalid_request'],
    ])('are refused before anything is written: %s', async (_name, patch, code) => {
      const refusal = services.update(account.id, { ...patch, logo: Uint8Array.of(1) }, ACTOR)
      await expect(refusal).rejects.toMatchObject({ code })
      expect(updated).toEqual([])
    })
  })
})

describe('authentication', () => {
  const { account, key } = credential('live')
  const secrets = createTestSecrets({ bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) })
  const KEY = secrets.apiKeyOf('live', key.id).secret

  type Stored = { key: ApiKey; account: Account; hash: Uint8Array; marketplace: 'active' | 'disabled' | null }

  let now: Date
  let stored: Stored | null
  let reads: Uint8Array[]
  let authenticator: Authenticator
  const clock: Clock = { now: () => now }
  const keys: Pick<KeyStore, 'findByHash' | 'markUsed'> = {
    markUsed: async () => {},
    async findByHash(hash) {
      reads.push(hash)
      return stored
    },
  }
  beforeEach(() => {
    now = new Date('2026-11-20T10:00:00Z')
    stored = { key, account, hash: secrets.hash(KEY), marketplace: null }
    reads = []
    authenticator = createAuthenticator({ clock, secrets, keys })
  })

  const refused = expect.objectContaining({ code: 'unauthenticated' })
  const later = (ms: number) => {
    now = new Date(now.getTime() + ms)
  }

  it.each(['live', 'test'] as const)('a %s key of a sandbox says so, and works', async (network) => {
    const { secret, hash } = createTestSecrets(
      { bytes: (length) => new Uint8Array(length) },
      { isSandbox: true },
    ).apiKeyOf(network, key.id)
    expect(secret).toMatch(new RegExp(`^sk_${network}_sandbox_`))
    stored = { ...credential(network), hash }
    expect((await authenticator.authenticate(secret)).tenant.network).toBe(network)
  })

  describe('a key', () => {
    it('proves its business, and is looked up by its hash alone', async () => {
      const { tenant, key: proved } = await authenticator.authenticate(KEY)
      expect(tenant).toEqual({ accountId: account.id, network: 'live' })
      expect(proved).toBe(key)
      expect(reads).toEqual([Buffer.from(secrets.hash(KEY))])
    })

    it('is looked up once for all who send it within a few seconds', async () => {
      await Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(KEY)))
      later(4_000)
      await authenticator.authenticate(KEY)
      expect(reads).toHaveLength(1)
      later(2_000)
      await authenticator.authenticate(KEY)
      expect(reads).toHaveLength(2)
    })

    it('that is revoked stops immediately here, and within seconds on an instance that missed the notice', async () => {
      await authenticator.authenticate(KEY)
      stored = null
      await authenticator.authenticate(KEY)
      later(5_000)
      await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
      stored = { key, account, hash: secrets.hash(KEY), marketplace: null }
      await authenticator.authenticate(KEY)
      stored = null
      authenticator.clear()
      await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
    })

    it('works from the moment it is made, though it was tried before', async () => {
      const made = stored
      stored = null
      await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
      stored = made
      await expect(authenticator.authenticate(KEY)).resolves.toMatchObject({ account })
    })

    it('is refused when what was found bears another hash', async () => {
      stored = { key, account, hash: secrets.hash('sk_live_another'), marketplace: null }
      await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
    })

    it('is refused when its account is archived, or is of the other network', async () => {
      stored = { key, account: { ...account, archivedAt: now }, hash: secrets.hash(KEY), marketplace: null }
      await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
      stored = { key, account: { ...account, network: 'test' }, hash: secrets.hash(KEY), marketplace: null }
      await expect(authenticator.authenticate(KEY)).rejects.toEqual(refused)
    })

    it.each([
      '',
      'sk_live_',
      'sk_prod_0123456789abcdef0123456789abcdef',
      'sk_live_short',
      `${KEY} `,
      'cs_abc',
      'x'.repeat(9_999),
    ])('that cannot be one costs no look at the database: %j', async (text) => {
      await expect(authenticator.authenticate(text)).rejects.toEqual(refused)
      expect(reads).toEqual([])
    })
  })
})

describe('a sweep destination', () => {
  const SYSTEM = makeAddress('11111111111111111111111111111111')
  const TOKEN = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
  const TOKEN_2022 = makeAddress('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
  const LOADER = makeAddress('BPFLoaderUpgradeab1e11111111111111111111111')
  const SQUADS = makeAddress('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf')

  const FEE_PAYER = makeAddress('7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi')
  const DEPOSIT_ADDRESS = makeAddress('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T')

  const judge = (read: () => Promise<AccountState | null>) =>
    createJudgeSweepDestination(
      {
        live: { feePayer: FEE_PAYER, chain: { readAccounts: async () => ({ slot: 1n, states: [await read()] }) } },
        test: null,
      },
      { isIssued: async (address) => address === DEPOSIT_ADDRESS },
    )
  const ownedBy = (ownerProgram: Address) =>
    judge(async () => ({ lamports: makeLamports(1n), ownerProgram, token: null }))
  const notThere = judge(async () => null)
  const refused = expect.objectContaining({
    code: 'invalid_address',
    context: expect.objectContaining({ field: 'sweepDestination' }),
  })

  it('may be a wallet, whether or not it was ever used', async () => {
    await ownedBy(SYSTEM)('live', WALLET)
    await notThere('live', WALLET)
  })

  it('may be a vault, which no key signs for', async () => {
    const [vault] = await getProgramDerivedAddress({ programAddress: SQUADS, seeds: ['vault'] })
    await ownedBy(SYSTEM)('live', vault)
    await ownedBy(SQUADS)('live', vault)
  })

  it.each([
    SYSTEM,
    TOKEN,
    TOKEN_2022,
    makeAddress('So11111111111111111111111111111111111111112'),
    makeAddress('SysvarS1otHashes111111111111111111111111111'),
    makeAddress('AddressLookupTab1e1111111111111111111111111'),
  ])('is not %s, on any network', async (address) => {
    await expect(notThere('live', address)).rejects.toEqual(refused)
    await expect(notThere('test', address)).rejects.toEqual(refused)
  })

  it.each([
    ['a token account or a mint', TOKEN],
    ['a Token-2022 account or mint', TOKEN_2022],
    ['a program', LOADER],
    ['an account of the chain itself', makeAddress('Sysvar1111111111111111111111111111111111111')],
  ])('is not what the chain says is %s', async (_what, owner) => {
    await expect(ownedBy(owner)('live', WALLET)).rejects.toEqual(refused)
  })

  it('is not a fee payer of the service, on either network', async () => {
    await expect(notThere('live', FEE_PAYER)).rejects.toEqual(refused)
    await expect(notThere('test', FEE_PAYER)).rejects.toEqual(refused)
  })

  it('is not a deposit address of the service, on either network: a sweep there would go to and fro', async () => {
    const payment = { code: 'invalid_address', context: { rule: expect.stringContaining('is a deposit address') } }
    await expect(ownedBy(SYSTEM)('live', DEPOSIT_ADDRESS)).rejects.toMatchObject(payment)
    await expect(notThere('test', DEPOSIT_ADDRESS)).rejects.toMatchObject(payment)
  })

  it('is taken on its word while the chain is away, and not when something else is wrong', async () => {
    await judge(() => Promise.reject(new ServiceError('chain_unavailable')))('live', WALLET)
    for (const defect of [new Error('a defect'), new ServiceError('invalid_address')])
      await expect(judge(() => Promise.reject(defect))('live', WALLET)).rejects.toBe(defect)
  })
})
