// The operator command against the real edge, over services that a test gives. Exit code, streams and .env are tested
// in child processes; the rest runs in this process, because a start is slow.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { announceService } from '#adapters/node/running-service.ts'
import { loadMasterSeed } from '#adapters/solana/keys/seed.ts'
import { operatorActor } from '#core/accounts/audit.ts'
import { KEY_SCOPES } from '#core/accounts/permissions.ts'
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import { isWallet } from '#core/chain/curve.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBaseUnits, makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { runOperator } from '#operator/program.ts'
import type { Services } from '#services/services.ts'
import {
  exampleBillingStatus,
  exampleCharge,
  exampleDelegation,
  exampleSubscription,
} from '../support/example-billing.ts'
import { credential, OPERATOR_TOKEN, startTestService, type TestService } from '../support/services.ts'
import { type Outcome, spawnProgram } from '../support/spawned-program.ts'

const WALLET = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
const MINT = makeAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const ID = '6f1c2a52-8a9d-4b57-9a35-2b1f5f3f8f10'
const AT = new Date('2026-11-20T10:00:00.000Z')

const { account, key, tenant } = credential('live')
const token = {
  network: 'live',
  asset: MINT,
  mint: MINT,
  isNative: false,
  name: 'USD Coin',
  ticker: 'USDC',
  decimals: 6,
  tokenProgram: makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  extensions: [],
  feedKey: 'USDC',
  imageName: null,
  enabled: true,
} as const
const charge = {
  ...exampleCharge,
  wallet: WALLET,
  status: 'failed',
  failureCode: 'destination_unavailable',
  reason: 'The account is frozen.',
  signature: null,
} as const
const custodian = { network: 'live', address: WALLET, label: 'An exchange, hot wallet' } as const
const transfer = {
  id: ID,
  key: 'sweep:intent:7:1',
  portion: 'main',
  sourceAccount: null,
  kind: 'sweep',
  status: 'held',
  reason: 'The account is frozen.',
  network: 'live',
  asset: 'SOL',
  attempts: 2,
  signature: null,
  intentIndex: 7,
  createdAt: AT,
  doneAt: null,
} as const
const delivery = {
  id: ID,
  webhookId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0cc',
  accountId: account.id,
  url: 'https://shop.example.com/hooks',
  type: 'intent.swept',
  status: 'failed',
  attempts: 10,
  nextAttemptAt: null,
  lastStatusCode: 500,
  lastError: 'answered 500',
  createdAt: AT,
} as const

const halt = {
  id: ID,
  network: 'live',
  address: WALLET,
  intentId: ID,
  intentIndex: 7,
  reason: 'The chain holds 5 base units of SOL less.',
  faults: [{ kind: 'chain_has_less', account: WALLET, asset: 'SOL', amount: -5n }],
  haltedAt: AT,
  clearedAt: null,
  clearedBy: null,
  clearedReason: null,
} as const

const marketplace = {
  accountId: account.id,
  status: 'active',
  defaultFeeBps: makeBasisPoints(250),
  feeWallet: null,
  sellerLimit: 10,
  sellersCount: 2,
  sellersTotal: 3,
} as const
const application = {
  accountId: ID,
  website: 'https://bazaar.example/',
  sells: 'Mugs',
  expectedVolume: '10,000 dollars',
  appliedAt: AT,
  decidedAt: null,
  reason: null,
}
const unaccepted = {
  intentId: ID,
  intentIndex: 7,
  network: 'live',
  address: WALLET,
  mint: MINT,
  isAllowed: false,
  arrivals: 3n,
  amount: 12n,
  firstSignature: 'first',
  lastSignature: 'last',
  firstSeenAt: AT,
  lastSeenAt: AT,
} as const
const heldPayment = {
  intentId: ID,
  intentIndex: 7,
  accountId: account.id,
  network: 'live',
  address: WALLET,
  status: 'refund_failed',
  held: [{ mint: null, amount: makeBaseUnits(12), reason: 'The sender is not known for certain.' }],
  proposedAddress: null,
  updatedAt: AT,
} as const
const release = {
  transferId: ID,
  intentId: ID,
  intentIndex: 7,
  network: 'live',
  asset: 'SOL',
  sourceAccount: null,
  round: 1,
  amount: makeBaseUnits(12),
  to: WALLET,
  reason: 'It is theirs.',
  releasedBy: 'operator',
  releasedAt: AT,
  status: 'planned',
  problem: null,
  signature: null,
} as const

/** The arguments of the last call of the services. */
const called: Record<string, unknown> = {}
const noted = <T>(name: string, answer: T) => {
  return async (...given: readonly unknown[]): Promise<T> => {
    called[name] = given
    return answer
  }
}
const refusing =
  (...refusal: ConstructorParameters<typeof ServiceError>) =>
  () => {
    return Promise.reject(new ServiceError(...refusal))
  }

const OPERATOR = operatorActor('127.0.0.1')

/** The operator, for the keys of the account. */
const keyManager = { tenant, actor: OPERATOR, mayGive: new Set(KEY_SCOPES) }

const LINK = 'https://pay.example.com/dashboard/join#li_shown'
const member = {
  id: ID,
  accountId: account.id,
  name: 'Ada',
  email: null,
  role: 'owner' as const,
  createdAt: AT,
  removedAt: null,
}

