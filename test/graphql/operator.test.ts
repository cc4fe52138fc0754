// The operator's API: for the operator alone, and each operation calls one service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBaseUnits, makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { operatorSchema } from '#graphql/operator/schema.ts'
import {
  exampleBillingStatus,
  exampleCharge,
  exampleDelegation,
  exampleSubscription,
} from '../support/example-billing.ts'
import { MERCHANT, MINT, pendingIntent } from '../support/example-intent.ts'
import {
  asOperator,
  CLIENT_SECRET,
  credential,
  OPERATOR_TOKEN,
  startTestService,
  TEST_API_KEY,
  type TestService,
  withKey,
} from '../support/services.ts'

const ID = pendingIntent.accountId
const { account, key, tenant } = credential('live')
const token = {
  network: 'live',
  asset: MINT,
  mint: MINT,
  isNative: false,
  name: 'USD Coin',
  ticker: 'USDC',
  decimals: 6,
  tokenProgram: MERCHANT,
  extensions: [],
  feedKey: 'USDC',
  imageName: null,
  enabled: true,
} as const
const custodian = { network: 'live', address: MERCHANT, label: 'An exchange' } as const
const application = {
  accountId: ID,
  website: 'https://bazaar.example/',
  sells: 'Mugs',
  expectedVolume: '10,000 dollars',
  appliedAt: pendingIntent.createdAt,
  decidedAt: null,
  reason: null,
} as const
const transfer = {
  id: ID,
  key: 'sweep:intent:42:1',
  portion: 'main',
  sourceAccount: null,
  kind: 'sweep',
  status: 'failed',
  reason: 'blockhash expired',
  network: 'live',
  asset: 'SOL',
  attempts: 3,
  signature: null,
  intentIndex: 42,
  createdAt: pendingIntent.createdAt,
  doneAt: null,
} as const
const delivery = {
  id: ID,
  webhookId: ID,
  accountId: ID,
  url: 'https://shop.example/hook',
  type: 'intent.swept',
  status: 'pending',
  attempts: 1,
  nextAttemptAt: null,
  lastStatusCode: 500,
  lastError: null,
  createdAt: pendingIntent.createdAt,
} as const

const halt = {
  id: ID,
  network: 'live',
  address: MERCHANT,
  intentId: ID,
  intentIndex: 42,
  reason: 'The chain holds less.',
  faults: [{ kind: 'chain_has_less', account: MERCHANT, asset: SOL, amount: -(2n ** 64n) }],
  haltedAt: new Date(0),
  clearedAt: null,
  clearedBy: null,
  clearedReason: null,
} as const

const heldPayment = {
  intentId: ID,
  intentIndex: 42,
  accountId: ID,
  network: 'live',
  address: MERCHANT,
  status: 'refund_failed',
  held: [{ mint: null, amount: makeBaseUnits(2n ** 63n), reason: 'The sender is not known.' }],
  proposedAddress: MERCHANT,
  updatedAt: new Date(0),
} as const
const unaccepted = {
  intentId: ID,
  intentIndex: 42,
  network: 'live',
  address: MERCHANT,
  mint: null,
  isAllowed: false,
  arrivals: 3n,
  amount: 2n ** 70n,
  firstSignature: 'first',
  lastSignature: 'last',
  firstSeenAt: new Date(0),
  lastSeenAt: new Date(0),
} as const
const release = {
  transferId: ID,
  intentId: ID,
  intentIndex: 42,
  network: 'live',
  asset: SOL,
  sourceAccount: null,
  round: 1,
  amount: makeBaseUnits(7),
  to: MERCHANT,
  reason: 'It is theirs.',
  releasedBy: 'operator',
  releasedAt: new Date(0),
  status: 'planned',
  problem: null,
  signature: null,
} as const

const auditPage = {
  addresses: [
    {
      intentIndex: 7,
      address: 'altered',
      derivedAddress: MERCHANT,
      tokenAccountLamports: makeLamports(0n),
      balances: [
        { account: MERCHANT, asset: SOL, ledger: 9n, chain: 2n ** 64n, inFlight: -1n, unbooked: 0n, difference: 4n },
      ],
      flows: [{ asset: MINT, received: 9n, settled: 1n, returned: 2n, remaining: 3n, difference: -(2n ** 70n) }],
    },
  ],
  feePayer: { spent: 5n, repaid: 4n, rent: 3n },
  nextIndex: 7,
} as const

