// The alerts of `operator status`. Each says what is wrong, and what to do.
import type { Network } from '#core/chain/types.ts'
import { type Lamports, makeLamports } from '#core/money/amounts.ts'
import type { CostlySubjects, Spend, SpendBudget } from '#core/transfers/budget.ts'
import { SIGNATURE_FEES } from '#core/transfers/plan.ts'
import type { ProviderCount } from '#ports/chain.ts'
import type { OperatorCounts } from '#ports/operator.ts'
import type { BillingStatus } from '#services/billing/status.ts'
import type { NetworkStatus } from '#services/platform/platform-services.ts'
import type { PriceHealth } from '#services/prices/price-source.ts'
import { inMinutes, inSol, isNearly, plural, when, withReason } from './alert-text.ts'
import { billingAlerts } from './billing-alerts.ts'
import { CLOCK_BEHIND_SECONDS, LAG_DEGRADED_SECONDS } from './networks.ts'

/** Enough for about fifty new token accounts, or twenty thousand signatures. */
export const LOW_FEE_PAYER: Lamports = makeLamports(100_000_000n)

export type ObservedNetwork = {
  readonly network: Network
  readonly isEmbedded: boolean
  readonly status: NetworkStatus | null
}

export type Observed = {
  /** The networks that are served; null for one that could not be read. */
  readonly networks: readonly ObservedNetwork[]
  readonly isAnyoneWorking: boolean
  /** How long ago each ledger was last compared with its chain; missing when it never was. */
  readonly compared: readonly { readonly network: Network; readonly forMs: number }[]
  readonly counts: OperatorCounts
  /** What refunds have cost each fee payer lately, what they may cost, and the payments near the limit of one payment. */
  readonly refunds: readonly {
    readonly network: Network
    readonly spend: Spend
    readonly costly: CostlySubjects | null
  }[]
  readonly refundBudget: SpendBudget
  readonly prices: PriceHealth
  /** For each allowed token whose mint refuses payments now. */
  readonly mintProblems: readonly string[]
  /** One sentence for each allowed token that has no price. */
  readonly priceProblems: readonly string[]
  /** null while recurring billing is disabled. */
  readonly billing: BillingStatus | null
}

export function alertsOf(observed: Observed): readonly string[] {
  return [
    ...observed.networks.flatMap(networkAlerts),
    ...haltAlerts(observed.counts),
    ...workerAlerts(observed.isAnyoneWorking),
    ...(observed.isAnyoneWorking ? comparisonAlerts(observed.compared) : []),
    ...setAsideAlerts(observed.counts),
    ...waitingAlerts(observed.counts),
    ...transferAlerts(observed.counts),
    ...observed.refunds.flatMap((refunds) => refundAlerts(refunds, observed.refundBudget)),
    ...observed.refunds.flatMap((refunds) => costlyPaymentAlerts(refunds, observed.refundBudget)),
    ...observed.mintProblems,
    ...priceAlerts(observed.prices, observed.priceProblems),
    ...billingAlerts(observed.billing),
    ...endpointAlerts(observed.counts),
  ]
}

const SETTING: Readonly<Record<Network, string>> = { live: 'SOLANA_RPC_URL', test: 'SOLANA_TEST_RPC_URL' }

const networkAlerts = (observed: ObservedNetwork): readonly string[] => [
  ...(observed.isEmbedded ? embeddedAlerts(observed) : providerAlerts(observed)),
  ...feePayerAlerts(observed),
]

/** Unread blocks mean nothing on the embedded chain: moving its clock skips slots. */
const embeddedAlerts = ({ network, status }: ObservedNetwork): readonly string[] => [
  ...when(
    status === null,
    `The embedded chain, which serves the ${network} network, does not answer. Start the service again.`,
  ),
  ...when(
    status?.isStalled === true,
    `The embedded chain, which serves the ${network} network, has made no block final for ${roundedLag(status)} seconds. ` +
      'Start the service again.',
  ),
]

