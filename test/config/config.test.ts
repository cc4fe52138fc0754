import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Config, parseClientConfig, parseConfig } from '#config/config.ts'
import { ConfigError } from '#config/setting.ts'
import { SETTING_NAMES } from '#config/settings.ts'

const WALLET = '4Nd1mYQkQXJZ9PSBcLtq6Q8kqkZ9dF5WWsMZ2T5n1sYQ'
const SEED = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const REMOTE = { SOLANA_RPC_URL: 'https://rpc.example.com/?api-key=hush', MASTER_SEED: SEED }

function complaintOf(parse: () => unknown): string {
  try {
    parse()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}

describe('with nothing set', () => {
  const config = parseConfig({})

  it('everything is embedded', () => {
    expect(config.database).toEqual({ kind: 'embedded', directory: '.data/database' })
    expect(config.chains).toEqual({
      live: { kind: 'embedded', slotMs: 200 },
      test: { kind: 'embedded', slotMs: 200 },
    })
  })

  it('it listens on this machine only, and says so', () => {
    expect(config.server).toMatchObject({ host: '127.0.0.1', port: 4000, publicUrl: 'http://127.0.0.1:4000' })
    expect(config.server.payUrl).toBe('http://127.0.0.1:4000/pay')
  })

  it('what helps to try the service is on', () => {
    expect([config.sandbox, config.webhooks.allowPrivate, config.server.introspection]).toEqual([true, true, true])
    expect(config.prices.feeds.kind).toBe('fixed')
  })

  it('the seed and the operator token may be made up', () => {
    expect(config.secrets).toEqual({
      masterSeed: { from: 'DATA_DIR', kind: 'file', path: '.data/master-seed', create: true },
      operatorToken: { from: 'DATA_DIR', kind: 'file', path: '.data/operator-token', create: true },
    })
  })

  it('fees are those of the contract', () => {
    const { platformFeeBps, platformWallet, networkFee, maxMarketplaceFeeBps } = config.fees
    expect([platformFeeBps, platformWallet, networkFee, maxMarketplaceFeeBps]).toEqual([0, null, 10_000n, 5000])
    expect(config.settlement).toMatchObject({ computeUnitPrice: 0n })
    const { perSubject, perHour, perDay } = config.settlement.refundBudget
    expect([perSubject, perHour, perDay]).toEqual([20_000_000n, 200_000_000n, 1_000_000_000n])
  })
})

describe('recurring billing', () => {
  const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

  it('is on with the embedded chain, in its Demo Dollar', () => {
    expect(parseConfig({}).subscriptions).toEqual({
      mint: null,
      minPriceUsdCents: 10n,
      maxPriceUsdCents: 1_000_000n,
      platformFeeBps: 0,
      perWallet: 50,
      sponsorLamportsPerDay: 100_000_000n,
      sponsorLamportsPerBusiness: 500_000_000n,
    })
    expect(parseConfig({ SUBSCRIPTIONS: '0' }).subscriptions).toBeNull()
    for (const [text, budget] of [
      ['0', 0n],
      ['40000', 40_000n],
    ] as const)
      expect(parseConfig({ SPONSOR_LAMPORTS_PER_DAY: text }).subscriptions).toMatchObject({
        sponsorLamportsPerDay: budget,
      })
  })

  it('is off on a network of its own, until it is turned on with a mint', () => {
    expect(parseConfig(REMOTE).subscriptions).toBeNull()
    expect(complaintOf(() => parseConfig({ ...REMOTE, SUBSCRIPTIONS: '1' }))).toMatch(/^SUBSCRIPTION_MINT: is missing/)
    expect(parseConfig({ ...REMOTE, SUBSCRIPTIONS: '1', SUBSCRIPTION_MINT: MINT }).subscriptions?.mint).toBe(MINT)
  })

  it('takes the fee of the platform, unless it has a rate of its own', () => {
    const fee = { PLATFORM_FEE_BPS: '100', PLATFORM_WALLET: WALLET }
    expect(parseConfig(fee).subscriptions?.platformFeeBps).toBe(100)
    expect(parseConfig({ ...fee, SUBSCRIPTION_FEE_BPS: '0' }).subscriptions?.platformFeeBps).toBe(0)
  })
})

describe('on a network of its own', () => {
  it('nothing that helps to try the service is on unless it is asked for', () => {
    const config = parseConfig(REMOTE)
    expect([config.sandbox, config.webhooks.allowPrivate, config.server.introspection]).toEqual([false, false, false])
    expect(config.prices.feeds.kind).toBe('http')
    expect(config.settlement.computeUnitPrice).toBe(20_000n)
    expect(config.fees.networkFee).toBe(10_050n)
    expect(parseConfig({ ...REMOTE, SANDBOX: '1' }).sandbox).toBe(true)
  })

  it('how deposits are found is left to what it costs, unless the operator settles on it', () => {
    expect(parseConfig(REMOTE).depositSource).toBeNull()
    expect(parseConfig({ ...REMOTE, DEPOSIT_SOURCE: 'auto' }).depositSource).toBeNull()
    expect(parseConfig({ ...REMOTE, DEPOSIT_SOURCE: 'blocks' }).depositSource).toBe('blocks')
  })

  it('test accounts are refused until a test network is named', () => {
    expect(parseConfig(REMOTE).chains.test).toBeNull()
    expect(parseConfig({ ...REMOTE, SOLANA_TEST_RPC_URL: 'https://dev.example' }).chains.test).toMatchObject({
      rpcUrls: ['https://dev.example'],
    })
  })

  it('a seed is never made up', () => {
    const { SOLANA_RPC_URL } = REMOTE
    expect(complaintOf(() => parseConfig({ SOLANA_RPC_URL }))).toMatch(/^MASTER_SEED: is missing/)
    expect(parseConfig({ SOLANA_RPC_URL, MASTER_SEED_FILE: '/run/seed' }).secrets.masterSeed).toEqual({
      from: 'MASTER_SEED_FILE',
      kind: 'file',
      path: '/run/seed',
      create: false,
    })
  })

  it('websockets follow from the RPC addresses: wss for https, the next port where one is named', () => {
    const SOLANA_RPC_URL = 'https://a.example/key, http://127.0.0.1:8899'
    expect(parseConfig({ ...REMOTE, SOLANA_RPC_URL }).chains.live).toEqual({
      kind: 'remote',
      rpcUrls: ['https://a.example/key', 'http://127.0.0.1:8899'],
      wsUrls: ['wss://a.example/key', 'ws://127.0.0.1:8900/'],
      stream: null,
    })
    expect(parseConfig({ ...REMOTE, SOLANA_WS_URL: 'wss://own.example' }).chains.live).toMatchObject({
      wsUrls: ['wss://own.example'],
    })
  })

  it('a stream is of live accounts, and needs no token', () => {
    const stream = { STREAM_URL: 'https://grpc.example.com', SOLANA_TEST_RPC_URL: 'https://devnet.example' }
    const { live, test } = parseConfig({ ...REMOTE, ...stream }).chains
    expect([live, test]).toMatchObject([{ stream: { url: stream.STREAM_URL, token: null } }, { stream: null }])
    expect(parseConfig({ ...REMOTE, ...stream, STREAM_TOKEN: 'sesame' }).chains.live).toMatchObject({
      stream: { token: 'sesame' },
    })
  })
})

describe('reading', () => {
  it.each([
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
  ])('a switch takes %s', (text, on) => {
    expect(parseConfig({ RATE_LIMITS: text }).server.rateLimits).toBe(on)
  })

  it('an empty setting counts as left out', () => {
    expect(parseConfig({ PORT: '', DATABASE_URL: '  ', MASTER_SEED: '' })).toEqual(parseConfig({}))
  })

  it('addresses lose their trailing slash, and listening everywhere is not an address', () => {
    expect(parseConfig({ PUBLIC_URL: 'https://pay.example.com/' }).server.payUrl).toBe('https://pay.example.com/pay')
    expect(parseConfig({ HOST: '0.0.0.0' }).server.publicUrl).toBe('http://127.0.0.1:4000')
    expect(parseConfig({ HOST: '::1' }).server.publicUrl).toBe('http://[::1]:4000')
  })

  it('the operator’s API is at the port of everything else, on this machine, unless it has a port of its own', () => {
    const PUBLIC_URL = 'https://pay.example.com'
    expect(parseConfig({ PUBLIC_URL, PORT: '4310' }).server).toMatchObject({
      operatorPort: null,
      operatorUrl: 'http://127.0.0.1:4310',
    })
    expect(parseConfig({ PUBLIC_URL, HOST: '0.0.0.0', OPERATOR_PORT: '4001' }).server).toMatchObject({
      operatorPort: 4001,
      operatorUrl: 'http://127.0.0.1:4001',
    })
  })

  it('what it was given is never changed', () => {
    const env = Object.freeze({ ...REMOTE, PORT: ' 5000 ' })
    expect(parseConfig(env).server.port).toBe(5000)
  })
})

describe('a setting that cannot be used stops the start with one line that names it', () => {
  const bad: readonly (readonly [keyof NodeJS.ProcessEnv & string, string])[] = [
    ['PORT', 'http'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '4e3'],
    ['OPERATOR_PORT', '0'],
    ['HOST', 'every where'],
    ['PUBLIC_URL', 'pay.example.com'],
    ['PUBLIC_URL', 'https://pay.example.com/?a=1'],
    ['PAY_URL', 'ftp://pay.example.com'],
    ['ROLE', 'both'],
    ['LOG_LEVEL', 'loud'],
    ['RATE_LIMITS', 'yes'],
    ['INTROSPECTION', 'on'],
    ['DATABASE_URL', 'mysql://host/db'],
    ['DATABASE_DIRECT_URL', '127.0.0.1:5432'],
    ['SOLANA_RPC_URL', 'rpc.example.com'],
    ['SOLANA_RPC_URL', 'https://a.example,,https://b.example'],
    ['SOLANA_RPC_URL', 'https://a.example,https://b.example,https://A.example/'],
    ['SOLANA_WS_URL', 'https://rpc.example.com'],
    ['SOLANA_TEST_RPC_URL', 'devnet'],
    ['SOLANA_TEST_WS_URL', 'http://devnet'],
    ['STREAM_URL', 'grpc.example.com'],
    ['STREAM_URL', 'https://grpc.example.com/token'],
    ['BLOCK_CREDITS', '0'],
    ['CHAIN_SLOT_MS', '1'],
    ['PRIORITY_FEE_MICROLAMPORTS', '-1'],
    ['DEPOSIT_SOURCE', 'guessing'],
    ['OPERATOR_TOKEN', 'short'],
    ['OPERATOR_TOKEN', 'x'.repeat(31)],
    ['OPERATOR_TOKEN', `sk_live_${'0'.repeat(32)}`],
    ['OPERATOR_TOKEN', `${'0'.repeat(32)} 1`],
    ['PLATFORM_FEE_BPS', '2.5'],
    ['PLATFORM_WALLET', '0x52908400098527886E0F7030069857D2E4169EE7'],
    ['NETWORK_FEE_LAMPORTS', '1e4'],
    ['MAX_MARKETPLACE_FEE_BPS', '5001'],
    ['SUBSCRIPTIONS', 'yes'],
    ['SUBSCRIPTION_MINT', 'USDC'],
    ['SUBSCRIPTION_MIN_PRICE_USD_CENTS', '0'],
    ['SUBSCRIPTION_MAX_PRICE_USD_CENTS', '0'],
    ['SUBSCRIPTION_FEE_BPS', '10000'],
    ['SUBSCRIPTIONS_PER_WALLET', '0'],
    ['SPONSOR_LAMPORTS_PER_DAY', '-1'],
    ['SPONSOR_LAMPORTS_PER_DAY', '39999'],
    ['SPONSOR_LAMPORTS_PER_BUSINESS', '39999'],
    ['S3_ENDPOINT', 's3.example.com'],
    ['S3_BUCKET', 'a/b'],
    ['SANDBOX', 'maybe'],
    ['PAYOUT_CHANGE_DELAY_HOURS', '721'],
    ['WEBHOOK_ALLOW_PRIVATE', '2'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ]
  it.each(bad)('%s=%s', (name, value) => {
    const complaint = complaintOf(() => parseConfig({ [name]: value }))
    expect(complaint).toMatch(new RegExp(`^${name}: .+ cannot be used; write .+`))
    expect(complaint).not.toContain('\n')
  })

  it('a value that may be secret is not in it', () => {
    const secrets = ['DATABASE_URL', 'SOLANA_RPC_URL', 'SOLANA_WS_URL', 'SOLANA_TEST_RPC_URL', 'OPERATOR_TOKEN']
    for (const name of secrets) expect(complaintOf(() => parseConfig({ [name]: 'hush hush' }))).not.toContain('hush')
  })

  it('the price feeds’ own parser complains in the same way', () => {
    const complaint = complaintOf(() => parseConfig({ PRICE_FEEDS: 'pyth,fixed:SOL=1' }))
    expect(complaint).toMatch(/^PRICE_FEEDS: fixed prices stand alone; write [^\n]+$/)
  })
})

describe('settings that do not go together are refused', () => {
  it.each<[string, Record<string, string>, string]>([
    ['a websocket without its RPC address', { SOLANA_WS_URL: 'wss://a.example' }, 'SOLANA_WS_URL'],
    ['a test websocket without its RPC address', { SOLANA_TEST_WS_URL: 'wss://a.example' }, 'SOLANA_TEST_WS_URL'],
    ['a stream of the embedded chain', { STREAM_URL: 'https://a.example' }, 'STREAM_URL'],
    ['the token of no stream', { ...REMOTE, STREAM_TOKEN: 'sesame' }, 'STREAM_TOKEN'],
    ['a direct address without a database', { DATABASE_DIRECT_URL: 'postgres://h/d' }, 'DATABASE_DIRECT_URL'],
    ['one port for two servers', { PORT: '4001', OPERATOR_PORT: '4001' }, 'OPERATOR_PORT'],
    ['the default port for two servers', { OPERATOR_PORT: '4000' }, 'OPERATOR_PORT'],
    [
      'a lowest price of a tier above the highest',
      { SUBSCRIPTION_MIN_PRICE_USD_CENTS: '1000001' },
      'SUBSCRIPTION_MIN_PRICE_USD_CENTS',
    ],
    ['two seeds', { MASTER_SEED: SEED, MASTER_SEED_FILE: 'x' }, 'MASTER_SEED'],
    ['a bucket without a storage', { S3_BUCKET: 'images' }, 'S3_ENDPOINT'],
    ['a storage without a credential', { S3_ENDPOINT: 'https://s3.example', S3_BUCKET: 'images' }, 'S3_ACCESS_KEY_ID'],
    ['a fee without a receiver', { PLATFORM_FEE_BPS: '1' }, 'PLATFORM_WALLET'],
    ['fees that leave a seller nothing', { PLATFORM_FEE_BPS: '5000', PLATFORM_WALLET: WALLET }, 'PLATFORM_FEE_BPS'],
    ['a part of the service on the embedded database', { ...REMOTE, ROLE: 'api' }, 'ROLE'],
    ['a part of the service on the embedded chain', { DATABASE_URL: 'postgres://h/d', ROLE: 'worker' }, 'ROLE'],
  ])('%s', (_case, env, name) => {
    expect(complaintOf(() => parseConfig(env))).toMatch(new RegExp(`^${name}\\w*: `))
  })

  it('what does go together is taken', () => {
    const env = {
      ...REMOTE,
      DATABASE_URL: 'postgres://h/d',
      ROLE: 'api',
      PLATFORM_FEE_BPS: '100',
      PLATFORM_WALLET: WALLET,
    }
    const config: Config = parseConfig(env)
    expect(config.role).toBe('api')
    expect(config.fees.platformWallet).toBe(WALLET)
  })
})

describe('whatever the environment says', () => {
  it('the outcome is a configuration or a ConfigError of one line', () => {
    const text = fc.string({ unit: fc.constantFrom(...'019azAZ:/.,=@?#%- \n\r\0é😀'), maxLength: 30 })
    const env = fc.dictionary(fc.constantFrom(...SETTING_NAMES), text, { maxKeys: 4 })
    fc.assert(
      fc.property(env, (values) => {
        try {
          parseConfig(values)
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError)
          expect(String(error)).not.toMatch(/[\n\r]/)
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('the operator command', () => {
  it('finds the service by the same settings, and needs no others to be right', () => {
    expect(parseClientConfig({ PORT: '4321', PLATFORM_FEE_BPS: 'a lot', DATA_DIR: '/var/pay' })).toEqual({
      url: 'http://127.0.0.1:4321',
      hasPort: true,
      dataDir: '/var/pay',
      token: { from: 'DATA_DIR', kind: 'file', path: '/var/pay/operator-token', create: true },
    })
  })

  it('goes to the port of the operator’s API where that has one', () => {
    const settings = { PORT: '4321', OPERATOR_PORT: '4322', PUBLIC_URL: 'https://pay.example.com' }
    expect(parseClientConfig(settings).url).toBe('http://127.0.0.1:4322')
  })

  it('never goes to the public address', () => {
    const settings = { HOST: '0.0.0.0', PUBLIC_URL: 'https://pay.example.com' }
    expect(parseClientConfig(settings)).toMatchObject({ url: 'http://127.0.0.1:4000', hasPort: false })
  })
})

describe('.env.example', () => {
  it('names every setting, and no other', () => {
    const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
    const named = [...example.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name)
    expect(named.toSorted()).toEqual([...SETTING_NAMES].toSorted())
  })

  it('has a comment above every setting', () => {
    const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
    for (const paragraph of example.split(/\n{2,}/)) {
      if (/^#?[A-Z][A-Z0-9_]*=/m.test(paragraph)) expect(paragraph).toMatch(/^# \S/)
    }
  })
})

// Secrets that are handed over as files.
describe('file settings', () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'secrets-'))
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  function file(name: string, content: string): string {
    const path = join(directory, name)
    writeFileSync(path, content)
    return path
  }

  describe('a secret in a file', () => {
    it('is read without the line break at its end', () => {
      const token = 'op_0123456789abcdef0123456789abcdef'
      const url = 'postgres://payments:secret@postgres:5432/payments'
      const config = parseConfig({
        OPERATOR_TOKEN_FILE: file('operator-token', `${token}\n`),
        DATABASE_URL_FILE: file('database-url', `${url}\n`),
        DATABASE_DIRECT_URL_FILE: file('direct-url', `${url}_direct\n`),
        SOLANA_RPC_URL_FILE: file('rpc', 'https://one.example/?key=1,https://two.example\n'),
        MASTER_SEED_FILE: '/run/secrets/master-seed',
        PYTH_API_KEY_FILE: file('pyth', 'pyth-key'),
      })
      expect(config.secrets.operatorToken).toMatchObject({ kind: 'given', secret: token })
      expect(config.database).toEqual({ kind: 'postgres', url, directUrl: `${url}_direct` })
      expect(config.chains.live).toMatchObject({ rpcUrls: ['https://one.example/?key=1', 'https://two.example'] })
      expect(config.prices.apiKeys.pyth).toBe('pyth-key')
      expect(parseClientConfig({ OPERATOR_TOKEN_FILE: join(directory, 'operator-token') }).token).toMatchObject({
        secret: token,
      })
    })

    it('is refused in one line that does not show it', () => {
      const refusalOf = (env: Record<string, string>): string => {
        try {
          parseConfig(env)
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError)
          return error instanceof Error ? error.message : ''
        }
        return 'accepted'
      }
      expect(refusalOf({ OPERATOR_TOKEN_FILE: '/nowhere/token' })).toMatch(
        /^OPERATOR_TOKEN_FILE: the file \/nowhere\/token cannot be read \(ENOENT\); write/,
      )
      expect(refusalOf({ OPERATOR_TOKEN_FILE: file('empty', ' \n') })).toMatch(
        /^OPERATOR_TOKEN_FILE: the file .* is empty/,
      )
      expect(
        refusalOf({
          OPERATOR_TOKEN_FILE: file('a', 'op_0123456789abcdef0123456789abcdef'),
          OPERATOR_TOKEN: 'op_0123456789abcdef0123456789abcdef',
        }),
      ).toBe('OPERATOR_TOKEN: is set next to OPERATOR_TOKEN_FILE; set one of them')
      expect(refusalOf({ OPERATOR_TOKEN_FILE: file('short', 'secret') })).not.toContain('"secret"')
    })
  })
})