const services: { [Group in keyof Services]?: Partial<Services[Group]> } = {
  accounts: {
    create: noted('create', { account, apiKey: 'sk_live_fresh', webhookSecret: 'whsec_fresh' }),
    update: noted('update', { ...account, brand: { ...account.brand, accentColor: '#00aa77' } }),
    find: async (id) => (id === account.id ? account : refusing('account_not_found')()),
    list: async () => [account],
    webhookUrl: async () => 'https://shop.example.com/hooks',
    webhookEvents: async () => ['intent.swept'],
  },
  payouts: {
    pending: async () => null,
    cancel: noted('cancelPayout', {
      accountId: account.id,
      destination: WALLET,
      requestedBy: OPERATOR,
      requestedAt: AT,
      effectiveAt: AT,
    }),
  },
  operatorLog: {
    logged: (_asked, change) => change(),
    list: noted('log', [
      { id: ID, action: 'updateAccount', given: '{}', ip: '127.0.0.1', startedAt: AT, outcome: 'done', endedAt: AT },
    ]),
  },
  members: {
    operatorOfMember: async (_id, actor) => ({ ...keyManager, actor }),
    list: noted('members', [{ ...member, logins: [] }]),
    invite: noted('invite', { member, url: LINK, expiresAt: AT }),
    addLink: noted('addLink', { member, url: LINK, expiresAt: AT }),
    remove: noted('removeMember', { ...member, removedAt: AT }),
  },
  keys: {
    operatorOf: async () => keyManager,
    operatorOfKey: async () => keyManager,
    create: noted('createKey', { key, apiKey: 'sk_live_second' }),
    list: noted('listKeys', [key]),
    revoke: noted('revokeKey', { ...key, revokedAt: AT }),
  },
  applications: { list: noted('listApplications', [application]), refuse: noted('refuse', application) },
  marketplaces: {
    approve: noted('approve', marketplace),
    revoke: noted('revoke', { ...marketplace, status: 'disabled' } as const),
    show: noted('show', marketplace),
    correctSeller: noted('correctSeller', { ...account, marketplaceAccountId: ID }),
  },
  tokens: {
    allow: async (input) => {
      called.allow = input
      return input.consent.includes('permanent-delegate')
        ? token
        : refusing('mint_needs_consent', { extensions: ['permanent-delegate', 'transfer-hook'] })()
    },
    disallow: noted('disallow', { ...token, enabled: false }),
    list: async () => [token],
    priceProblem: async () => 'No price feed gives a recent price for USDC.',
  },
  platform: {
    operatorStatus: async () => ({
      networks: {
        live: {
          genesisHash: 'GENESIS',
          feePayer: WALLET,
          feePayerLamports: makeLamports(2n ** 60n + 1n),
          slot: 2n ** 60n + 1n,
          lagSeconds: 12.5,
          isStalled: false,
          clockBehindSeconds: -12.5,
          providers: { configured: 2, answering: 2 },
          providerHealth: [{ provider: 1, faults: 0, resting: false, latencyMs: 12.5, failures: 3 }],
          pace: { consensus: 'alpenglow', slotMs: 204.4, finalAfterSlots: 1 },
          deposits: {
            source: 'blocks',
            reason: 'polling would cost 600 calls a minute, blocks 160',
            since: AT,
            cursor: { slot: 2n ** 60n, blockhash: 'BLOCK', savedAt: AT },
            noticeCallsPerMinute: 50,
            pollingCallsPerMinute: 600,
            blockCallsPerMinute: 160,
            noticedAccounts: 190,
            watchedAccounts: 200,
          },
        },
        test: null,
      },
      workers: [{ id: ID, role: 'all', startedAt: AT, lastSeenAt: AT }],
      openIntents: 3,
      unfinishedTransfers: 1,
      queues: [],
      refunds: [],
      billing: { ...exampleBillingStatus, problems: ['No tier can be created.'] },
      alerts: ['The fee payer has little SOL left.'],
    }),
    transfers: noted('transfers', [transfer]),
    retryTransfer: noted('retryTransfer', { ...transfer, status: 'planned', reason: null } as const),
  },
  operatorBilling: {
    subscriptions: noted('subscriptions', [exampleSubscription]),
    subscription: noted('subscription', exampleSubscription),
    charges: noted('charges', [charge]),
    charge: noted('charge', charge),
    retryCharge: async (id) =>
      id === ID
        ? { ...charge, status: 'pending' }
        : refusing('charge_not_retryable', { reason: 'The charge is canceled.' })(),
  },
  subscriptions: { delegationOf: async () => exampleDelegation },
  images: { setTokenImage: noted('setTokenImage', token) },
  custodians: {
    list: noted('custodians', [custodian]),
    save: noted('saveCustodians', [custodian]),
    remove: noted('removeCustodian', false),
  },
  audit: {
    halts: noted('halts', [halt]),
    clearHalt: noted('clearHalt', { ...halt, clearedAt: AT, clearedBy: 'operator', clearedReason: 'Known.' } as const),
  },
  held: {
    payments: noted('payments', { payments: [heldPayment], nextIndex: 7, dustPayments: 3 }),
    releases: noted('releases', [release]),
    unaccepted: noted('unaccepted', [unaccepted]),
    release: noted('release', [release]),
  },
  webhooks: {
    deliveries: noted('deliveries', [delivery]),
    redeliver: noted('redeliver', { ...delivery, status: 'pending' } as const),
    test: noted('test', [delivery]),
    rotateSecret: async (_id, { revokeOld }) => ({
      webhookSecret: 'whsec_second',
      oldSecretsUntil: revokeOld ? [] : [new Date('2026-11-21T12:00:00.000Z')],
    }),
  },
  sandbox: {
    advanceClock: noted('advanceClock', { now: AT }),
    faucet: noted('faucet', { signature: makeSignature('5'.repeat(88)) }),
  },
}

let service: TestService
let directory: string
beforeAll(async () => {
  service = await startTestService({ services })
  directory = mkdtempSync(join(tmpdir(), 'operator-'))
})
afterAll(async () => {
  await service.close()
  rmSync(directory, { recursive: true })
})

/** Runs the command in a child process, without the environment of this process. */
const spawned = (args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
  spawnProgram('src/operator/main.ts', args, { cwd: directory, env })

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const lines: { out: string[]; err: string[] } = { out: [], err: [] }
  const terminal = { out: (line: string) => lines.out.push(line), err: (line: string) => lines.err.push(line) }
  const code = await runOperator(args, env, terminal)
  return { code, out: lines.out.join('\n'), err: lines.err.join('\n') }
}