function providerAlerts({ network, status }: ObservedNetwork): readonly string[] {
  if (status === null) return [`The ${network} network cannot be reached. Check ${SETTING[network]} and its providers.`]
  return [
    ...when(
      status.isStalled || roundedLag(status) > LAG_DEGRADED_SECONDS,
      `The newest final block of the ${network} network is ${roundedLag(status)} seconds old. The chain has stopped, the ` +
        `provider is behind, or the clock of this machine is ahead. Use another provider in ${SETTING[network]}, or set the clock.`,
    ),
    ...when(
      status.clockBehindSeconds > CLOCK_BEHIND_SECONDS,
      `The clock of this machine is ${Math.round(status.clockBehindSeconds)} seconds behind the ${network} network, so charges and ` +
        'retries are late, and prices may be refused. Set it, and keep it right with NTP.',
    ),
    ...agreementAlerts(network, status.providers),
    ...when(isBehind(status), blocksBehind(network, status)),
  ]
}

const agreementAlerts = (network: Network, { configured, answering }: ProviderCount): readonly string[] =>
  when(
    configured > 1 && answering < 2,
    `Only ${answering} of ${configured} providers of the ${network} network answers, and two must agree: no payment becomes ` +
      `final, and no transfer ends. Check ${SETTING[network]}, or add a provider.`,
  )

const roundedLag = (status: NetworkStatus | null): number => Math.round(status?.lagSeconds ?? 0)

/** The cursor is a little behind the newest block that was read. */
const BLOCKS_BEHIND_MS = 5 * 60_000

const isBehind = ({ deposits, slot, pace: { slotMs } }: NetworkStatus): boolean =>
  deposits?.source === 'blocks' &&
  deposits.cursor !== null &&
  slotMs !== null &&
  Number(slot - deposits.cursor.slot) * slotMs > BLOCKS_BEHIND_MS

const blocksBehind = (network: Network, { deposits, slot }: NetworkStatus): string =>
  `Blocks of the ${network} network are read up to slot ${deposits?.cursor?.slot} of ${slot}. Open payments are polled, ` +
  `but late payments wait. If this lasts, add a provider that serves getBlock to ${SETTING[network]}.`

const feePayerAlerts = ({ network, status }: ObservedNetwork): readonly string[] =>
  status === null || status.feePayerLamports >= LOW_FEE_PAYER
    ? []
    : [
        `The fee payer of the ${network} network has ${inSol(status.feePayerLamports)} left. Send SOL to ${status.feePayer}; ` +
          'without it, nothing new is signed.',
      ]

const workerAlerts = (isAnyoneWorking: boolean): readonly string[] =>
  when(
    !isAnyoneWorking,
    'No worker runs, so payments are not detected and nothing is settled. Start the service with ROLE=all or ROLE=worker.',
  )

const haltAlerts = ({ haltedAddresses }: OperatorCounts): readonly string[] =>
  when(
    haltedAddresses > 0,
    `Nothing is sent from ${plural(haltedAddresses, 'address', 'addresses')}, because the ledger differs from the chain. ` +
      'Find the cause of the difference that `halt list` shows. The halt ends when ledger and chain agree, or with ' +
      '`halt clear ID --reason TEXT`.',
  )

/** A round runs every five seconds, with a pause of at most a minute after a large one. */
const COMPARED_LATELY_MS = 600_000

const comparisonAlerts = (compared: Observed['compared']): readonly string[] =>
  compared
    .filter(({ forMs }) => forMs > COMPARED_LATELY_MS)
    .map(
      ({ network, forMs }) =>
        `The ledger of the ${network} network was last compared with the chain ${inMinutes(forMs)} ago. Find the cause in ` +
        `the workers' log (job reconcile:${network}).`,
    )

const setAsideAlerts = ({ setAsidePayments, firstSetAside }: OperatorCounts): readonly string[] =>
  firstSetAside === null
    ? []
    : [
        `${plural(setAsidePayments, 'payment is', 'payments are')} set aside: money at the address is not booked. The first ` +
          `is ${firstSetAside.intentId}: “${firstSetAside.reason}” Each is tried again within ten minutes. If one stays, find ` +
          "the cause in the workers' log. Replace a provider that does not answer, has lost its history, or reports something else.",
      ]

/** A slow transfer is done long before: even the proof that a transaction is dead takes a few minutes. */
export const WAITS_LONG_MS = 900_000