const marketplace = {
  accountId: ID,
  status: 'active',
  defaultFeeBps: makeBasisPoints(250),
  feeWallet: null,
  sellerLimit: 10,
  sellersCount: 2,
  sellersTotal: 3,
} as const
const operatorActor = {
  kind: 'operator' as const,
  credential: null,
  memberId: null,
  ip: expect.stringContaining('127.0.0.1'),
}

const down = { status: 'down', detail: 'connect ECONNREFUSED' } as const
const health = {
  status: 'down',
  version: '1.2.3',
  checks: { database: down, chain: down, priceFeed: down, workers: down },
} as const
const status = {
  networks: { live: null, test: null },
  workers: [],
  openIntents: 3,
  unfinishedTransfers: 4,
  queues: [{ name: 'sweep', waiting: 2, oldestSince: new Date('2026-11-20T12:00:00Z'), retries: 1 }],
  refunds: [
    {
      network: 'live',
      spend: { ofSubject: 0n, lastHour: 5_000n, lastDay: 9_000n },
      budget: { perSubject: makeLamports(1n), perHour: makeLamports(2n), perDay: makeLamports(3n) },
    },
  ],
  billing: exampleBillingStatus,
  alerts: ['Look at this.'],
} as const

const charge = { ...exampleCharge, wallet: MERCHANT, reason: 'The network is busy.' }

/** The arguments of each operation, as the services received them. */
const asked: unknown[] = []
const tell =
  <T>(answer: T) =>
  async (...args: unknown[]): Promise<T> => {
    asked.push(args.length === 1 ? args[0] : args)
    return answer
  }

const member = {
  id: ID,
  accountId: tenant.accountId,
  name: 'Ada',
  email: null,
  role: 'owner' as const,
  createdAt: new Date('2026-11-20T09:00:00Z'),
  removedAt: null,
}
const shownLink = {
  member,
  url: 'https://pay.example.com/dashboard/join#li_shown',
  expiresAt: new Date('2026-11-21T09:00:00Z'),
}

const logged: string[] = []
const logEntry = {
  id: ID,
  action: 'createAccount',
  given: '{}',
  ip: '192.0.2.1',
  startedAt: new Date(0),
  outcome: 'done',
  endedAt: new Date(0),
}

const payoutChange = {
  accountId: ID,
  destination: MERCHANT,
  requestedBy: operatorActor,
  requestedAt: new Date(0),
  effectiveAt: new Date(0),
}