/** Listens at a free port, gives every request the same answer, and notes the tokens that it is offered. */
async function startStranger(answer: string) {
  const tokens: (string | undefined)[] = []
  const server = createServer(({ headers }, response) => {
    tokens.push(headers.authorization)
    response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { port, tokens, [Symbol.asyncDispose]: close }
}

const operator = (...args: readonly string[]) => run(['--url', service.url, ...args], { OPERATOR_TOKEN })

async function json(...args: readonly string[]): Promise<unknown> {
  const { code, out, err } = await operator(...args, '--json')
  expect(code, err).toBe(0)
  return JSON.parse(out)
}

const wireAccount = expect.objectContaining({
  id: account.id,
  mode: 'live',
  name: 'Corner Shop',
  sweep_destination: null,
  webhook_url: 'https://shop.example.com/hooks',
  created_at: account.createdAt.toISOString(),
})
const wireKey = {
  id: key.id,
  account_id: account.id,
  name: 'Test key',
  hint: '0000',
  scopes: key.scopes,
  created_by: 'operator',
  created_at: key.createdAt.toISOString(),
  last_used_at: null,
  revoked_at: null,
}
const wireToken = expect.objectContaining({
  asset: MINT,
  ticker: 'USDC',
  decimals: 6,
  token_program: token.tokenProgram,
})
const wireTransfer = expect.objectContaining({ id: ID, status: 'held', intent_index: 7, done_at: null })
const wireDelivery = expect.objectContaining({ id: ID, webhook_id: delivery.webhookId, status: 'failed', attempts: 10 })

describe('with --json each command prints one object, in the documented shape', () => {
  it('account', async () => {
    const create = ['account', 'create', '--name', 'Corner Shop', '--mode', 'live', '--sweep-destination', WALLET]
    expect(await json(...create, '--webhook-url', 'https://shop.example.com/hooks')).toEqual({
      account: wireAccount,
      api_key: 'sk_live_fresh',
      webhook_secret: 'whsec_fresh',
    })
    expect(called.create).toEqual([
      {
        name: 'Corner Shop',
        network: 'live',
        label: null,
        sweepDestination: WALLET,
        webhookUrl: 'https://shop.example.com/hooks',
      },
      OPERATOR,
    ])
    expect(await json('account', 'update', account.id, '--label', 'Shop')).toEqual({ account: wireAccount })
    expect(await json('account', 'list')).toEqual({ accounts: [wireAccount] })
    expect(await json('account', 'show', account.id)).toEqual({ account: wireAccount })
    expect(await json('account', 'cancel-payout-change', account.id)).toEqual({ account: wireAccount })
    expect(called.cancelPayout).toEqual([keyManager])
  })

  it('key', async () => {
    expect(await json('key', 'create', account.id)).toEqual({ key: wireKey, api_key: 'sk_live_second' })
    expect(called.createKey).toEqual([keyManager, { name: null, scopes: null }])
    await json('key', 'create', account.id, '--name', 'Shop', '--scopes', 'marketplace-view', 'payments')
    expect(called.createKey).toEqual([keyManager, { name: 'Shop', scopes: ['payments', 'marketplace-view'] }])
    expect(await json('key', 'list', account.id)).toEqual({ keys: [wireKey] })
    expect(await json('key', 'revoke', key.id)).toEqual({ key: { ...wireKey, revoked_at: AT.toISOString() } })
    expect(called.revokeKey).toEqual([keyManager, key.id])
  })

  it('member', async () => {
    const wire = { id: ID, name: 'Ada', email: null, role: 'owner', created_at: AT.toISOString() }
    const link = { member: { ...wire, removed_at: null }, url: LINK, expires_at: AT.toISOString() }
    const invite = ['member', 'invite', account.id, '--name', 'Ada', '--role', 'owner']
    expect(await json(...invite)).toEqual(link)
    expect(called.invite).toEqual([keyManager, { name: 'Ada', email: null, role: 'owner' }])
    expect((await operator(...invite)).out).toContain(LINK)
    expect(await json('member', 'link', ID)).toEqual(link)
    expect(await json('member', 'list', account.id)).toEqual({ members: [{ ...wire, logins: [] }] })
    expect(await json('member', 'remove', ID)).toEqual({ member: { ...wire, removed_at: AT.toISOString() } })
    expect(called.removeMember).toEqual([keyManager, ID])
  })

  it('log', async () => {
    expect(await json('log', '--limit', '5', '--before', ID)).toMatchObject({
      log: [{ action: 'updateAccount', ip: '127.0.0.1', outcome: 'done' }],
    })
    expect(called.log).toEqual([5, ID, { withLogins: true }])
  })

  it('marketplace', async () => {
    const wire = {
      account_id: account.id,
      status: 'active',
      default_fee_bps: 250,
      fee_wallet: null,
      seller_limit: 10,
      sellers_count: 2,
      sellers_total: 3,
    }
    const approve = ['marketplace', 'approve', account.id, '--default-fee-bps', '250', '--seller-limit', '10']
    expect(await json(...approve, '--fee-wallet', '')).toEqual({ marketplace: wire })
    const terms = { defaultFeeBps: 250, sellerLimit: 10, feeWallet: null }
    expect(called.approve).toEqual([account.id, terms, expect.objectContaining({ kind: 'operator' })])
    await json('marketplace', 'approve', account.id, '--seller-limit', '')
    expect(called.approve).toEqual([account.id, { sellerLimit: null }, expect.anything()])
    const revoke = ['marketplace', 'revoke', account.id]
    expect(await json(...revoke)).toEqual({ marketplace: { ...wire, status: 'disabled' } })
    expect(called.revoke).toEqual([account.id, expect.objectContaining({ kind: 'operator' })])
    expect(await json('marketplace', 'show', account.id)).toEqual({ marketplace: wire })
    expect((await operator('marketplace', 'show', account.id)).out).toContain('the sweep destination of the business')

    const waits = {
      account_id: ID,
      state: 'pending',
      website: 'https://bazaar.example/',
      sells: 'Mugs',
      expected_volume: '10,000 dollars',
      applied_at: AT.toISOString(),
      decided_at: null,
      reason: null,
    }
    expect(await json('marketplace', 'applications')).toEqual({ applications: [waits] })
    expect(called.listApplications).toEqual([{ isPending: true, limit: 100 }])
    await json('marketplace', 'applications', '--all')
    expect(called.listApplications).toEqual([{ isPending: false, limit: 100 }])
    const refuse = ['marketplace', 'refuse', ID, '--reason', 'no sellers yet']
    expect(await json(...refuse)).toEqual({ application: waits })
    expect(called.refuse).toEqual([ID, 'no sellers yet', OPERATOR])
  })

  it('seller', async () => {
    const update = ['seller', 'update', account.id]
    const wire = expect.objectContaining({ id: account.id, marketplace_account_id: ID })
    expect(await json(...update, '--sweep-destination', WALLET, '--label', '')).toEqual({ seller: wire })
    const patch = { sweepDestination: WALLET, label: null }
    expect(called.correctSeller).toEqual([account.id, patch, expect.objectContaining({ kind: 'operator' })])
    expect((await operator(...update)).code).toBe(2)
  })

  it('token', async () => {
    const allow = ['token', 'allow', '--network', 'live', '--mint', MINT, '--name', 'USD Coin', '--ticker', 'USDC']
    expect(await json(...allow, '--price', 'USDC/USD', '--consent-permanent-delegate')).toEqual({ token: wireToken })
    expect(called.allow).toEqual({
      network: 'live',
      asset: MINT,
      name: 'USD Coin',
      ticker: 'USDC',
      feedKey: 'USDC/USD',
      consent: ['permanent-delegate'],
    })
    await json(...allow, '--consent', 'transfer-hook, mint-close-authority,permanent-delegate', '--consent-pausable')
    expect(called.allow).toMatchObject({
      consent: ['transfer-hook', 'mint-close-authority', 'permanent-delegate', 'pausable'],
    })
    const disallow = ['token', 'disallow', '--network', 'test', '--mint', 'sol']
    expect(await json(...disallow)).toEqual({ token: expect.objectContaining({ enabled: false }) })
    expect(called.disallow).toEqual(['test', 'SOL'])
    expect(await json('token', 'list')).toEqual({ tokens: [wireToken] })
  })

  it('status, with whole numbers of any size', async () => {
    const { out } = await operator('status', '--json')
    expect(out).toContain(
      '"fee_payer_lamports":1152921504606846977,"slot":1152921504606846977,"lag":12.5,"consensus":"alpenglow","slot_ms":204.4,"final_after_slots":1,"providers":[{"number":1,"failures":3,"is_resting":false,"latency_ms":12.5}]',
    )
    expect(JSON.parse(out)).toMatchObject({
      networks: { live: { genesis_hash: 'GENESIS', fee_payer: WALLET }, test: null },
      workers: [{ id: ID, role: 'all', started_at: AT.toISOString(), last_seen_at: AT.toISOString() }],
      open_intents: 3,
      unfinished_transfers: 1,
      alerts: ['The fee payer has little SOL left.'],
    })
    expect(JSON.parse(out).billing).toMatchObject({ problems: ['No tier can be created.'] })
  })

  it('clock and faucet', async () => {
    expect(await json('clock', 'advance', '600')).toEqual({ now: AT.toISOString() })
    expect(called.advanceClock).toEqual([600])
    const amount = 2n ** 64n - 1n
    expect(await json('faucet', WALLET, String(amount), '--network', 'test')).toEqual({ signature: '5'.repeat(88) })
    expect(called.faucet).toEqual([{ network: 'test', address: WALLET, asset: 'SOL', amount }])
    await json('faucet', WALLET, '1', '--mint', MINT)
    expect(called.faucet).toEqual([{ network: 'live', address: WALLET, asset: MINT, amount: 1n }])
  })

  it('transfer', async () => {
    expect(await json('transfer', 'list', '--status', 'held')).toEqual({ transfers: [wireTransfer] })
    expect(called.transfers).toEqual([{ status: 'held', limit: 20 }])
    expect(await json('transfer', 'retry', ID)).toEqual({ transfer: expect.objectContaining({ status: 'planned' }) })
  })

  it('subscription', async () => {
    const wire = expect.objectContaining({
      id: exampleSubscription.id,
      status: exampleSubscription.status,
      unit_amount: Number(exampleSubscription.unitAmount),
      remaining_amount: Number(exampleSubscription.authorizedAmount - exampleSubscription.spentAmount),
    })
    const filter = ['--status', 'past_due', '--account', ID, '--wallet', WALLET]
    expect(await json('subscription', 'list', ...filter)).toEqual({ subscriptions: [wire] })
    expect(called.subscriptions).toEqual([{ status: 'past_due', accountId: ID, wallet: WALLET, limit: 20 }])
    expect(await json('subscription', 'show', ID)).toMatchObject({
      subscription: {
        id: exampleSubscription.id,
        delegation: { status: exampleDelegation.status, chain_allowance: Number(exampleDelegation.chainAllowance) },
        charges: [{ id: charge.id }],
      },
    })
  })

  it('charge', async () => {
    const wire = expect.objectContaining({
      id: charge.id,
      failure_code: 'destination_unavailable',
      recovery_action: 'none',
      amount: Number(charge.amount),
      reason: 'The account is frozen.',
    })
    const filter = ['--status', 'failed', '--subscription', ID, '--account', ID, '--wallet', WALLET]
    expect(await json('charge', 'list', ...filter)).toEqual({ charges: [wire] })
    expect(called.charges).toEqual([{ status: 'failed', subscriptionId: ID, accountId: ID, wallet: WALLET, limit: 20 }])
    expect(await json('charge', 'show', ID)).toEqual({ charge: wire })
    expect(await json('charge', 'retry', ID)).toEqual({ charge: expect.objectContaining({ status: 'pending' }) })
  })

  it('custodian', async () => {
    const { network, ...wallet } = custodian
    expect(await json('custodian', 'list')).toEqual({ custodians: [custodian] })
    expect(called.custodians).toEqual([null])
    await json('custodian', 'add', WALLET, '--label', wallet.label)
    expect(called.saveCustodians).toEqual([network, [wallet]])
    expect(await json('custodian', 'remove', WALLET, '--network', 'test')).toEqual({ removed: false })
    expect(called.removeCustodian).toEqual(['test', WALLET])
    const file = join(mkdtempSync(join(tmpdir(), 'custodians-')), 'list.txt')
    writeFileSync(file, `# wallets\n\n${WALLET}   An exchange, hot wallet  # and why\n`)
    expect(await json('custodian', 'import', file)).toEqual({ custodians: [custodian] })
    expect(called.saveCustodians).toEqual([network, [wallet]])
    expect(await json('custodian', 'import', 'docs/custodians.txt')).toEqual({ custodians: [custodian] })
    const [, listed] = called.saveCustodians as [string, { address: string; label: string }[]]
    expect(new Set(listed.map(({ address }) => address)).size).toBe(22)
    expect(listed.filter(({ address }) => !isWallet(address))).toEqual([])
    expect(new Set(listed.map(({ label }) => label))).toEqual(new Set(['Binance', 'KuCoin', 'Bitget', 'Deribit']))
  })

  it('halt', async () => {
    const { intentId: _, intentIndex, haltedAt, ...rest } = halt
    const wireHalt = {
      id: rest.id,
      network: 'live',
      address: WALLET,
      intent_index: intentIndex,
      reason: rest.reason,
      faults: [{ kind: 'chain_has_less', account: WALLET, asset: 'SOL', amount: -5 }],
      halted_at: haltedAt.toISOString(),
      cleared_at: null,
      cleared_by: null,
      cleared_reason: null,
    }
    expect(await json('halt', 'list', '--network', 'live')).toEqual({ halts: [wireHalt] })
    expect(called.halts).toEqual([{ network: 'live', open: true, limit: 20 }])
    await json('halt', 'list', '--all', '--limit', '100')
    expect(called.halts).toEqual([{ network: null, open: false, limit: 100 }])
    expect(await json('halt', 'clear', ID, '--reason', 'Known.')).toMatchObject({ halt: { cleared_by: 'operator' } })
    expect(called.clearHalt).toEqual([ID, 'Known.'])
  })

  it('held', async () => {
    expect(await json('held', 'list', '--network', 'live', '--account', account.id)).toEqual({
      payments: [
        {
          intent_id: ID,
          intent_index: 7,
          account_id: account.id,
          network: 'live',
          address: WALLET,
          status: 'refund_failed',
          held: [{ mint: null, amount: 12, reason: heldPayment.held[0].reason }],
          proposed_address: null,
          updated_at: AT.toISOString(),
        },
      ],
      next_index: 7,
      dust_payments: 3,
    })
    const everything = { network: null, accountId: null, afterIndex: null, includeDust: false, limit: 20 }
    expect(called.payments).toEqual([{ ...everything, network: 'live', accountId: account.id }])
    await json('held', 'list', '--dust', '--after', '8', '--limit', '5')
    expect(called.payments).toEqual([{ ...everything, afterIndex: 8, includeDust: true, limit: 5 }])
    expect(await json('held', 'unaccepted', '--payment', '7')).toEqual({
      tokens: [
        {
          intent_index: 7,
          network: 'live',
          address: WALLET,
          mint: MINT,
          is_allowed: false,
          arrivals: 3,
          amount: 12,
          first_signature: 'first',
          last_signature: 'last',
          first_seen_at: AT.toISOString(),
          last_seen_at: AT.toISOString(),
        },
      ],
    })
    expect(called.unaccepted).toEqual([{ network: null, intent: '7', limit: 20 }])
    const wireRelease = {
      transfer_id: ID,
      intent_index: 7,
      network: 'live',
      asset: 'SOL',
      source_account: null,
      amount: 12,
      to: WALLET,
      reason: 'It is theirs.',
      released_by: 'operator',
      released_at: AT.toISOString(),
      status: 'planned',
      problem: null,
      signature: null,
    }
    const order = ['held', 'release', '7', '--asset', 'sol', '--to', WALLET, '--reason', 'It is theirs.']
    expect(await json(...order)).toEqual({ releases: [wireRelease] })
    expect(called.release).toEqual([{ intent: '7', asset: 'SOL', to: WALLET, reason: 'It is theirs.' }])
    expect(await json('held', 'releases')).toEqual({ releases: [wireRelease] })
    expect(called.releases).toEqual([{ network: null, limit: 20 }])
  })

  it('webhook test, which fails when a URL does not accept it', async () => {
    const { code, out, err } = await operator('webhook', 'test', account.id)
    expect(out).toContain('https://shop.example.com/hooks: answered 500. It is tried again')
    expect(err).toContain('1 of 1 URLs did not accept it')
    expect(code).toBe(1)
    expect(called.test).toEqual([account.id])
  })

  it('webhook', async () => {
    expect(await json('webhook', 'deliveries', '--account', account.id, '--limit', '5')).toEqual({
      deliveries: [wireDelivery],
    })
    expect(called.deliveries).toEqual([{ accountId: account.id, status: null, limit: 5 }])
    expect(await json('webhook', 'redeliver', ID)).toEqual({ delivery: expect.objectContaining({ status: 'pending' }) })
    expect(await json('webhook', 'rotate-secret', account.id)).toEqual({
      webhook_secret: 'whsec_second',
      old_secrets_until: ['2026-11-21T12:00:00.000Z'],
    })
    expect(await json('webhook', 'rotate-secret', account.id, '--revoke-old')).toEqual({
      webhook_secret: 'whsec_second',
      old_secrets_until: [],
    })
  })
})

describe('for people', () => {
  it('a secret is shown with the warning that it is shown once', async () => {
    const { out } = await operator('account', 'create', '--name', 'Shop', '--mode', 'live')
    expect(out).toMatch(/API key +sk_live_fresh/)
    expect(out).toMatch(/webhook secret +whsec_fresh/)
    expect(out).toContain('Shown now and never again')
  })

  it('lists are tables, and amounts are in SOL', async () => {
    const { out } = await operator('transfer', 'list')
    const [headers, row] = out.split('\n')
    expect(headers).toMatch(/^id +key +network +asset +status +attempts +why$/)
    expect(row).toMatch(/^6f1c2a52-\S+ +sweep:intent:7:1 +live +SOL +held +2 +The account is frozen\.$/)
    const status = (await operator('status')).out
    expect(status).toContain('1152921504.606846977 SOL')
    expect(status).toMatch(/^Subscriptions\n +by status +7 active\n +allowances +5 active$/m)
    expect(status).toMatch(/0 due, 1 in flight.*problem +No tier can be created\./s)
    expect(status).toMatch(/0\.059999999 SOL in 24 hours, of at most 0\.1 SOL/)
    expect(status).toMatch(/Alpenglow, slots of 204 ms, final after 1 slots/)
    expect(status).toMatch(/found in blocks, read to slot 1152921504606846976, since .*: polling would cost 600 calls/)
  })

  it('a subscription is shown with its allowance and its charges', async () => {
    const { out } = await operator('subscription', 'show', ID)
    expect(out).toMatch(new RegExp(`^Subscription ${exampleSubscription.id}`))
    expect(out).toMatch(/^Its allowance is active$/m)
    expect(out).toMatch(/^charge +subscription +period +status +base units +next try +why$/m)
    expect(out).toMatch(/ failed .* destination_unavailable: The account is frozen\.$/m)
    expect((await operator('charge', 'show', ID)).out).toMatch(/what helps +none/)
  })

  it('an empty text clears a field, and a field that is not named stays', async () => {
    await operator('account', 'update', account.id, '--webhook-url', '', '--label', '')
    expect(called.update).toEqual([account.id, { webhookUrl: null, label: null }, OPERATOR])
  })

  it('an account chooses the events of its webhooks, and an empty text chooses all', async () => {
    const { out } = await operator('account', 'update', account.id, '--webhook-events', 'intent.swept, intent.paid')
    expect(called.update).toEqual([account.id, { webhookEvents: ['intent.swept', 'intent.paid'] }, OPERATOR])
    expect(out).toMatch(/^ +webhook events +intent\.swept$/m)
    await operator('account', 'update', account.id, '--webhook-events', '')
    expect(called.update).toEqual([account.id, { webhookEvents: [] }, OPERATOR])
  })

  it('the brand of an account is changed, and shown where there is one', async () => {
    const { out } = await operator('account', 'brand', account.id, '--accent-color', '#0a7', '--support-url', '')
    expect(called.update).toEqual([account.id, { accentColor: '#0a7', supportUrl: null }, OPERATOR])
    expect(out).toMatch(/^ +accent color +#00aa77$/m)
    expect(out).not.toContain('support')
  })

  it('a token without a price is allowed, with a remark separate from the result', async () => {
    const { code, out, err } = await operator(
      ...['token', 'allow', '--network', 'live', '--mint', MINT, '--name', 'USD Coin', '--ticker', 'USDC'],
      '--consent-permanent-delegate',
    )
    expect([code, err.trim()]).toEqual([0, 'No price feed gives a recent price for USDC.'])
    expect(out).toMatch(/^Allowed USDC on the live network/)
  })
})

const expectLine = ({ code, out, err }: Outcome, exitCode: number, line: RegExp) => {
  expect([code, out]).toEqual([exitCode, ''])
  expect(err).toMatch(line)
  expect(err.trimEnd()).not.toContain('\n')
}

describe('a failure is one line on stderr, and the exit code shows its kind', () => {
  it('1: the service refuses, and says why', async () => {
    expectLine(await operator('account', 'show', ID), 1, /^account not found$/m)
    const allow = ['token', 'allow', '--network', 'live', '--mint', MINT, '--name', 'X', '--ticker', 'X']
    expectLine(await operator(...allow), 1, /consent \(extensions: permanent-delegate,transfer-hook\)$/m)
  })

  it('1: the operator token is wrong, and is not shown', async () => {
    const outcome = await operator('status', '--token', 'op_a_wrong_one_altogether')
    expectLine(outcome, 1, /does not take this operator token/)
    expect(outcome.err).not.toContain('a_wrong_one')
  })

  it.each([
    ['an unknown command', ['acount', 'list']],
    ['no command', []],
    ['a group without its command', ['account']],
    ['an unknown option', ['status', '--verbose']],
    ['an option missing', ['account', 'create', '--name', 'Shop']],
    ['an option with an unknown choice', ['account', 'create', '--name', 'Shop', '--mode', 'prod']],
    ['an argument missing', ['key', 'create']],
    ['money released without a reason', ['held', 'release', '7', '--asset', 'SOL', '--to', WALLET]],
    ['a halt cleared without a reason', ['halt', 'clear', ID]],
    ['too many arguments', ['status', 'now']],
    ['a text instead of a number', ['clock', 'advance', 'soon']],
    ['an amount that is not whole', ['faucet', WALLET, '1.5']],
    ['nothing to change', ['account', 'update', ID]],
    ['no part of a brand', ['account', 'brand', ID]],
    ['a logo that is not there', ['account', 'brand', ID, '--logo', '/nowhere/logo.png']],
  ])('2: misused by %s', async (_case, args) => {
    const { code, out } = await operator(...args)
    expect([code, out]).toEqual([2, ''])
  })

  it.each([
    ['--url', 'an http or https address such as', ['--url', 'garbage', 'status']],
    ['--url', 'an http or https address such as', ['--url', 'ftp://127.0.0.1', 'status']],
    ['SECONDS', 'a whole number from 1 to 315360000', ['clock', 'advance', '0']],
    ['SECONDS', 'a whole number from 1 to 315360000', ['clock', 'advance', '315360001']],
    ['AMOUNT', 'a whole number from 1 to 18446744073709551615', ['faucet', WALLET, '18446744073709551616']],
    ['ADDRESS', 'a Solana address', ['faucet', 'abc', '1']],
    ['--mint', 'SOL or the address of a mint', ['faucet', WALLET, '1', '--mint', 'USDC']],
    ['--sweep-destination', 'a Solana address', ['account', 'update', ID, '--sweep-destination', 'abc']],
    ['ID', 'an id such as the lists show', ['account', 'show', 'no-uuid']],
    ['ACCOUNT', 'an id such as the lists show', ['key', 'create', 'shop']],
    ['--account', 'an id such as the lists show', ['webhook', 'deliveries', '--account', 'shop']],
    ['--limit', 'a whole number from 1 to 100', ['held', 'list', '--limit', '101']],
    ['--to', 'a Solana address', ['held', 'release', '7', '--asset', 'SOL', '--to', 'abc', '--reason', 'x']],
  ])('2: %s must be %s', async (name, rule, args) => {
    const outcome = await operator(...args)
    expectLine(outcome, 2, /^\S+ must be .+, and ".+" is not one$/)
    expect(outcome.err).toContain(`${name} must be ${rule}`)
  })

  it('2: a setting that cannot be used is named', async () => {
    expectLine(await run(['status'], { PORT: 'http' }), 2, /^PORT: "http" cannot be used/)
  })

  it('3: nothing answers there, and the message says how to start the service', async () => {
    expectLine(await operator('--url', 'http://127.0.0.1:1', 'status'), 3, /nothing answers at .*npm start/)
  })

  it('3: there is no token because the service never ran here', async () => {
    const nowhere = { DATA_DIR: '/nowhere/data' }
    expectLine(await run(['--url', service.url, 'status'], nowhere), 3, /\/nowhere\/data\/operator-token .*npm start/)
  })

  it.each(['<h1>Welcome</h1>', '{}', '{"data":null}', '{"data":{}}', '{"data":{"operatorStatus":null}}'])(
    '3: another program answers there: %s',
    async (answer) => {
      await using stranger = await startStranger(answer)
      expectLine(await operator('--url', `http://127.0.0.1:${stranger.port}`, 'status'), 3, /is not this service/)
    },
  )

  it('3: another program answers in place of the scope of an audit', async () => {
    await using stranger = await startStranger('{"data":{}}')
    expectLine(await operator('--url', `http://127.0.0.1:${stranger.port}`, 'audit'), 3, /is not this service/)
  })

  it('0: help was requested', async () => {
    const { code, out } = await operator('token', 'allow', '--help')
    expect(code).toBe(0)
    expect(out).toContain('--consent-permanent-delegate')
  })
})

describe('a failure with --json is one JSON object on stderr, with the same exit code', () => {
  const expectError = async (args: readonly string[], exitCode: number, error: { code: string; message: RegExp }) => {
    for (const all of [
      [...args, '--json'],
      ['--json', ...args],
    ]) {
      const { code, out, err } = await operator(...all)
      expect([code, out]).toEqual([exitCode, ''])
      const message = expect.stringMatching(error.message)
      expect(JSON.parse(err)).toEqual({ error: { code: error.code, message } })
      expect(err.trimEnd()).not.toContain('\n')
    }
  }

  it.each<[string, readonly string[], number, string, RegExp]>([
    ['a refusal, by its own code', ['account', 'show', ID], 1, 'account_not_found', /^account not found$/],
    [
      'a wrong token',
      ['status', '--token', 'op_a_wrong_one_altogether'],
      1,
      'unauthenticated',
      /does not take this operator token/,
    ],
    ['no command', [], 2, 'command_missing', /--help lists the commands/],
    ['a group without its command', ['account'], 2, 'command_missing', /--help lists the commands/],
    ['an unknown command', ['acount', 'list'], 2, 'invalid_arguments', /^unknown command 'acount'/],
    ['an unknown option', ['status', '--verbose'], 2, 'invalid_arguments', /^unknown option '--verbose'/],
    ['an argument that is not valid', ['account', 'show', 'x'], 2, 'invalid_arguments', /^ID must be an id/],
    [
      'no service that answers',
      ['--url', 'http://127.0.0.1:1', 'status'],
      3,
      'service_unreachable',
      /nothing answers at/,
    ],
  ])('%s', async (_case, args, exitCode, code, message) => {
    await expectError(args, exitCode, { code, message })
  })

  it('a charge that cannot be tried again', async () => {
    const message = /^this charge cannot be tried again \(reason: The charge is canceled\.\)$/
    await expectError(['charge', 'retry', account.id], 1, { code: 'charge_not_retryable', message })
  })

  it('a refusal shows its facts in its message', async () => {
    const allow = ['token', 'allow', '--network', 'live', '--mint', MINT, '--name', 'X', '--ticker', 'X']
    const message = /consent \(extensions: permanent-delegate,transfer-hook\)$/
    await expectError(allow, 1, { code: 'mint_needs_consent', message })
  })

  it('a setting that cannot be used', async () => {
    const { code, err } = await run(['status', '--json'], { PORT: 'http' })
    expect([code, JSON.parse(err).error.code]).toEqual([2, 'invalid_setting'])
  })

  it('a service without the operator’s API at that port', async () => {
    const apart = await startTestService({ at: { operatorPort: 0 }, services: { accounts: { list: async () => [] } } })
    await expectError(['--url', apart.url, 'status'], 3, { code: 'not_this_service', message: /OPERATOR_PORT/ })
    const there = await run(['account', 'list', '--json', '--url', apart.operatorUrl], { OPERATOR_TOKEN })
    expect(there).toEqual({ code: 0, out: '{"accounts":[]}', err: '' })
    await apart.close()
  })

  it('help is no error', async () => {
    const { code, err } = await operator('--json', '--help')
    expect([code, err]).toEqual([0, ''])
  })
})

const modeOf = (file: string): number => statSync(file).mode & 0o777

describe('in a process of its own', () => {
  it('the token in DATA_DIR is offered to the service that runs with it, never to a program at the port of a setting', async () => {
    writeFileSync(join(directory, 'operator-token'), `${OPERATOR_TOKEN}\n`)
    await using stranger = await startStranger('{}')
    const list = () => spawned(['account', 'list', '--json'], { PORT: String(stranger.port), DATA_DIR: directory })
    const withdraw = await announceService(directory, service.url)
    const { code, out, err } = await list()
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^\{"accounts":\[.*\]\}\n$/)
    await withdraw()
    expectLine(await list(), 3, /no service runs with the DATA_DIR/)
    expect(stranger.tokens).toEqual([])
  })

  it('a token of the operator is for the port of the settings', async () => {
    const withdraw = await announceService(directory, 'http://127.0.0.1:1')
    const { port } = new URL(service.url)
    const env = { PORT: port, DATA_DIR: directory }
    expect(await run(['account', 'list'], { ...env, OPERATOR_TOKEN })).toMatchObject({ code: 0 })
    expect(await run(['account', 'list', '--token', OPERATOR_TOKEN], env)).toMatchObject({ code: 0 })
    await withdraw()
  })

  it('the service that runs with DATA_DIR is found without a setting, and is offered the token only while it runs', async () => {
    writeFileSync(join(directory, 'operator-token'), `${OPERATOR_TOKEN}\n`)
    const list = () => spawned(['account', 'list', '--json'], { DATA_DIR: directory })
    const withdraw = await announceService(directory, service.url)
    expect(modeOf(join(directory, 'service.json'))).toBe(0o600)
    expect(await list()).toMatchObject({ code: 0, err: '' })
    await withdraw()
    expectLine(await list(), 3, /no service runs with the DATA_DIR .*: start it with npm start/)

    // A process that was killed leaves its address behind, where another program may listen.
    const { pid } = spawnSync(process.execPath, ['--version'])
    writeFileSync(join(directory, 'service.json'), JSON.stringify({ operatorUrl: service.url, pid }))
    expectLine(await list(), 3, /no service runs with the DATA_DIR/)

    // The disk was full when it was written, or a person has changed it.
    writeFileSync(join(directory, 'service.json'), '{')
    expectLine(await list(), 3, /no service runs with the DATA_DIR/)
  })

  it('a seed is made without a service, and replaces no file', async () => {
    const { code, out, err } = await spawned(['seed', 'create'])
    expect([code, out.trim().split(' ').length]).toEqual([0, 24])
    expect(loadMasterSeed(out)).toHaveLength(64)
    expect(err).toContain('Keep a copy')
    const file = join(directory, 'seed')
    expect(await spawned(['seed', 'create', '--out', file, '--json'])).toMatchObject({
      code: 0,
      out: `{"file":"${file}"}\n`,
    })
    const stored = readFileSync(file, 'utf8')
    expect([loadMasterSeed(stored).length, modeOf(file), stored === out]).toEqual([64, 0o600, false])
    expectLine(await spawned(['seed', 'create', '--out', file]), 1, /exists already/)
    expect(readFileSync(file, 'utf8')).toBe(stored)
    expectLine(await spawned(['seed', 'create', '--out', '']), 2, /^--out must be the path of a file/)
  })

  it('a file is found from the directory in which npm was started', async () => {
    const INIT_CWD = mkdtempSync(join(directory, 'shop-'))
    const seed = join(INIT_CWD, 'seed')
    const created = await run(['seed', 'create', '--out', 'seed'], { INIT_CWD })
    expect(created).toMatchObject({ code: 0, out: `The master seed is in ${seed}.` })
    expect(modeOf(seed)).toBe(0o600)
    writeFileSync(join(INIT_CWD, 'wallets.txt'), `${WALLET} An exchange\n`)
    writeFileSync(join(INIT_CWD, 'logo.png'), 'PNG')
    const setting = { INIT_CWD, OPERATOR_TOKEN, PORT: new URL(service.url).port }
    expect(await run(['custodian', 'import', 'wallets.txt'], setting)).toMatchObject({ code: 0 })
    const image = ['token', 'image', '--network', 'live', '--mint', MINT, '--file', 'logo.png']
    expect(await run(image, setting)).toMatchObject({ code: 0, err: '' })
  })

  it('a file .env is read', async () => {
    const { port } = new URL(service.url)
    const settings = `PORT=${port}\nPUBLIC_URL=https://pay.example.com\nOPERATOR_TOKEN=${OPERATOR_TOKEN}\n`
    writeFileSync(join(directory, '.env'), settings)
    expect(await spawned(['account', 'list', '--json'])).toMatchObject({ code: 0, err: '' })
    rmSync(join(directory, '.env'))
  })

  it('the process ends with the exit code', async () => {
    const outcomes = [['--help'], ['account', 'show', ID], ['status', 'now'], ['status', '--url', 'http://127.0.0.1:1']]
    const env = { OPERATOR_TOKEN, PORT: new URL(service.url).port }
    expect(await Promise.all(outcomes.map(async (args) => (await spawned(args, env)).code))).toEqual([0, 1, 2, 3])
  })
})