function waitingAlerts({ waitingTransfers, longestWaiting }: OperatorCounts): readonly string[] {
  if (longestWaiting === null) return []
  const { key, reason } = longestWaiting
  return [
    `${plural(waitingTransfers, 'transfer has', 'transfers have')} waited for more than ${inMinutes(WAITS_LONG_MS)}. The ` +
      `longest is ${key}${withReason(reason)} It continues when the cause is removed. \`transfer list --status in_progress\` ` +
      'shows the reasons of the others.',
  ]
}

const transferAlerts = (counts: OperatorCounts): readonly string[] => [
  ...when(
    counts.heldTransfers > 0,
    `${plural(counts.heldTransfers, 'transfer is held', 'transfers are held')} until a person acts. Read the reason in ` +
      '`transfer list --status held`, then use `transfer retry ID`.',
  ),
  ...when(
    counts.failedTransfers > 0,
    `${plural(counts.failedTransfers, 'transfer has', 'transfers have')} failed permanently. Read the reason in ` +
      '`transfer list --status failed`, then use `transfer retry ID`.',
  ),
  ...when(
    counts.stuckIntents > 0,
    `${plural(counts.stuckIntents, 'payment', 'payments')} could not be settled or refunded. Remove the cause that the ` +
      'status of the payment shows, such as a missing sweep destination, then sweep it again. Money without a known sender ' +
      'is in `held list`; `held release` sends it.',
  ),
]

/** The cost of the cheapest refund: a rest below this is no budget. */
const MIN_REFUND = SIGNATURE_FEES

function refundAlerts({ network, spend }: Observed['refunds'][number], budget: SpendBudget): readonly string[] {
  const limits = [
    { spent: spend.lastHour, limit: budget.perHour, period: 'hour', setting: 'REFUND_BUDGET_LAMPORTS_PER_HOUR' },
    { spent: spend.lastDay, limit: budget.perDay, period: 'day', setting: 'REFUND_BUDGET_LAMPORTS_PER_DAY' },
  ]
  return limits
    .filter(({ spent, limit }) => isNearly(spent, limit))
    .map(({ spent, limit, period, setting }) => {
      const isUsedUp = spent + MIN_REFUND > limit
      return (
        `Refunds have cost the fee payer of the ${network} network ${inSol(spent)} in the last ${period}, of at most ` +
        `${inSol(limit)}. ${isUsedUp ? 'Refunds wait now' : 'At the limit, refunds wait'}; settlements continue. Find the ` +
        `cause in \`transfer list\`. If the refunds are correct, raise ${setting}.`
      )
    })
}

function costlyPaymentAlerts(
  { network, costly }: Observed['refunds'][number],
  { perSubject }: SpendBudget,
): readonly string[] {
  if (costly === null) return []
  const { count, first } = costly
  const isUsedUp = first.cost + MIN_REFUND > perSubject
  return [
    `${plural(count, 'payment', 'payments')} of the ${network} network had refunds in the last day and ` +
      `${count === 1 ? 'is' : 'are'} near the limit of what refunds of one payment may cost the fee payer, ` +
      `${inSol(perSubject)}. The most is ${inSol(first.cost)}, for payment ${first.id}. ` +
      `${isUsedUp ? 'Its further refunds are held' : 'At the limit, its further refunds are held'}. Find the cause in ` +
      '`transfer list`. If the refunds are correct, raise REFUND_BUDGET_LAMPORTS_PER_INTENT.',
  ]
}

function priceAlerts({ status, feeds }: PriceHealth, problems: readonly string[]): readonly string[] {
  const failing = feeds.filter((feed) => feed.status === 'failing').map(({ name }) => name)
  if (status === 'down')
    return [
      `Too few price feeds answer (${failing.join(', ')} fail), so nothing can be quoted. Check PRICE_FEEDS and the ` +
        'connection to the internet.',
    ]
  return [
    ...when(
      status === 'degraded',
      `A price feed fails (${failing.join(', ')}). The others still agree. Check it in PRICE_FEEDS before another one fails.`,
    ),
    ...problems,
  ]
}

const endpointAlerts = ({ disabledEndpoints }: OperatorCounts): readonly string[] =>
  when(
    disabledEndpoints > 0,
    `${plural(disabledEndpoints, 'webhook endpoint', 'webhook endpoints')} answered 410 Gone and receive nothing more. Ask ` +
      'the business for the new URL, then use `account update ID --webhook-url URL`.',
  )
