// An address was touched: what really moved is read from the chain, and the intent machine decides what it means.

import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import { bySlot, inboundOf, isAsBooked, isExplained } from '#core/deposits/inbound.ts'
import type { IntentFacts } from '#core/intents/change.ts'
import type { Selection } from '#core/intents/intent.ts'
import { decideDeposits, needsRateFor, type ObservedDeposit } from '#core/intents/intent-machine.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { IntentWorkStore } from '#ports/stores.ts'
import { decideAndApply } from '#services/decide.ts'
import type { LockRate } from '#services/intents/select-token.ts'
import { inParallel } from '#services/parallel.ts'
import { createTurns } from '#services/turns.ts'
import type { ReadSurroundings } from './surroundings.ts'

const CONCURRENT = 8

/** An account of an intent and the balance that it was just seen to have. */
export type TouchedAccount = { readonly account: Address; readonly asset: Asset; readonly balance: BaseUnits }

export type Observed = {
  /** False while the chain's history does not yet tell where a balance came from: look again soon. */
  readonly explained: boolean
  /** Assets of which a transfer is under way: what explains their balances may have left already. */
  readonly leaving: ReadonlySet<Asset>
}

/**
 * Reads the history of an intent's touched accounts, but for those that hold what the books say, and takes in every
 * deposit that is new. Safe to repeat.
 */
export type ObserveDeposits = (intentId: string, touched: readonly TouchedAccount[]) => Promise<Observed>

export function createDepositObserver(deps: {
  chainOf: (network: Network) => HistoryReader
  store: Pick<IntentWorkStore, 'facts' | 'apply'>
  surroundings: ReadSurroundings
  lockRate: LockRate
}): ObserveDeposits {
  const observe: ObserveDeposits = async (intentId, touched) => {
    let found: Observed = { explained: true, leaving: new Set() }
    // What the chain says does not depend on the row, so a lost race decides anew without reading it again.
    let observed: readonly ObservedDeposit[] | null = null
    await decideAndApply(deps.store, intentId, async (facts) => {
      observed ??= await readUntilExplained(deps.chainOf(facts.intent.network), facts, touched)
      const around = await deps.surroundings(facts.intent.network)
      const seen = observed
      found = { explained: touched.every((account) => isExplained(facts, seen, account)), leaving: leavingOf(facts) }
      const choice = needsRateFor(facts, seen)
      const token = choice === null ? undefined : around.tokens.get(choice)
      const selection: Selection | null = token === undefined ? null : await deps.lockRate(facts.intent, token)
      return decideDeposits(facts, seen, selection, around)
    })
    return found
  }
  // The watcher and the reconciler may see one payment at the same moment; its history is read once.
  const turns = createTurns()
  return (intentId, touched) => turns(intentId, () => observe(intentId, touched))
}

const leavingOf = ({ transfers }: IntentFacts): ReadonlySet<Asset> =>
  new Set(transfers.filter(({ status }) => status === 'in_progress').map(({ asset }) => asset))

/** What came since the last that is known for good; and where that explains nothing, whatever a list left out before. */
async function readUntilExplained(
  chain: HistoryReader,
  facts: IntentFacts,
  seen: readonly TouchedAccount[],
): Promise<readonly ObservedDeposit[]> {
  const touched = seen.filter((account) => !isAsBooked(facts, account))
  const latest = await readInbound(chain, facts, touched, (account) => newestOf(facts, account))
  const strange = touched.filter((account) => !isExplained(facts, latest, account))
  const cut = strange.filter(({ account }) => newestOf(facts, account) !== null)
  if (cut.length === 0) return latest
  const whole = await readInbound(chain, facts, cut, () => null)
  const isNew = (one: ObservedDeposit) => latest.every((known) => placeOf(known) !== placeOf(one))
  return [...latest, ...whole.filter(isNew)].sort(bySlot)
}

async function readInbound(
  chain: HistoryReader,
  facts: IntentFacts,
  touched: readonly TouchedAccount[],
  until: (account: Address) => Signature | null,
): Promise<readonly ObservedDeposit[]> {
  const sweeps = new Set(facts.transfers.map(({ signature }) => signature))
  const known = new Set(facts.deposits.filter(({ state }) => state !== 'dropped').map(placeOf))
  const fresh = new Set<Signature>()
  await inParallel(touched, CONCURRENT, async ({ account }) => {
    const listed = await chain.signaturesFor(account, { commitment: 'confirmed', until: until(account) })
    for (const { signature, failed } of listed) {
      if (!failed && !sweeps.has(signature) && !known.has(placeOf({ signature, account }))) fresh.add(signature)
    }
  })

  // Only what came into the accounts that are swept: what lies in another token account of the address, which anybody
  // can make, would count as paid and could not be moved.
  const swept = new Set(touched.map(({ account }) => account))
  const observed: ObservedDeposit[] = []
  await inParallel([...fresh], CONCURRENT, async (signature) => {
    const transaction = await chain.transaction(signature, 'confirmed')
    if (transaction === null) return
    observed.push(...inboundOf(transaction, facts.intent).filter(({ account }) => swept.has(account)))
  })
  return observed.sort(bySlot)
}

const placeOf = ({ signature, account }: { signature: Signature; account: Address }): string =>
  `${signature} ${account}`

/**
 * The newest deposit to the account that is known for good: nothing before it has to be listed again. What was taken for
 * dropped may have been forgotten by the providers that were asked, and is listed from before it.
 */
function newestOf({ deposits }: IntentFacts, account: Address): Signature | null {
  const own = deposits.filter((deposit) => deposit.account === account)
  const dropped = own.filter(({ state }) => state === 'dropped')
  const final = own.filter(({ state, slot }) => state === 'final' && dropped.every((lost) => slot < lost.slot))
  return (
    final.reduce<(typeof final)[number] | null>(
      (newest, deposit) => (newest === null || deposit.slot > newest.slot ? deposit : newest),
      null,
    )?.signature ?? null
  )
}
