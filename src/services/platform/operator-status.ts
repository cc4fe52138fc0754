// `operator status`: the state of the service. A part that does not answer becomes an alert, and the rest is shown.
import { NETWORKS, type Network } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import { within } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import type { OperatorStore, WorkerStore } from '#ports/operator.ts'
import type { SettingStore } from '#ports/platform.ts'
import type { TransferStore } from '#ports/transfers.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { readPosition } from '#services/audit/reconcile.ts'
import type { ReadBillingStatus } from '#services/billing/status.ts'
import type { NetworkStatus, OperatorStatus } from '#services/platform/platform-services.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import type { MintGuard } from '#services/tokens/mint-guard.ts'
import type { TokenServices } from '#services/tokens/tokens.ts'
import { nearlyAll } from './alert-text.ts'
import { alertsOf, type Observed, WAITS_LONG_MS } from './alerts.ts'
import { isAnyoneWorking } from './health.ts'
import { readProgress, type ServedNetworks } from './networks.ts'

export type OperatorStatusDeps = {
  readonly operator: Pick<OperatorStore, 'counts' | 'queues'>
  readonly workers: Pick<WorkerStore, 'list'>
  readonly networks: ServedNetworks
  readonly transfers: Pick<TransferStore, 'spendOf' | 'costlySubjects'>
  readonly refundBudget: SpendBudget
  readonly sources: Pick<DepositSourceStore, 'read'>
  readonly settings: Pick<SettingStore, 'read'>
  readonly prices: Pick<PriceSource, 'health'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly priceProblem: TokenServices['priceProblem']
  readonly mintGuard: Pick<MintGuard, 'problemOf'>
  readonly billingStatus: ReadBillingStatus
  /** Real time. */
  readonly wallClock: Clock
  /** The clock of the service, which a sandbox can move: transfers are planned by it. */
  readonly clock: Clock
}

const CHAIN_TIMEOUT_MS = 5_000

export async function readOperatorStatus(deps: OperatorStatusDeps): Promise<OperatorStatus> {
  const [live, test, counts, queues, refunds, workers, mintProblems, priceProblems, billing] = await Promise.all([
    readNetwork(deps, 'live'),
    readNetwork(deps, 'test'),
    deps.operator.counts({ waitingSince: new Date(deps.clock.now().getTime() - WAITS_LONG_MS) }),
    deps.operator.queues(),
    readRefunds(deps),
    deps.workers.list(),
    findProblems(deps, (token) => mintProblem(deps, token)),
    findProblems(deps, deps.priceProblem),
    deps.billingStatus(),
  ])
  const served = NETWORKS.filter((network) => deps.networks[network] !== null)
  const alerts = alertsOf({
    networks: served.map((network) => ({
      network,
      isEmbedded: deps.networks[network]?.isEmbedded === true,
      status: { live, test }[network],
    })),
    isAnyoneWorking: isAnyoneWorking(workers),
    compared: await findCompared(deps, served),
    counts,
    refunds,
    refundBudget: deps.refundBudget,
    prices: deps.prices.health(),
    mintProblems,
    priceProblems,
    billing,
  })
  const { openIntents, unfinishedTransfers } = counts
  return {
    networks: { live, test },
    workers,
    openIntents,
    unfinishedTransfers,
    queues,
    refunds: refunds.map(({ network, spend }) => ({ network, spend, budget: deps.refundBudget })),
    billing,
    alerts,
  }
}

/** Returns null when the network is not served, or does not answer in time. */
async function readNetwork(deps: OperatorStatusDeps, name: Network): Promise<NetworkStatus | null> {
  const network = deps.networks[name]
  if (network === null) return null
  const { chain, genesisHash, feePayer } = network
  const deposits = await deps.sources.read(name)
  const reading = Promise.all([
    readProgress(network, deps.wallClock),
    chain.readAccounts([feePayer]),
    chain.countProviders(),
    chain.pace(),
  ])
  try {
    const [progress, { states }, providers, pace] = await within(CHAIN_TIMEOUT_MS, 'the chain does not answer', reading)
    const feePayerLamports = states[0]?.lamports ?? makeLamports(0n)
    const providerHealth = chain.rpc.health()
    return { genesisHash, feePayer, feePayerLamports, ...progress, providers, providerHealth, pace, deposits }
  } catch {
    return null
  }
}

const readRefunds = ({ networks, transfers, refundBudget, clock }: OperatorStatusDeps): Promise<Observed['refunds']> =>
  Promise.all(
    NETWORKS.flatMap((network) => {
      const served = networks[network]
      if (served === null) return []
      const { feePayer } = served
      const spender = { network, kind: 'refund', feePayer, now: clock.now() }
      const reading = Promise.all([
        transfers.spendOf({ ...spender, subjectId: null, before: null }),
        transfers.costlySubjects(spender, nearlyAll(refundBudget.perSubject)),
      ])
      return [reading.then(([spend, costly]) => ({ network, spend, costly }))]
    }),
  )

/** Returns how long ago each ledger was compared with its chain. */
async function findCompared(
  { settings, wallClock }: Pick<OperatorStatusDeps, 'settings' | 'wallClock'>,
  served: readonly Network[],
): Promise<Observed['compared']> {
  const positions = await Promise.all(served.map((network) => readPosition(settings, network)))
  return served.flatMap((network, at) => {
    const ranAt = positions[at]?.ranAt ?? null
    return ranAt === null ? [] : [{ network, forMs: wallClock.now().getTime() - ranAt.getTime() }]
  })
}

/** Returns the problems of the tokens in which payments can be made, each once. */
async function findProblems(
  deps: Pick<OperatorStatusDeps, 'networks' | 'directory'>,
  problemOf: (token: Token) => Promise<string | null>,
): Promise<readonly string[]> {
  const served = NETWORKS.filter((network: Network) => deps.networks[network] !== null)
  const lists = await Promise.all(served.map((network) => deps.directory.tokens(network)))
  const tokens = lists.flatMap((list) => [...list.values()]).filter(({ enabled }) => enabled)
  const problems = await Promise.all(tokens.map(problemOf))
  return [...new Set(problems.filter((problem) => problem !== null))]
}

async function mintProblem({ mintGuard }: OperatorStatusDeps, token: Token): Promise<string | null> {
  try {
    const problem = await within(CHAIN_TIMEOUT_MS, 'the chain does not answer', mintGuard.problemOf(token))
    return (
      problem &&
      `No payment can be made in ${token.ticker} on the ${token.network} network, and its transfers wait: its mint ${problem}. ` +
        'Ask its issuer, or use `token disallow`.'
    )
  } catch {
    // The alert of the network says that the chain does not answer.
    return null
  }
}