/** The manager of the keys of the account, with what the service was asked for. */
const managerOf = (asked: object) => ({ tenant, actor: operatorActor, mayGive: new Set<never>(), asked })

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      accounts: {
        create: tell({ account, apiKey: 'sk_live_shown', webhookSecret: 'whsec_shown' }),
        update: tell(account),
        disable: tell(account),
        enable: tell(account),
        find: tell(account),
        list: tell([account]),
        webhookUrl: tell('https://shop.example/hook'),
        webhookEvents: tell([]),
      },
      keys: {
        operatorOf: async (accountId, actor) => managerOf({ accountId, actor }),
        operatorOfKey: async (keyId, actor) => managerOf({ keyId, actor }),
        create: tell({ key, apiKey: 'sk_live_shown' }),
        list: tell([key]),
        revoke: tell(key),
      },
      operatorLog: {
        async logged({ action }, change) {
          logged.push(action)
          return await change()
        },
        list: tell([logEntry]),
      },
      payouts: { pending: async () => null, cancel: tell(payoutChange) },
      members: {
        operatorOfMember: async (memberId, actor) => managerOf({ memberId, actor }),
        list: tell([{ ...member, logins: [] }]),
        invite: tell(shownLink),
        addLink: tell(shownLink),
        remove: tell(member),
      },
      applications: { list: tell([application]), refuse: tell(application) },
      marketplaces: {
        approve: tell(marketplace),
        revoke: tell(marketplace),
        show: tell(marketplace),
        correctSeller: tell(account),
      },
      tokens: {
        list: tell([token]),
        allow: tell(token),
        disallow: tell(token),
        priceProblem: tell('no feed knows it'),
      },
      images: { setTokenImage: tell(token) },
      billingAudit: {
        page: tell({
          records: 1,
          totals: [{ mint: MINT, charges: 1, pulled: 2n ** 64n, paidOut: 9n, fees: 1n, difference: -1n }],
          findings: [{ record: 'charge', id: ID, rule: 'legs', problem: 'It differs.' }],
          feePayerSpent: 5n,
          next: ID,
        }),
      },
      operatorBilling: {
        subscriptions: tell([exampleSubscription]),
        subscription: tell(exampleSubscription),
        charges: tell([charge]),
        charge: tell(charge),
        retryCharge: tell({ ...charge, status: 'pending' as const }),
      },
      subscriptions: { delegationOf: async () => exampleDelegation },
      custodians: { list: tell([custodian]), save: tell([custodian]), remove: tell(true) },
      platform: {
        transfers: tell([transfer]),
        retryTransfer: tell(transfer),
        health: tell(health),
        operatorStatus: tell(status),
      },
      statsAudit: {
        page: tell({
          accounts: 3,
          differences: [
            {
              accountId: ID,
              scope: 'payee',
              day: new Date(0),
              span: 900,
              asset: 'SOL',
              differences: { fee_revenue: '-5' },
            },
          ],
          next: null,
        }),
      },
      audit: {
        scope: tell({ addresses: 3, feePayer: MERCHANT, feePayerLamports: makeLamports(7n) }),
        page: tell(auditPage),
        halts: tell([halt]),
        clearHalt: tell({ ...halt, clearedBy: 'operator' } as const),
      },
      held: {
        payments: tell({ payments: [heldPayment], nextIndex: 42, dustPayments: 3 }),
        senders: tell([{ asset: SOL, wallet: MERCHANT, amount: 2n ** 63n }]),
        releases: tell([release]),
        release: tell([release]),
        unaccepted: tell([unaccepted]),
      },
      webhooks: {
        deliveries: tell([delivery]),
        redeliver: tell(delivery),
        test: tell([delivery]),
        rotateSecret: tell({ webhookSecret: 'whsec_new', oldSecretsUntil: [new Date(0)] }),
      },
      sandbox: {
        advanceClock: tell({ now: new Date(0) }),
        addExamplePayments: tell({ count: 17 }),
        faucet: tell({ signature: null }),
      },
    },
  })
})
afterAll(() => service.close())

type Case = { readonly document: string; readonly asks: unknown; readonly answers: object | boolean }

