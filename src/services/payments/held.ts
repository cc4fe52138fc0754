// Held money: the operator releases it to an address with a reason, and lists the releases.
import { type Address, type Asset, type Network, SOL, SOL_DECIMALS } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { decideRelease } from '#core/payments/machine/release.ts'
import type { DepositKeys, MintReader } from '#ports/chain.ts'
import type { HeldStore, Release } from '#ports/held.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { UnacceptedStore } from '#ports/unaccepted.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import type { HeldServices } from '#services/payments/held-services.ts'
import { readReason } from '#services/reason.ts'
import { readSupportedMint } from '#services/tokens/supported-mint.ts'
import { sourceAccountOf } from '#services/transfers/plan.ts'
import { isUuid } from '#services/uuid.ts'

/** More releases than an address ever has under way in one asset. */
const NEWEST = 20
const MAX_INDEX = 2 ** 31 - 1

export type HeldDeps = {
  readonly store: Pick<HeldStore, 'find' | 'releases'>
  readonly unaccepted: Pick<UnacceptedStore, 'list'>
  readonly work: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly decisionContext: ReadDecisionContext
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly mintsOf: (network: Network) => MintReader
  readonly judgeDestination: JudgeSweepDestination
}

export function createHeldServices(deps: HeldDeps): Omit<HeldServices, 'payments'> {
  const { store } = deps
  return {
    async unaccepted({ network, intent: named, limit }) {
      const intent = named === null ? null : await findIntent(store, named)
      if (named !== null && intent === null) throw new ServiceError('intent_not_found')
      return await deps.unaccepted.list({ network, intent, limit })
    },

    releases: ({ network, limit }) => store.releases({ limit, ...(network !== null && { network }) }),

    async release({ intent: named, asset, to, reason: given }) {
      const reason = readReason(given)
      const found = await findIntent(store, named)
      if (found === null) throw new ServiceError('intent_not_found')
      const { id, network } = found
      await deps.judgeDestination(network, to)
      const token = await tokenOf(deps, network, asset)
      const context = await deps.decisionContext(network)
      await decideAndApply(deps.work, id, async (facts) => {
        const source = facts.intent.address
        const account = await sourceAccountOf(deps.keys, { source, asset, tokenProgram: token.tokenProgram })
        return decideRelease(facts, { asset, to, reason, account, ...token }, context)
      })
      return newestOf(await store.releases({ intentId: id, limit: NEWEST }), asset)
    },
  }
}

/** Finds a payment by its index or by its id. */
async function findIntent(store: Pick<HeldStore, 'find'>, named: string) {
  if (isUuid(named)) return await store.find({ id: named })
  const index = /^\d{1,10}$/.test(named) ? Number(named) : 0
  return index > 0 && index <= MAX_INDEX ? await store.find({ index }) : null
}

type Moved = { readonly decimals: number; readonly tokenProgram: Address | null }

/** Returns decimals and program of an asset: from the allowlist, or from the chain for a token that was never on it. */
async function tokenOf({ directory, mintsOf }: HeldDeps, network: Network, asset: Asset): Promise<Moved> {
  if (asset === SOL) return { decimals: SOL_DECIMALS, tokenProgram: null }
  const known = (await directory.tokens(network)).get(asset)
  if (known !== undefined) return known
  // A permanent delegate or a pause extension is no reason to refuse a release.
  return await readSupportedMint(
    mintsOf(network),
    { network, mint: asset },
    { permanentDelegate: true, pausable: true },
  )
}

/** Returns the releases that this order planned, or found under way. */
function newestOf(releases: readonly Release[], asset: Asset): readonly Release[] {
  const own = releases.filter((one) => one.asset === asset)
  const round = Math.max(...own.map((one) => one.round))
  return own.filter((one) => one.round === round)
}
