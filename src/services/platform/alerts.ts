// The alerts of `operator status`: each is a sentence that says what to do.
import type { Network } from '#core/chain/types.ts'
import { SOL_DECIMALS } from '#core/chain/types.ts'
import { capAtU64, type Lamports, makeLamports } from '#core/money/amounts.ts'
import { formatUnits } from '#core/money/conversion.ts'
import type { Spend, SpendBudget } from '#core/transfers/budget.ts'
import { SIGNATURE_FEES } from '#core/transfers/plan.ts'
import type { OperatorCounts } from '#ports/operator.ts'
import type { NetworkStatus } from '#services/platform/platform-services.ts'
import type { PriceHealth } from '#services/prices/price-source.ts'
import { LAG_DEGRADED_SECONDS } from './networks.ts'

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
  /** What refunds have cost each fee payer lately, and what they may. */
  readonly refunds: readonly { readonly network: Network; readonly spend: Spend }[]
  readonly refundBudget: SpendBudget
  readonly prices: PriceHealth
  /** One sentence for each allowed token that has no price. */
  readonly priceProblems: readonly string[]
  /** A sentence for each setting of recurring billing that cannot be used. */
  readonly billingProblems: readonly string[]
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
    ...priceAlerts(observed.prices, observed.priceProblems),
    ...observed.billingProblems,
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
    `The embedded chain, which is the ${network} network, does not answer: start the service again.`,
  ),
  ...when(
    status?.isStalled === true,
    `The embedded chain, which is the ${network} network, has made nothing final for ${roundedLag(status)} seconds: ` +
      'start the service again.',
  ),
]

function providerAlerts({ network, status }: ObservedNetwork): readonly string[] {
  if (status === null)
    return [`The ${network} network cannot be reached: check ${SETTING[network]} and the provider behind it.`]
  return [
    ...when(
      status.isStalled || roundedLag(status) > LAG_DEGRADED_SECONDS,
      `The newest final block of the ${network} network is ${roundedLag(status)} seconds old: the chain has stopped ` +
        `or the provider is behind; name another one in ${SETTING[network]}.`,
    ),
    ...when(isBehind(status), blocksBehind(network, status)),
  ]
}

const roundedLag = (status: NetworkStatus | null): number => Math.round(status?.lagSeconds ?? 0)

/** About seven minutes; the cursor is a little behind the newest block that was read. */
const BLOCKS_BEHIND_SLOTS = 1_000n

const isBehind = ({ deposits, slot }: NetworkStatus): boolean =>
  deposits?.source === 'blocks' && deposits.cursor !== null && slot - deposits.cursor.slot > BLOCKS_BEHIND_SLOTS

const blocksBehind = (network: Network, { deposits, slot }: NetworkStatus): string =>
  `Blocks of the ${network} network are read only to slot ${deposits?.cursor?.slot} of ${slot}: open payments are polled ` +
  `meanwhile, but late ones wait; if it does not catch up, name a provider in ${SETTING[network]} that serves getBlock.`

const feePayerAlerts = ({ network, status }: ObservedNetwork): readonly string[] =>
  status === null || status.feePayerLamports >= LOW_FEE_PAYER
    ? []
    : [
        `The fee payer of the ${network} network has ${formatUnits(status.feePayerLamports, SOL_DECIMALS)} SOL left: ` +
          `send SOL to ${status.feePayer}, or settlements will stop.`,
      ]

const workerAlerts = (isAnyoneWorking: boolean): readonly string[] =>
  when(
    !isAnyoneWorking,
    'No worker is at work: payments are not seen and nothing is settled; start the service with ROLE=all or ROLE=worker.',
  )

const haltAlerts = ({ haltedAddresses }: OperatorCounts): readonly string[] =>
  when(
    haltedAddresses > 0,
    `Nothing is sent from ${plural(haltedAddresses, 'address', 'addresses')}, because the ledger is not what the chain ` +
      'says: read the difference in `halt list`, and find its cause; it goes on by itself once they agree, or with ' +
      '`halt clear ID --reason TEXT`.',
  )

/** A round runs every five seconds, with a pause of at most a minute after a large one. */
const COMPARED_LATELY_MS = 600_000