/** One case for each operation; `asks` is the call that reaches the service. */
const CASES: Readonly<Record<string, Case>> = {
  health: {
    document: '{ health { status checks { database { status detail } } } }',
    asks: [],
    answers: { status: 'down', checks: { database: down } },
  },
  operatorStatus: {
    document: `{ operatorStatus { networks { live { slot } } openIntents unfinishedTransfers alerts
      queues { name waiting oldestSince retries } refunds { network lastHour lastDay perHour perDay }
      billing { chargesDue subscriptions { status count } sponsorBudget } } }`,
    asks: [],
    answers: {
      networks: { live: null },
      openIntents: 3,
      unfinishedTransfers: 4,
      queues: [{ name: 'sweep', waiting: 2, oldestSince: '2026-11-20T12:00:00.000Z', retries: 1 }],
      refunds: [{ network: 'live', lastHour: '5000', lastDay: '9000', perHour: '2', perDay: '3' }],
      alerts: ['Look at this.'],
      billing: { chargesDue: 0, subscriptions: [{ status: 'active', count: 7 }] },
    },
  },
  accounts: { document: '{ accounts { name mode } }', asks: [], answers: [{ name: 'Corner Shop', mode: 'live' }] },
  account: { document: `{ account(id: "${ID}") { id } }`, asks: ID, answers: { id: ID } },
  createAccount: {
    document: `mutation { createAccount(input: { name: "Shop", mode: test, sweepDestination: "${MERCHANT}" }) {
      account { id } apiKey webhookSecret } }`,
    asks: [{ name: 'Shop', network: 'test', label: null, sweepDestination: MERCHANT, webhookUrl: null }, operatorActor],
    answers: { account: { id: ID }, apiKey: 'sk_live_shown', webhookSecret: 'whsec_shown' },
  },
  updateAccount: {
    // A field that is left out must stay left out, and null must clear.
    document: `mutation { updateAccount(id: "${ID}", input: { label: null, name: null }) { id } }`,
    asks: [ID, { label: null }, operatorActor],
    answers: { id: ID },
  },
  setBrand: {
    document: `mutation { setBrand(id: "${ID}", input: { accentColor: "#0a7", supportUrl: null }) { id logoUrl } }`,
    asks: [ID, { accentColor: '#0a7', supportUrl: null }, operatorActor],
    answers: { id: ID, logoUrl: null },
  },
  disableAccount: {
    document: `mutation { disableAccount(id: "${ID}", reason: "Buyers got nothing.") { id disabledAt disabledReason } }`,
    asks: [ID, 'Buyers got nothing.', operatorActor],
    answers: { id: ID, disabledAt: null, disabledReason: null },
  },
  enableAccount: {
    document: `mutation { enableAccount(id: "${ID}") { id } }`,
    asks: [ID, operatorActor],
    answers: { id: ID },
  },
  keys: { document: `{ keys(accountId: "${ID}") { hint scopes } }`, asks: tenant, answers: [{ hint: '0000' }] },
  createAccountKey: {
    document: `mutation { createAccountKey(accountId: "${ID}", scopes: [payments, marketplace_view]) { apiKey } }`,
    asks: [managerOf({ accountId: ID, actor: operatorActor }), { scopes: ['payments', 'marketplace-view'] }],
    answers: { apiKey: 'sk_live_shown' },
  },
  operatorLog: {
    document: `{ operatorLog(limit: 5, before: "${ID}", logins: false) { action outcome } }`,
    asks: [5, ID, { withLogins: false }],
    answers: [{ action: 'createAccount', outcome: 'done' }],
  },
  cancelAccountPayoutChange: {
    document: `mutation { cancelAccountPayoutChange(accountId: "${ID}") { id } }`,
    asks: managerOf({ accountId: ID, actor: operatorActor }),
    answers: { id: ID },
  },
  accountMembers: {
    document: `{ accountMembers(accountId: "${ID}") { name role logins { id } } }`,
    asks: tenant,
    answers: [{ name: 'Ada', role: 'owner', logins: [] }],
  },
  inviteAccountMember: {
    document: `mutation { inviteAccountMember(accountId: "${ID}", name: "Ada", role: owner) { url } }`,
    asks: [managerOf({ accountId: ID, actor: operatorActor }), { name: 'Ada', email: null, role: 'owner' }],
    answers: { url: shownLink.url },
  },
  createAccountMemberLink: {
    document: `mutation { createAccountMemberLink(id: "${ID}") { url } }`,
    asks: [managerOf({ memberId: ID, actor: operatorActor }), ID],
    answers: { url: shownLink.url },
  },
  removeAccountMember: {
    document: `mutation { removeAccountMember(id: "${ID}") { name } }`,
    asks: [managerOf({ memberId: ID, actor: operatorActor }), ID],
    answers: { name: 'Ada' },
  },
  revokeAccountKey: {
    document: `mutation { revokeAccountKey(id: "${ID}") { revokedAt } }`,
    asks: [managerOf({ keyId: ID, actor: operatorActor }), ID],
    answers: { revokedAt: null },
  },
  accountMarketplace: {
    document: `{ accountMarketplace(accountId: "${ID}") { status defaultFeeBps feeWallet sellerLimit sellersCount } }`,
    asks: ID,
    answers: { status: 'active', defaultFeeBps: 250, feeWallet: null, sellerLimit: 10, sellersCount: 2 },
  },
  marketplaceApplications: {
    document: '{ marketplaceApplications { state website account { name } } }',
    asks: { isPending: true, limit: 100 },
    answers: [{ state: 'pending', website: 'https://bazaar.example/', account: { name: account.name } }],
  },
  refuseMarketplace: {
    document: `mutation { refuseMarketplace(accountId: "${ID}", reason: "no sellers") { accountId } }`,
    asks: [ID, 'no sellers', operatorActor],
    answers: { accountId: ID },
  },
  approveMarketplace: {
    // A wallet and a limit can be cleared; a rate cannot.
    document: `mutation { approveMarketplace(accountId: "${ID}", terms: { defaultFeeBps: null, feeWallet: null, sellerLimit: 10 }) {
      sellersTotal } }`,
    asks: [ID, { feeWallet: null, sellerLimit: 10 }, operatorActor],
    answers: { sellersTotal: 3 },
  },
  revokeMarketplace: {
    document: `mutation { revokeMarketplace(accountId: "${ID}") { accountId } }`,
    asks: [ID, operatorActor],
    answers: { accountId: ID },
  },
  correctSeller: {
    document: `mutation { correctSeller(id: "${ID}", input: { name: null, label: null, sweepDestination: "${MERCHANT}" }) { id } }`,
    asks: [ID, { label: null, sweepDestination: MERCHANT }, operatorActor],
    answers: { id: ID },
  },
  tokens: { document: '{ tokens { ticker enabled } }', asks: [], answers: [{ ticker: 'USDC', enabled: true }] },
  allowToken: {
    document: `mutation { allowToken(input: { network: live, asset: "SOL", name: "Solana", ticker: "SOL" }) { decimals } }`,
    asks: {
      network: 'live',
      asset: 'SOL',
      name: 'Solana',
      ticker: 'SOL',
      feedKey: null,
      consent: [],
    },
    answers: { decimals: 6 },
  },
  setTokenImage: {
    document: 'mutation { setTokenImage(network: live, asset: "SOL", image: "iVBORw==") { imageUrl } }',
    asks: ['live', SOL, Buffer.from('iVBORw==', 'base64')],
    answers: { imageUrl: null },
  },
  disallowToken: {
    document: `mutation { disallowToken(network: live, asset: "${MINT}") { asset } }`,
    asks: ['live', MINT],
    answers: { asset: MINT },
  },
  transfers: {
    document: '{ transfers(status: failed) { key attempts } }',
    asks: { status: 'failed', limit: 20 },
    answers: [{ key: 'sweep:intent:42:1', attempts: 3 }],
  },
  retryTransfer: {
    document: `mutation { retryTransfer(id: "${ID}") { status } }`,
    asks: ID,
    answers: { status: 'failed' },
  },
  auditScope: {
    document: '{ auditScope(network: test) { addresses feePayer feePayerLamports } }',
    asks: 'test',
    answers: { addresses: 3, feePayer: MERCHANT, feePayerLamports: '7' },
  },
  auditStats: {
    document: `{ auditStats(network: live, limit: 9) { accounts next
      differences { accountId day span asset figures { figure difference } } } }`,
    asks: ['live', { after: null, limit: 9 }],
    answers: {
      accounts: 3,
      next: null,
      differences: [
        {
          accountId: ID,
          day: new Date(0).toISOString(),
          span: 900,
          asset: 'SOL',
          figures: [{ figure: 'fee_revenue', difference: '-5' }],
        },
      ],
    },
  },
  audit: {
    document: `{ audit(network: live, afterIndex: 5, limit: 200) { nextIndex feePayer { spent repaid rent }
      addresses { address derivedAddress balances { chain inFlight } flows { difference } } } }`,
    asks: ['live', { afterIndex: 5, limit: 200 }],
    answers: {
      nextIndex: 7,
      feePayer: { spent: '5', repaid: '4', rent: '3' },
      addresses: [
        {
          address: 'altered',
          derivedAddress: MERCHANT,
          balances: [{ chain: '18446744073709551616', inFlight: '-1' }],
          flows: [{ difference: '-1180591620717411303424' }],
        },
      ],
    },
  },
  custodians: {
    document: '{ custodians(network: live) { network address label } }',
    asks: 'live',
    answers: [custodian],
  },
  saveCustodians: {
    document: `mutation { saveCustodians(network: live, custodians: [{ address: "${MERCHANT}", label: "An exchange" }]) {
      label } }`,
    asks: ['live', [{ address: MERCHANT, label: 'An exchange' }]],
    answers: [{ label: 'An exchange' }],
  },
  removeCustodian: {
    document: `mutation { removeCustodian(network: test, address: "${MERCHANT}") }`,
    asks: ['test', MERCHANT],
    answers: true,
  },
  auditBilling: {
    document: `{ auditBilling(network: live, record: charge, after: "${ID}", limit: 200) {
      records totals { pulled difference } findings { record id rule problem } feePayerSpent next } }`,
    asks: ['live', { record: 'charge', after: ID, limit: 200 }],
    answers: {
      totals: [{ pulled: '18446744073709551616', difference: '-1' }],
      findings: [{ record: 'charge', id: ID, rule: 'legs', problem: 'It differs.' }],
      next: ID,
    },
  },
  subscriptions: {
    document: `{ subscriptions(status: past_due, accountId: "${ID}", wallet: "${MERCHANT}", limit: 5) {
      id status remainingAmount delegation { status } } }`,
    asks: { status: 'past_due', accountId: ID, wallet: MERCHANT, limit: 5 },
    answers: [{ id: exampleSubscription.id, delegation: { status: exampleDelegation.status } }],
  },
  subscription: {
    document: `{ subscription(id: "${ID}") { id wallet } }`,
    asks: ID,
    answers: { id: exampleSubscription.id, wallet: exampleSubscription.subscriberWallet },
  },
  charges: {
    document: `{ charges(status: failed, subscriptionId: "${ID}", accountId: "${ID}", wallet: "${MERCHANT}") {
      id amount reason recoveryAction } }`,
    asks: { status: 'failed', subscriptionId: ID, accountId: ID, wallet: MERCHANT, limit: 20 },
    answers: [{ id: charge.id, amount: charge.amount.toString(), reason: charge.reason, recoveryAction: null }],
  },
  charge: { document: `{ charge(id: "${ID}") { wallet } }`, asks: ID, answers: { wallet: MERCHANT } },
  retryCharge: {
    document: `mutation { retryCharge(id: "${ID}") { status } }`,
    asks: ID,
    answers: { status: 'pending' },
  },
  halts: {
    document: '{ halts(network: live, open: false) { intentIndex faults { kind amount } clearedAt } }',
    asks: { network: 'live', open: false, limit: 20 },
    answers: [{ intentIndex: 42, faults: [{ kind: 'chain_has_less', amount: '-18446744073709551616' }] }],
  },
  clearHalt: {
    document: `mutation { clearHalt(id: "${ID}", reason: "The issuer took them.") { clearedBy } }`,
    asks: [ID, 'The issuer took them.'],
    answers: { clearedBy: 'operator' },
  },
  heldPayments: {
    document: `{ heldPayments(network: live, accountId: "${ID}", afterIndex: 43, includeDust: true) {
      payments { intentIndex status account { sweepDestination } held { mint amount reason } proposedAddress
      senders { asset wallet amount } } nextIndex dustPayments } }`,
    asks: { network: 'live', accountId: ID, afterIndex: 43, includeDust: true, limit: 20 },
    answers: {
      payments: [
        {
          intentIndex: 42,
          account: { sweepDestination: account.sweepDestination },
          held: [{ mint: null, amount: '9223372036854775808', reason: 'The sender is not known.' }],
          proposedAddress: MERCHANT,
          senders: [{ asset: SOL, wallet: MERCHANT, amount: '9223372036854775808' }],
        },
      ],
      nextIndex: 42,
      dustPayments: 3,
    },
  },
  unacceptedTokens: {
    document: '{ unacceptedTokens(network: live, intent: "42") { intentIndex mint arrivals amount isAllowed } }',
    asks: { network: 'live', intent: '42', limit: 20 },
    answers: [{ intentIndex: 42, mint: null, arrivals: '3', amount: '1180591620717411303424', isAllowed: false }],
  },
  releases: {
    document: '{ releases(limit: 5) { reason releasedBy } }',
    asks: { network: null, limit: 5 },
    answers: [{ reason: 'It is theirs.', releasedBy: 'operator' }],
  },
  releaseHeld: {
    document: `mutation { releaseHeld(input: { intent: "42", asset: "SOL", to: "${MERCHANT}", reason: "It is theirs." }) {
      transferId amount to status } }`,
    asks: { intent: '42', asset: SOL, to: MERCHANT, reason: 'It is theirs.' },
    answers: [{ transferId: ID, amount: '7', to: MERCHANT, status: 'planned' }],
  },
  webhookDeliveries: {
    document: '{ webhookDeliveries(limit: 100) { webhookId lastStatusCode } }',
    asks: { accountId: null, status: null, limit: 100 },
    answers: [{ webhookId: ID, lastStatusCode: 500 }],
  },
  redeliverWebhook: {
    document: `mutation { redeliverWebhook(id: "${ID}") { attempts } }`,
    asks: ID,
    answers: { attempts: 1 },
  },
  testWebhook: {
    document: `mutation { testWebhook(accountId: "${ID}") { attempts } }`,
    asks: ID,
    answers: [{ attempts: 1 }],
  },
  rotateWebhookSecret: {
    document: `mutation { rotateWebhookSecret(accountId: "${ID}") { webhookSecret oldSecretsUntil } }`,
    asks: [ID, { revokeOld: false }, operatorActor],
    answers: { webhookSecret: 'whsec_new', oldSecretsUntil: ['1970-01-01T00:00:00.000Z'] },
  },
  advanceClock: {
    document: 'mutation { advanceClock(seconds: 60) { now } }',
    asks: 60,
    answers: { now: '1970-01-01T00:00:00.000Z' },
  },
  addExamplePayments: {
    document: `mutation { addExamplePayments(accountId: "${ID}", monthsAgo: 3) { count } }`,
    asks: [ID, 3],
    answers: { count: 17 },
  },
  faucet: {
    document: `mutation { faucet(input: { network: test, address: "${MERCHANT}", asset: "SOL", amount: "18446744073709551615" }) {
      signature } }`,
    asks: { network: 'test', address: MERCHANT, asset: 'SOL', amount: 18446744073709551615n },
    answers: { signature: null },
  },
}

