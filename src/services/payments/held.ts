// Held money: the operator releases it to an address with a reason, and lists the releases.
import { type Address, type Asset, type Network, SOL, SOL_DECIMALS } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { isBooked, TOKEN_RELEASE, tokenRelease } from '#core/payments/deposits/unaccepted.ts'
import { decideRelease } from '#core/payments/machine/release.ts'
import { largestDustByAsset } from '#core/payments/returns/dust.ts'
import { MAX_OTHER_ACCOUNTS } from '#core/payments/returns/releasable.ts'
import type { MintReader, TokenAccountReader, TokenBalance } from '#ports/chain.ts'
import type {
  DustLimits,
  HeldFilter,
  HeldPayment,
  HeldSender,
  HeldStore,
  Release,
  UnacceptedStore,
  UnacceptedToken,
} from '#ports/held.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { isUuid, readReason } from '#services/requests.ts'
import { readMovableMint } from '#services/tokens/mint-guard.ts'
import { decideAndApply, type ReadDecisionContext, type ReadDustContext } from './decide.ts'

// The use cases of money that waits for a person. For the operator.

export type HeldPage = {
  readonly payments: readonly HeldPayment[]
  /** The `afterIndex` of the next page; null at the end. */
  readonly nextIndex: number | null
  /** The number of payments that all pages leave out because they hold only dust, up to 1,000. */
  readonly dustPayments: number
}

/** Lists and releases held money. */
export type HeldServices = {
  /** Returns a page of payments with held money, the newest payment first. Throws `invalid_request` on a negative index. */
  payments(
    filter: HeldFilter & {
      readonly afterIndex: number | null
      readonly includeDust: boolean
      readonly limit: number
    },
  ): Promise<HeldPage>
  /**
   * Returns tokens that are not allowed and were seen at deposit addresses, the latest first. `intent` is an index or an id.
   * Throws `intent_not_found`.
   */
  unaccepted(filter: {
    network: Network | null
    intent: string | null
    limit: number
  }): Promise<readonly UnacceptedToken[]>
  /**
   * Returns the wallets that are known to have sent each asset to a payment, the largest amount first, at most three of an asset.
   */
  senders(intentId: string): Promise<readonly HeldSender[]>
  /** Returns releases, the newest first. */
  releases(filter: { network: Network | null; limit: number }): Promise<readonly Release[]>
  /**
   * Sends all held money of an asset at the address of a payment to a wallet, except money that a transfer reserves. A token
   * that is not allowed, and so is in no books, is sent by its final balance. `intent` is an index or an id. A repeat returns the release that is under way. Throws `intent_not_found`, `nothing_held`,
   * `held_money_reserved`, `release_in_progress`, `invalid_address`, `invalid_mint`,
   * `mint_not_supported`, and `invalid_request` without a reason.
   */
  release(order: { intent: string; asset: Asset; to: Address; reason: string }): Promise<readonly Release[]>
}

/** At least the newest round of the releases of one asset: one for each token account. */
const NEWEST = 2 * MAX_OTHER_ACCOUNTS
const MOST_SENDERS = 3
const MAX_INDEX = 2 ** 31 - 1

export type HeldDeps = {
  readonly held: Pick<HeldStore, 'find' | 'senders' | 'releases' | 'planTokenReleases'>
  readonly unaccepted: Pick<UnacceptedStore, 'list'>
  readonly work: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly decisionContext: ReadDecisionContext
  readonly directory: Pick<Directory, 'tokens'>
  readonly chainOf: (network: Network) => MintReader & TokenAccountReader
  readonly judgeDestination: JudgeSweepDestination
}

export function createHeldServices(deps: HeldDeps): Omit<HeldServices, 'payments'> {
  const { held } = deps
  return {
    async unaccepted({ network, intent: named, limit }) {
      const intent = named === null ? null : await findIntent(held, named)
      if (named !== null && intent === null) throw new ServiceError('intent_not_found')
      return await deps.unaccepted.list({ network, intent, limit })
    },

    senders: (intentId) => held.senders(intentId, MOST_SENDERS),

    releases: ({ network, limit }) => held.releases({ limit, ...(network !== null && { network }) }),

    async release({ intent: named, asset, to, reason: given }) {
      const reason = readReason(given)
      const found = await findIntent(held, named)
      if (found === null) throw new ServiceError('intent_not_found')
      const { id, network } = found
      await deps.judgeDestination(network, to)
      const token = await tokenOf(deps, network, asset)
      const context = await deps.decisionContext(network)
      try {
        await decideAndApply(deps.work, id, async (facts) =>
          decideRelease(facts, { asset, to, reason, ...token }, context),
        )
        return newestOf(await held.releases({ subjectId: id, asset, kind: 'release', limit: NEWEST }))
      } catch (error) {
        if (!hasCode(error, 'nothing_held')) throw error
        return await releaseUnbooked(deps, id, { asset, to, reason, context, ...token }, error)
      }
    },
  }
}