const comparisonAlerts = (compared: Observed['compared']): readonly string[] =>
  compared
    .filter(({ forMs }) => forMs > COMPARED_LATELY_MS)
    .map(
      ({ network, forMs }) =>
        `The ledger of the ${network} network was last compared with the chain ${Math.floor(forMs / 60_000)} minutes ago: ` +
        `the workers' log says what stands in the way (job reconcile:${network}).`,
    )

const setAsideAlerts = ({ setAsidePayments, firstSetAside }: OperatorCounts): readonly string[] =>
  firstSetAside === null
    ? []
    : [
        `${plural(setAsidePayments, 'payment is', 'payments are')} set aside, because deposits could not be taken in: ` +
          `${firstSetAside.intentId}, for one, says “${firstSetAside.reason}”; each is tried again after seconds, later ` +
          "after ten minutes; if one stays, the workers' log says what stands in the way.",
      ]

/** A slow transfer is done long before: even the proof that a transaction is dead takes a few minutes. */
export const WAITS_LONG_MS = 900_000

function waitingAlerts({ waitingTransfers, longestWaiting }: OperatorCounts): readonly string[] {
  if (longestWaiting === null) return []
  const { key, reason } = longestWaiting
  const why = reason === null ? 'nothing yet: see the log of the workers' : `“${reason}”`
  return [
    `${plural(waitingTransfers, 'transfer has', 'transfers have')} waited for more than ${WAITS_LONG_MS / 60_000} ` +
      `minutes; the longest, ${key}, says ${why}; once that is put right it goes on by itself; read what the others ` +
      'say in `transfer list --status in_progress`.',
  ]
}

const transferAlerts = (counts: OperatorCounts): readonly string[] => [
  ...when(
    counts.heldTransfers > 0,
    `${plural(counts.heldTransfers, 'transfer is held', 'transfers are held')} for a person: read why in ` +
      '`transfer list --status held`, then `transfer retry ID`.',
  ),
  ...when(
    counts.failedTransfers > 0,
    `${plural(counts.failedTransfers, 'transfer has', 'transfers have')} failed permanently: read why in ` +
      '`transfer list --status failed`, then `transfer retry ID`.',
  ),
  ...when(
    counts.stuckIntents > 0,
    `${plural(counts.stuckIntents, 'payment', 'payments')} could not be settled or refunded: put right what the ` +
      'status says of each (a missing sweep destination, for one), then sweep it again; money without a known sender is ' +
      'in `held list`, and `held release` sends it.',
  ),
]

/** Alerts when four fifths of a budget are used. */
const isNearly = (spent: bigint, budget: Lamports): boolean => spent * 5n >= budget * 4n

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
        `Refunds cost the fee payer of the ${network} network ${formatUnits(capAtU64(spent), SOL_DECIMALS)} SOL in the last ` +
        `${period}, of the ${formatUnits(limit, SOL_DECIMALS)} SOL that they may: ` +
        `${isUsedUp ? 'refunds wait now' : 'at the limit refunds wait'}, and settlements go on; see what causes them ` +
        `in \`transfer list\`, and raise ${setting} if they are in order.`
      )
    })
}

function priceAlerts({ status, feeds }: PriceHealth, problems: readonly string[]): readonly string[] {
  const failing = feeds.filter((feed) => feed.status === 'failing').map(({ name }) => name)
  if (status === 'down')
    return [
      `Too few price feeds answer (${failing.join(', ')} fail), so nothing can be quoted: check PRICE_FEEDS and the ` +
        'way out to the internet.',
    ]
  return [
    ...when(
      status === 'degraded',
      `A price feed fails (${failing.join(', ')}); the others still agree. Check it in PRICE_FEEDS before another one fails.`,
    ),
    ...problems,
  ]
}

const endpointAlerts = ({ disabledEndpoints }: OperatorCounts): readonly string[] =>
  when(
    disabledEndpoints > 0,
    `${plural(disabledEndpoints, 'webhook endpoint', 'webhook endpoints')} said to be gone and gets nothing any more: ` +
      'ask the business where its webhooks go now, then `account update ID --webhook-url URL`.',
  )

const when = (holds: boolean, alert: string): readonly string[] => (holds ? [alert] : [])

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`