/** Every operation of the schema, so that a new operation cannot be forgotten here. */
const operations = [operatorSchema.getQueryType(), operatorSchema.getMutationType()].flatMap((type) =>
  Object.keys(type?.getFields() ?? {}),
)

/** They call no service: test/server/operator-session.test.ts. */
const OF_SESSIONS = new Set(['beginOperatorSession', 'endOperatorSession'])

/** Credentials of other callers, and invalid credentials. */
const STRANGERS: Readonly<Record<string, Record<string, string>>> = {
  'a live API key': withKey(),
  'a test API key': withKey(TEST_API_KEY),
  'a client secret': withKey(CLIENT_SECRET),
  'a wrong token': withKey('op_wrong'),
  'a longer token': withKey(`${OPERATOR_TOKEN}x`),
  'two tokens': { authorization: `Bearer x ${OPERATOR_TOKEN}` },
  'the token without Bearer': { authorization: OPERATOR_TOKEN },
  'the token by another scheme': { authorization: `Basic ${OPERATOR_TOKEN}` },
  'no credential': {},
}

describe('an operation', () => {
  it('is in this table', () => {
    expect(operations.filter((name) => !OF_SESSIONS.has(name)).sort()).toEqual(Object.keys(CASES).sort())
  })

  it.each(Object.entries(CASES))(
    '%s passes its input to the service and answers its result',
    async (name, expected) => {
      asked.length = 0
      const { body } = await service.operator(expected.document)
      expect(body.errors).toBeUndefined()
      expect(asked[0]).toEqual(expected.asks)
      expect(body.data).toMatchObject({ [name]: expected.answers })
    },
  )

  it.each(Object.entries(CASES))('%s is logged when it is a mutation, and only then', async (name, { document }) => {
    logged.length = 0
    await service.operator(document)
    expect(logged).toEqual(document.startsWith('mutation') ? [name] : [])
  })

  it.each(Object.entries(CASES))('%s is 401 for all others, before any service call', async (_name, { document }) => {
    asked.length = 0
    for (const [who, headers] of Object.entries(STRANGERS)) {
      const answer = await service.operator(document, {}, headers)
      expect([who, answer.status, answer.body]).toEqual([who, 401, REFUSED])
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="payments"')
    }
    expect(asked).toEqual([])
  })

  it.each(Object.entries(CASES).filter(([name]) => name !== 'health'))(
    '%s is no operation of the public schema',
    async (_name, { document }) => {
      asked.length = 0
      for (const headers of [withKey(), {}]) {
        const { body } = await service.graphql(document, {}, headers)
        expect(body.errors[0].extensions.code).toBe('invalid_document')
      }
      expect(asked).toEqual([])
    },
  )
})

