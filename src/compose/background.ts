// The work of an instance that no request waits for: the workers, and the prices that are read in advance.
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#adapters/node/clock.ts'
import { random } from '#adapters/node/random.ts'
import { isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { DIRECTORY_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { nullWhenUnavailable } from '#adapters/prisma/engine/unavailable.ts'
import { keepUp } from '#adapters/prisma/engine/upkeep.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import { createWebhookSender } from '#adapters/webhook-http/sender.ts'
import { CHALLENGE_MS } from '#core/billing/proof/challenge.ts'
import { ServiceError } from '#core/errors.ts'
import { OUTAGE_ERRORS } from '#graphql/errors/outages.ts'
import { createFailures } from '#server/repeated-lines.ts'
import { REPEATS_KNOWN_MS } from '#services/accounts/once.ts'
import { createExpiredRemover, KEEP_ENDED_MS } from '#services/billing/remove-expired.ts'
import { createDeliverer } from '#services/events/deliver.ts'
import { createPruner } from '#services/events/prune.ts'
import { createSearchIndexer } from '#services/payments/index-searches.ts'
import { createHeartbeat } from '#services/platform/health.ts'
import { createStatsCompactor } from '#services/stats/stats.ts'
import type { Parts, ServiceOptions } from './parts.ts'
import { type BuiltServices, chainNameOf, runtimesOf } from './services.ts'
import type { Stores } from './stores.ts'
import { startWorkers } from './workers.ts'

/** Starts the workers, which stop with `cleanup`. */
export async function startWork(
  parts: Parts,
  { directory, decisionContext, lockRate, mintGuard, webhookSecrets, probeNetworks, changePayouts }: BuiltServices,
  { log }: ServiceOptions,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const { config, clock, db, keys, networks, stores } = parts
  const instanceId = random.uuid()
  const heartbeat = createHeartbeat({ store: stores.workers, clock: systemClock, id: instanceId, role: config.role })
  const sender = createWebhookSender({ allowPrivate: config.webhooks.allowPrivate })
  const deliverer = createDeliverer({
    worker: instanceId,
    store: stores.deliveries,
    sender,
    secrets: webhookSecrets,
    chainName: (network) => chainNameOf(networks, network) ?? '',
    clock,
    wallClock: systemClock,
    random,
  })
  await warnOfAsynchronous(stores, log)
  const pruner = createPruner({ store: stores.deliveryLog, clock })
  // The clocks of instances differ: a text that was used must not be forgotten while one of them accepts it.
  const removeClaims = createExpiredRemover(stores.idempotency.removeExpired, { clock, keepMs: REPEATS_KNOWN_MS })
  const removeChallenges = createExpiredRemover(stores.challenges.removeExpired, { clock, keepMs: CHALLENGE_MS })
  const ended = { clock, keepMs: KEEP_ENDED_MS }
  const removeLinks = createExpiredRemover(stores.portalSessions.removeExpired, ended)
  const used = { clock: systemClock, keepMs: CHALLENGE_MS }
  const removeSessions = createExpiredRemover(stores.sessions.removeExpired, used)
  const removeApproves = createExpiredRemover(stores.approvals.removeUnused, ended)
  const removeRequests = createExpiredRemover(stores.requestLog.removeExpired, {
    clock: systemClock,
    keepMs: KEEP_REQUESTS_MS,
  })
  const failures = createFailures(log, outageOf)
  cleanup.defer(failures.close)
  const workers = await startWorkers({
    db,
    instanceId,
    networks: runtimesOf(networks),
    intents: stores.work,
    refundWork: stores.refundWork,
    transfers: stores.transfers,
    billing: stores.billing,
    delegations: stores.delegations,
    approvals: stores.approvals,
    checkouts: stores.checkouts,
    sponsorLamportsPerBusiness: config.subscriptions?.sponsorLamportsPerBusiness ?? null,
    sources: stores.sources,
    leases: stores.leases,
    audit: stores.audit,
    halts: stores.halts,
    settings: stores.settings,
    lineage: stores.lineage,
    directory,
    keys,
    signer: createSigner(parts.seed),
    decisionContext,
    lockRate,
    mintGuard,
    prices: parts.prices,
    refundBudget: config.settlement.refundBudget,
    computeUnitPrice: config.settlement.computeUnitPrice,
    depositSource: config.depositSource,
    blockCredits: config.blockCredits,
    clock,
    random,
    sleep: async (ms) => void (await sleep(ms)),
    deliver: deliverer.runOnce,
    heartbeat: heartbeat.beat,
    probeNetworks,
    changePayouts,
    async prune() {
      const rounds = await Promise.all([
        pruner.runOnce(),
        removeChallenges(),
        removeLinks(),
        removeSessions(),
        removeApproves(),
        removeClaims(),
        removeRequests(),
      ])
      return { again: rounds.some(({ again }) => again) }
    },
    compactStats: createStatsCompactor(stores.statsRollups),
    indexSearches: createSearchIndexer(stores.searchIndex),
    keepUp: () => keepUp(db),
    onHalt: (halt) => log.error(halt, 'nothing is sent from this address: its books are not what the chain says'),
    onError: (error, context) => failures.write(error, context, 'a job failed and will be tried again'),
  })
  cleanup.defer(() => sender.close())
  cleanup.defer(() => heartbeat.stop())
  cleanup.defer(() => workers.stop())
}

/** How long the requests of businesses are kept. */
const KEEP_REQUESTS_MS = 7 * 86_400_000

const OUTAGES: readonly string[] = Object.keys(OUTAGE_ERRORS)

/** Returns the code of an outage of the database, a chain or the price feeds; null for any other failure. */
function outageOf(error: unknown): string | null {
  if (isDatabaseUnavailable(error)) return 'database_unavailable'
  return error instanceof ServiceError && OUTAGES.includes(error.code) ? error.code : null
}

/** A failover to a standby that no commit waits for may lose the last rows. */
async function warnOfAsynchronous({ lineage }: Pick<Stores, 'lineage'>, log: ServiceOptions['log']): Promise<void> {
  const standbys = await nullWhenUnavailable(lineage.standbys())
  if (standbys === null || standbys.length === 0 || standbys.some((one) => one.isSynchronous !== false)) return
  log.warn(
    { standbys: standbys.map(({ name }) => name) },
    'all standbys of the database are asynchronous: a failover may lose the last rows (docs/runbook.md, "When a standby takes over")',
  )
}

const PRICES_EVERY_MS = 60_000

/** Reads prices in advance, so that neither a create nor a decision about a return waits for a feed. */
export async function keepPrices(
  { db }: Parts,
  { refreshPrices }: BuiltServices,
  { log }: ServiceOptions,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const report = (err: unknown) => log.warn({ err }, 'prices could not be read in advance')
  let last = Promise.resolve()
  const refresh = () => {
    last = refreshPrices().catch(report)
  }
  // A token that was just allowed is known immediately.
  const unlisten = await db.listen(DIRECTORY_CHANGED, refresh, refresh)
  const timer = setInterval(refresh, PRICES_EVERY_MS)
  cleanup.defer(async () => {
    clearInterval(timer)
    await unlisten()
    await last
  })
  refresh()
}
