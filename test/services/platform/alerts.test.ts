import { describe, expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { isAffordable } from '#core/transfers/preflight.ts'
import type { DepositSourceState } from '#ports/deposit-sources.ts'
import { alertsOf, LOW_FEE_PAYER, type Observed } from '#services/platform/alerts.ts'
import { exampleBillingStatus } from '../../support/example-billing.ts'
import { sweepOf } from '../../support/payment.ts'

const FEE_PAYER = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
const status = {
  genesisHash: 'GENESIS',
  feePayer: FEE_PAYER,
  feePayerLamports: LOW_FEE_PAYER,
  slot: 1n,
  lagSeconds: 60,
  isStalled: false,
  clockBehindSeconds: 30,
  providers: { configured: 2, answering: 2 },
  providerHealth: [],
  pace: { consensus: 'alpenglow' as const, slotMs: 200, finalAfterSlots: 1 },
  deposits: null,
}
const WELL: Observed = {
  networks: [{ network: 'live', isEmbedded: false, status }],
  isAnyoneWorking: true,
  compared: [{ network: 'live', forMs: 600_000 }],
  counts: {
    openIntents: 9,
    unfinishedTransfers: 9,
    waitingTransfers: 0,
    longestWaiting: null,
    failedTransfers: 0,
    heldTransfers: 0,
    stuckIntents: 0,
    haltedAddresses: 0,
    setAsidePayments: 0,
    firstSetAside: null,
    disabledEndpoints: 0,
  },
  refunds: [{ network: 'live', spend: { ofSubject: 0n, lastHour: 799n, lastDay: 7_999n }, costly: null }],
  refundBudget: { perSubject: makeLamports(1n), perHour: makeLamports(1_000n), perDay: makeLamports(10_000n) },
  prices: { status: 'ok', feeds: [] },
  mintProblems: [],
  priceProblems: [],
  billing: exampleBillingStatus,
}
const { key: KEY } = exampleBillingStatus
const OLDEST = { subscriptionId: 'SUB', since: new Date(0), reason: 'Fund it.' }
const readTo = (slot: bigint): DepositSourceState => ({
  source: 'blocks',
  reason: '',
  since: new Date(0),
  cursor: { slot, blockhash: 'BLOCK', savedAt: new Date(0) },
  noticeCallsPerMinute: 50,
  pollingCallsPerMinute: 600,
  blockCallsPerMinute: 160,
  noticedAccounts: 190,
  watchedAccounts: 200,
})
const failing = { name: 'pyth', status: 'failing', lastSuccessAt: null, lastFailureAt: null, lastError: 'x' } as const

describe('alerts', () => {
  it('show a low fee payer before it has less than its fee and the rent minimum, which cannot pay', () => {
    const highest = { wallet: 890_880n, tokenAccount: 2_220_240n }
    const asked = { asset: makeAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v'), legs: sweepOf({}).legs }
    const isFor = (feePayerLamports: bigint) => isAffordable(asked, { feePayerLamports, rent: highest })
    const shown = (lamports: bigint) =>
      alertsOf({
        ...WELL,
        networks: [
          { network: 'live', isEmbedded: false, status: { ...status, feePayerLamports: makeLamports(lamports) } },
        ],
      })
    expect([isFor(LOW_FEE_PAYER), shown(LOW_FEE_PAYER)]).toEqual([true, []])
    for (const lamports of [LOW_FEE_PAYER - 1n, 10_000n + highest.wallet, 10_000n + highest.wallet - 1n, 10_000n, 0n])
      expect(shown(lamports)).toEqual([expect.stringContaining('The fee payer of the live network has')])
    expect(isFor(10_000n + highest.wallet - 1n)).toBe(false)
  })

  it('are none while work goes on as it should', () => {
    expect(alertsOf(WELL)).toEqual([])
    expect(alertsOf({ ...WELL, billing: null })).toEqual([])
    const busy = { ...exampleBillingStatus, due: 9, oldest: OLDEST, oldestForMs: 899_999 }
    expect(alertsOf({ ...WELL, billing: busy })).toEqual([])
    const near = { ...status, slot: 2_500n, deposits: readTo(1_000n) }
    expect(alertsOf({ ...WELL, networks: [{ network: 'live', isEmbedded: false, status: near }] })).toEqual([])
    const jumped = { ...status, slot: 9_000_000n, deposits: readTo(1_000n) }
    expect(alertsOf({ ...WELL, networks: [{ network: 'live', isEmbedded: true, status: jumped }] })).toEqual([])
    for (const providers of [
      { configured: 1, answering: 1 },
      { configured: 3, answering: 2 },
    ])
      expect(
        alertsOf({ ...WELL, networks: [{ network: 'live', isEmbedded: false, status: { ...status, providers } }] }),
      ).toEqual([])
    const polled = { ...status, slot: 9_000n, deposits: { ...readTo(1_000n), source: 'polling' as const } }
    expect(alertsOf({ ...WELL, networks: [{ network: 'live', isEmbedded: false, status: polled }] })).toEqual([])
  })

  it('come before the budget of refunds is used up, and say when it is', () => {
    const budget = makeLamports(1_000_000_000n)
    const alertsAt = (lastHour: bigint, lastDay: bigint) =>
      alertsOf({
        ...WELL,
        refunds: [{ network: 'live', spend: { ofSubject: 0n, lastHour, lastDay }, costly: null }],
        refundBudget: { perSubject: budget, perHour: budget, perDay: budget },
      })
    expect(alertsAt(799_999_999n, 799_999_999n)).toEqual([])
    expect(alertsAt(800_000_000n, 0n)).toEqual([
      expect.stringMatching(
        /live network 0.8 SOL in the last hour, of at most 1 SOL\. At the limit, refunds wait.*PER_HOUR/,
      ),
    ])
    expect(alertsAt(0n, 999_990_001n)).toEqual([expect.stringMatching(/last day.*Refunds wait now.*PER_DAY/)])
  })

  it('come before the refunds of one payment have used up their limit, and say when they have', () => {
    const alertsAt = (cost: bigint, count = 1) =>
      alertsOf({
        ...WELL,
        refunds: WELL.refunds.map((refunds) => ({ ...refunds, costly: { count, first: { id: 'intent-7', cost } } })),
        refundBudget: { ...WELL.refundBudget, perSubject: makeLamports(20_000_000n) },
      })
    expect(alertsAt(16_000_000n)).toEqual([
      expect.stringMatching(
        /^1 payment of the live network .* and is near .*0\.02 SOL\. The most is 0\.016 SOL, for payment intent-7\. At the limit, its further refunds are held.*PER_INTENT/,
      ),
    ])
    expect(alertsAt(19_990_001n, 3)).toEqual([
      expect.stringMatching(/^3 payments .* are near .*\. Its further refunds are/),
    ])
  })

  const cases: readonly (readonly [string, Partial<Observed>, RegExp])[] = [
    [
      'a network is away',
      { networks: [{ network: 'test', isEmbedded: false, status: null }] },
      /^The test network .*SOLANA_TEST_RPC_URL/,
    ],
    [
      'a chain lags',
      { networks: [{ network: 'live', isEmbedded: false, status: { ...status, lagSeconds: 95.4 } }] },
      /live network is 95 seconds old.*SOLANA_RPC_URL/,
    ],
    [
      'a chain makes nothing final any more',
      { networks: [{ network: 'live', isEmbedded: false, status: { ...status, lagSeconds: 31, isStalled: true } }] },
      /live network is 31 seconds old.*SOLANA_RPC_URL/,
    ],
    [
      'the clock of the machine is behind',
      { networks: [{ network: 'live', isEmbedded: false, status: { ...status, clockBehindSeconds: 30.6 } }] },
      /^The clock of this machine is 31 seconds behind the live network, .*NTP\.$/,
    ],
    [
      'one of two providers answers',
      {
        networks: [
          { network: 'live', isEmbedded: false, status: { ...status, providers: { configured: 2, answering: 1 } } },
        ],
      },
      /^Only 1 of 2 providers of the live network answers, and two must agree: .*Check SOLANA_RPC_URL, or add a provider\.$/,
    ],
    [
      'the embedded chain does not answer',
      { networks: [{ network: 'test', isEmbedded: true, status: null }] },
      /^The embedded chain, which serves the test network, does not answer\. Start the service again\.$/,
    ],
    [
      'the embedded chain makes nothing final any more',
      { networks: [{ network: 'live', isEmbedded: true, status: { ...status, lagSeconds: 31, isStalled: true } }] },
      /^The embedded chain.* no block final for 31 seconds\. Start the service again\.$/,
    ],
    [
      'blocks are not read on',
      {
        networks: [
          { network: 'live', isEmbedded: false, status: { ...status, slot: 2_501n, deposits: readTo(1_000n) } },
        ],
      },
      /read up to slot 1000 of 2501.*serves getBlock to SOLANA_RPC_URL/,
    ],
    [
      'the fee payer runs out',
      {
        networks: [
          { network: 'live', isEmbedded: false, status: { ...status, feePayerLamports: makeLamports(99_999_999n) } },
        ],
      },
      new RegExp(`0\\.099999999 SOL left\\. Send SOL to ${FEE_PAYER}`),
    ],
    [
      'payments are set aside',
      {
        counts: { ...WELL.counts, setAsidePayments: 3, firstSetAside: { intentId: 'INTENT', reason: 'No price.' } },
      },
      /^3 payments are set aside.*INTENT.*“No price\.”/,
    ],
    [
      'the books of an address differ from the chain',
      { counts: { ...WELL.counts, haltedAddresses: 2 } },
      /^Nothing is sent from 2 addresses.*`halt list`.*`halt clear ID --reason TEXT`/,
    ],
    [
      'nothing was compared for long',
      { compared: [{ network: 'test', forMs: 720_000 }] },
      /ledger of the test network was last compared with the chain 12 minutes ago.*reconcile:test/,
    ],
    [
      'no worker runs, and so nothing is compared',
      { isAnyoneWorking: false, compared: [{ network: 'live', forMs: 720_000 }] },
      /ROLE=worker/,
    ],
    ['no worker runs', { isAnyoneWorking: false }, /ROLE=worker/],
    [
      'transfers wait for long',
      {
        counts: {
          ...WELL.counts,
          waitingTransfers: 2,
          longestWaiting: { key: 'sweep:intent:7:1', reason: 'Fund it.' },
        },
      },
      /^2 transfers have waited for more than 15 minutes\. The longest is sweep:intent:7:1: “Fund it\.” .*in_progress`/,
    ],
    [
      'a transfer waits without a reason',
      {
        counts: { ...WELL.counts, waitingTransfers: 1, longestWaiting: { key: 'refund:intent:7:1:SOL', reason: null } },
      },
      /^1 transfer has waited .* refund:intent:7:1:SOL, without a reason yet: see the workers' log\./,
    ],
    [
      'a transfer is held',
      { counts: { ...WELL.counts, heldTransfers: 1 } },
      /^1 transfer is held .*`transfer retry ID`/,
    ],
    ['transfers failed', { counts: { ...WELL.counts, failedTransfers: 2 } }, /^2 transfers have failed/],
    ['a payment is stuck', { counts: { ...WELL.counts, stuckIntents: 1 } }, /^1 payment could not be settled/],
    [
      'an endpoint is gone',
      { counts: { ...WELL.counts, disabledEndpoints: 1 } },
      /`account update ID --webhook-url URL`/,
    ],
    ['feeds fail', { prices: { status: 'down', feeds: [failing] } }, /\(pyth fail\), so nothing can be quoted/],
    ['a feed fails', { prices: { status: 'degraded', feeds: [failing] } }, /^A price feed fails \(pyth\)/],
    [
      'subscriptions cannot be sold',
      { billing: { ...exampleBillingStatus, problems: ['No tier can be created.'] } },
      /^No tier can be created\.$/,
    ],
    [
      'charges cannot be paid out',
      { billing: { ...exampleBillingStatus, unpayable: 2 } },
      /^2 charges cannot be paid out.* Each is tried again every hour for a day, and then daily until its period ends\. `charge list --status failed`.*`charge retry ID`/,
    ],
    [
      'charges fail in the service',
      { billing: { ...exampleBillingStatus, broken: 1 } },
      /^1 charge failed for a reason.*`charge list --status failed`.*`charge retry ID`/,
    ],
    [
      'charges moved another amount',
      { billing: { ...exampleBillingStatus, differing: { count: 2, newest: 'charge-9' } } },
      /^2 charges of the last 7 days moved another amount .* The newest is charge-9\..*`charge show ID`/,
    ],
    [
      'the delegate key cannot sign',
      { billing: { ...exampleBillingStatus, broken: 3, key: { ...KEY, unsigned: 3 } } },
      new RegExp(`^The signer has refused 3 charges.*${exampleBillingStatus.delegate} must sign`),
    ],
    [
      'charges were planned with the key of another seed',
      { billing: { ...exampleBillingStatus, key: { ...KEY, otherKeys: 1 } } },
      new RegExp(`^1 charge names another delegate key than ${exampleBillingStatus.delegate}`),
    ],
    [
      'most allowances on the chain name another delegate',
      { billing: { ...exampleBillingStatus, key: { ...KEY, otherDelegations: KEY.ownDelegations + 1 } } },
      /^6 token accounts .* name another delegate than .*, and only 5 name it/,
    ],
    [
      'a charge waits for long',
      { billing: { ...exampleBillingStatus, due: 4, oldest: { ...OLDEST, reason: null }, oldestForMs: 900_000 } },
      /^The charge of subscription SUB has waited for 15 minutes, without a reason yet: .* Charges that are due: 4, in flight: 1\./,
    ],
    [
      'a charge waits for a reason',
      { billing: { ...exampleBillingStatus, oldest: OLDEST, oldestForMs: 960_000 } },
      /^The charge of subscription SUB has waited for 16 minutes: “Fund it\.”/,
    ],
    [
      'the budget of approves is nearly used',
      { billing: { ...exampleBillingStatus, sponsorSpent: 60_000_000n } },
      /0\.06 SOL in the last 24 hours, of at most 0\.1 SOL\. Checkouts that need one are refused from 0\.075 SOL on.*SPONSOR_LAMPORTS_PER_DAY/,
    ],
    [
      'checkouts have used their part of the budget of approves',
      { billing: { ...exampleBillingStatus, sponsorSpent: 74_990_001n } },
      /Checkouts that need one are refused now/,
    ],
    [
      'the budget of approves is used up',
      { billing: { ...exampleBillingStatus, sponsorSpent: 99_990_001n } },
      /Checkouts, renewals and changes of terms that need one are refused now/,
    ],
    [
      'the budget of a business is nearly used',
      { billing: { ...exampleBillingStatus, costliest: { accountId: 'B', cost: 300_000_000n } } },
      /^The subscriptions of business B have cost the fee payer 0\.3 SOL.*at most 0\.5 SOL.*wait from 0\.375 SOL on.*SPONSOR_LAMPORTS_PER_BUSINESS/,
    ],
    [
      'the next periods of a business wait for its budget',
      { billing: { ...exampleBillingStatus, costliest: { accountId: 'B', cost: 375_000_000n } } },
      /its next periods wait now/,
    ],
    ['a token has no price', { priceProblems: ['No price for X.'] }, /^No price for X\.$/],
  ]
  it.each(cases)('tell what to do when %s', (_case, observed, sentence) => {
    const alerts = alertsOf({ ...WELL, ...observed })
    expect(alerts).toEqual([expect.stringMatching(sentence)])
    expect(alerts[0]).toMatch(/\.$/)
  })

  it('say once that feeds fail, not for every token', () => {
    const prices = { status: 'down', feeds: [failing] } as const
    expect(alertsOf({ ...WELL, prices, priceProblems: ['a', 'b'] })).toHaveLength(1)
  })
})
