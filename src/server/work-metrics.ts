// What the service does for money, and what it finds, as series for the operator. docs/runbook.md, "What the log and the metrics have".
import type { NewLedgerEntry } from '#core/transfers/transfer.ts'
import { createCache } from '#lib/cache.ts'
import type { Watcher } from '#ports/watching.ts'
import type { Metrics } from '#server/metrics.ts'
import type { Services } from '#services/services.ts'

/** Counts what this process writes. */
export function watchWork(metrics: Pick<Metrics, 'count' | 'times'>): Watcher {
  const payments = metrics.count('payments_total', 'Payments that reached a status.', ['network', 'status'])
  const detected = metrics.times('deposit_detection_seconds', 'From the block of a deposit to its booking.', [
    'network',
  ])
  const transfers = metrics.count('transfers_total', 'Transfers that ended.', ['network', 'kind', 'outcome'])
  const settled = metrics.times('transfer_seconds', 'From the plan of a transfer to its end.', ['network', 'kind'])
  const charges = metrics.count('charges_total', 'Charges that reached a status.', ['network', 'status'])
  const webhooks = metrics.count('webhook_attempts_total', 'Tries of webhooks.', ['network', 'outcome'])
  const answered = metrics.times('webhook_attempt_seconds', 'How long receivers of webhooks took.', ['network'])

  const endOf: Watcher['charged'] & Watcher['changed'] = ({ outcome }, { until }, ended) => {
    if (outcome === null || ended === null) return
    const { network, kind, createdAt } = ended
    transfers({ network, kind, outcome: outcome.transferStatus })
    settled({ network, kind }, until - createdAt.getTime())
  }
  return {
    created: ({ network, status }) => payments({ network, status }),
    changed(change, took, ended) {
      const { before, after, deposits, ledger } = change
      const { network, status } = after
      if (status !== before.status) payments({ network, status })
      for (const { signature, account, blockTime } of deposits)
        if (blockTime !== null && ledger.some((entry) => isArrival(entry, signature, account)))
          detected({ network }, took.until - blockTime.getTime())
      endOf(change, took, ended)
    },
    charged(change, took, ended) {
      for (const { network, status } of change.charges) charges({ network, status })
      endOf(change, took, ended)
    },
    stepped({ transfer: { network, kind }, step }) {
      if (step === 'held' || step === 'done' || step === 'failed') transfers({ network, kind, outcome: step })
    },
    delivered({ event: { network } }, { attempt, verdict }, { since, until }) {
      if (attempt === null) return
      webhooks({ network, outcome: verdict.status === 'succeeded' ? 'succeeded' : 'failed' })
      answered({ network }, until - since)
    },
  }
}

const isArrival = ({ signature, account, delta }: NewLedgerEntry, ofDeposit: string, at: string): boolean =>
  signature === ofDeposit && account === at && delta > 0n

/** A reading asks chains and the database, a scrape asks for many series, and each instance may be scraped often. */
const KEPT_MS = 15_000

/** Adds what `operator status` says. One reading serves all series. */
export function gaugeStatus(
  metrics: Pick<Metrics, 'gauge' | 'table'>,
  { platform }: Pick<Services, 'platform'>,
  now: () => Date,
): void {
  const kept = createCache({ now }, (_all: 'all') => platform.operatorStatus(), KEPT_MS)
  const status = () => kept.get('all')
  const networks = async () => {
    const read = await status()
    return (['live', 'test'] as const).flatMap((network) => {
      const state = read.networks[network]
      return state === null ? [] : [{ network, ...state }]
    })
  }
  metrics.gauge(
    'open_payments',
    'Payments that can still change by themselves.',
    async () => (await status()).openIntents,
  )
  metrics.gauge('alerts', 'Problems that need a person.', async () => (await status()).alerts.length)
  metrics.gauge('workers', 'Processes that do the work of the chain.', async () => (await status()).workers.length)
  metrics.table('fee_payer_lamports', 'What the fee payer has.', ['network'], async () =>
    (await networks()).map(({ network, feePayerLamports }) => ({ of: { network }, value: Number(feePayerLamports) })),
  )
  metrics.table('chain_lag_seconds', 'Since the newest block became final.', ['network'], async () =>
    (await networks()).map(({ network, lagSeconds }) => ({ of: { network }, value: lagSeconds })),
  )
  const queues = async () => (await status()).queues
  metrics.table('queue_waiting', 'Work that waits, or is under way.', ['queue'], async () =>
    (await queues()).map(({ name, waiting }) => ({ of: { queue: name }, value: waiting })),
  )
  metrics.table('queue_oldest_seconds', 'For how long the oldest of a queue waits.', ['queue'], async () =>
    (await queues()).map(({ name, oldestSince }) => ({
      of: { queue: name },
      value: Math.max(0, (now().getTime() - oldestSince.getTime()) / 1_000),
    })),
  )
  const ofRefunds = async () => (await status()).refunds
  metrics.table('refund_spend_lamports', 'What refunds have cost the fee payer in a day.', ['network'], async () =>
    (await ofRefunds()).map(({ network, spend }) => ({ of: { network }, value: Number(spend.lastDay) })),
  )
  metrics.table('refund_budget_lamports', 'What refunds may cost the fee payer in a day.', ['network'], async () =>
    (await ofRefunds()).map(({ network, budget }) => ({ of: { network }, value: Number(budget.perDay) })),
  )
}