/** Finds a payment by its index or by its id. */
async function findIntent(held: Pick<HeldStore, 'find'>, named: string) {
  if (isUuid(named)) return await held.find({ id: named })
  const index = /^\d{1,10}$/.test(named) ? Number(named) : 0
  return index > 0 && index <= MAX_INDEX ? await held.find({ index }) : null
}

type UnbookedOrder = Moved & {
  readonly asset: Asset
  readonly to: Address
  readonly reason: string
  readonly context: DecisionContext
}

/**
 * Plans the release of a token that is not allowed: of the final balances of the address, because the token is in no books.
 * Returns the same release while it is under way. Throws `nothing` for a token that is in the books, or when the address has
 * nothing of it.
 */
async function releaseUnbooked(
  deps: HeldDeps,
  intentId: string,
  order: UnbookedOrder,
  nothing: ServiceError,
): Promise<readonly Release[]> {
  const { held, work, chainOf } = deps
  const { asset, tokenProgram, decimals, to, reason, context } = order
  const facts = await work.facts(intentId)
  if (facts === null || asset === SOL || tokenProgram === null || isBooked(asset, facts, context)) throw nothing
  const newest = async () =>
    newestOf(await held.releases({ subjectId: intentId, asset, kind: TOKEN_RELEASE, limit: NEWEST }))
  const last = await newest()
  if (last.some(({ status }) => status !== 'done' && status !== 'failed')) return joined(last, to)
  const accounts = await chainOf(facts.intent.network).tokenAccounts(facts.intent.address)
  const there = largest(accounts.filter(({ mint }) => mint === asset))
  if (there.length === 0) throw nothing
  const round = 1 + (last[0]?.round ?? 0)
  const token = { mint: asset, tokenProgram, decimals }
  const transfers = there.map(({ account: sourceAccount, amount }) =>
    tokenRelease(facts, token, { sourceAccount, to, amount, round }),
  )
  await held.planTokenReleases(transfers, reason, context.now)
  // Another order of the same moment may have planned this round.
  return joined(await newest(), to)
}

const largest = (accounts: readonly TokenBalance[]): readonly TokenBalance[] =>
  accounts.toSorted((a, b) => (a.amount > b.amount ? -1 : 1)).slice(0, MAX_OTHER_ACCOUNTS)

/** Returns releases that are under way. Throws `release_in_progress` when they go to another wallet. */
function joined(releases: readonly Release[], to: Address): readonly Release[] {
  if (releases.some((one) => one.to !== to)) throw new ServiceError('release_in_progress')
  return releases
}

type Moved = { readonly decimals: number; readonly tokenProgram: Address | null }

/** Returns decimals and program of an asset: from the allowlist, or from the chain for a token that was never on it. */
async function tokenOf({ directory, chainOf }: HeldDeps, network: Network, asset: Asset): Promise<Moved> {
  if (asset === SOL) return { decimals: SOL_DECIMALS, tokenProgram: null }
  const known = (await directory.tokens(network)).get(asset)
  if (known !== undefined) return known
  return await readMovableMint(chainOf(network), { network, mint: asset })
}

/** Returns the releases of the newest round. */
function newestOf(releases: readonly Release[]): readonly Release[] {
  const round = Math.max(...releases.map((one) => one.round))
  return releases.filter((one) => one.round === round)
}

// The list of payments with held money. Anyone can send dust to a payment, so dust neither changes the order of the list nor is
// listed unless it is asked for. docs/limits.md, "Records and load".

/** The payments with dust that are counted. */
const MOST_COUNTED = 1_000

export type HeldListDeps = {
  readonly held: Pick<HeldStore, 'payments' | 'countDust'>
  readonly servedNetworks: readonly Network[]
  readonly dustContext: ReadDustContext
}

export function createHeldList({ held, servedNetworks, dustContext }: HeldListDeps): HeldServices['payments'] {
  const readLimits = async (): Promise<DustLimits> =>
    new Map(
      await Promise.all(
        servedNetworks.map(async (network) => [network, largestDustByAsset(await dustContext(network))] as const),
      ),
    )

  return async ({ network, accountId, afterIndex, includeDust, limit }) => {
    if (afterIndex !== null && afterIndex < 0) throw new ServiceError('invalid_request', { field: 'afterIndex' })
    const dust = includeDust ? null : await readLimits()
    const found = await held.payments({ network, accountId, afterIndex, dust, limit: limit + 1 })
    const payments = found.slice(0, limit)
    return {
      payments,
      nextIndex: found.length > limit ? (payments.at(-1)?.intentIndex ?? null) : null,
      dustPayments: dust === null ? 0 : await held.countDust({ network, accountId, dust, most: MOST_COUNTED }),
    }
  }
}