const REFUSED = {
  errors: [{ message: 'missing or invalid operator token', extensions: { code: 'unauthenticated' } }],
}

describe('a caller that is not the operator', () => {
  it.each([
    ['an invalid document', '{'],
    ['the schema', '{ __schema { types { name } } }'],
    ['a type name', '{ __typename }'],
  ])('is refused before %s is read', async (_what, document) => {
    for (const headers of Object.values(STRANGERS)) {
      const { status, body } = await service.operator(document, {}, headers)
      expect([status, body]).toEqual([401, REFUSED])
    }
  })

  it('is refused by GET as by POST', async () => {
    const path = `/operator/graphql?query=${encodeURIComponent('{ accounts { id } }')}`
    for (const headers of Object.values(STRANGERS)) {
      const { status, body } = await service.get(path, { accept: 'application/json', ...headers })
      expect([status, body]).toEqual([401, REFUSED])
    }
  })

  it('finds no websocket on the operator’s path', async () => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/operator/graphql`, 'graphql-transport-ws')
    const { type } = await new Promise<Event>((resolve) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', resolve)
    })
    expect(type).toBe('error')
  })
})

describe('the operator', () => {
  const releaseHeld = (intent: string, reason: string) =>
    `mutation { releaseHeld(input: { intent: "${intent}", asset: "SOL", to: "${MERCHANT}", reason: "${reason}" }) { to } }`

  it('is refused on the public API with its token, also where no key is needed', async () => {
    for (const document of ['{ paymentIntent(index: 1) { status } }', '{ config { network } }', '{ __typename }']) {
      const { status, headers, body } = await service.graphql(document, {}, asOperator)
      expect([status, body.errors]).toEqual([
        401,
        [{ message: 'missing or invalid API key', extensions: { code: 'unauthenticated' } }],
      ])
      expect(headers.get('www-authenticate')).toBe('Bearer realm="payments"')
    }
  })

  it('sees why a token has no price', async () => {
    const seen = await service.operator('{ tokens { priceProblem } }')
    expect(seen.body.data.tokens).toEqual([{ priceProblem: 'no feed knows it' }])
  })

  it.each([
    ['{ transfers(limit: 0) { id } }', 'invalid_request'],
    ['{ transfers(limit: 101) { id } }', 'invalid_request'],
    ['{ audit(network: live, afterIndex: 0, limit: 201) { nextIndex } }', 'invalid_request'],
    ['{ audit(network: live, afterIndex: -1) { nextIndex } }', 'invalid_request'],
    ['mutation { advanceClock(seconds: -1) { now } }', 'invalid_request'],
    [`mutation { createAccount(input: { name: "a\\nb", mode: live }) { apiKey } }`, 'invalid_request'],
    [`mutation { clearHalt(id: "${ID}", reason: "a\\u0000b") { id } }`, 'invalid_request'],
    [`mutation { clearHalt(id: "${ID}", reason: "${'a'.repeat(501)}") { id } }`, 'invalid_request'],
    [releaseHeld('42', 'a\\u0000b'), 'invalid_request'],
    [releaseHeld('42', 'a'.repeat(501)), 'invalid_request'],
    [releaseHeld('4\\u00002', 'It is theirs.'), 'invalid_request'],
    [`mutation { createAccount(input: { name: "S", mode: live, sweepDestination: "nope" }) { apiKey } }`, undefined],
    ['{ account(id: "7") { id } }', undefined],
  ])('%s is refused', async (document, code) => {
    asked.length = 0
    const { body } = await service.operator(document, {})
    expect(body.errors).toHaveLength(1)
    if (code !== undefined) expect(body.errors[0].extensions.code).toBe(code)
    expect(asked).toEqual([])
  })

  it('cannot give a reason that cannot be stored, such as half of a character', async () => {
    asked.length = 0
    const clearing = `mutation($reason: Text!) { clearHalt(id: "${ID}", reason: $reason) { id } }`
    const { body } = await service.operator(clearing, { reason: 'a\ud800b' })
    expect(body.errors[0]).toMatchObject({
      extensions: { code: 'invalid_request' },
      message: expect.stringContaining('hidden characters, of at most 500 characters'),
    })
    expect(asked).toEqual([])
  })

  it('sees the powers of a mint over its holders', async () => {
    const judging = await startTestService({
      services: {
        tokens: {
          allow: async () => {
            throw new ServiceError('mint_needs_consent', { extensions: ['permanent-delegate'], rpc: 'secret' })
          },
        },
      },
    })
    const { body } = await judging.operator(CASES.allowToken?.document ?? '')
    await judging.close()
    expect(body.errors[0].extensions).toEqual({ code: 'mint_needs_consent', extensions: ['permanent-delegate'] })
  })
})
