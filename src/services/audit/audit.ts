// Accounts for every lamport and token, one page of addresses at a time: derives each address again, reads the chain, and
// compares it with the books.
//
// The chain is read before the books. So a movement that the chain shows is an entry by then, or the books have it as under
// way. Entries of slots after the read of the chain do not count.
import { type AuditedAddress, auditAddress, type FeePayerSums, type SeenAccount } from '#core/audit/audit.ts'
import { inCalls } from '#core/chain/full-calls.ts'
import { isPublicKey } from '#core/chain/public-key.ts'
import type { AccountState, Address, Asset, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { type Lamports, makeLamports, sumOf } from '#core/money/amounts.ts'
import { isTaken } from '#core/payments/deposits/unaccepted.ts'
import { forEachParallel, mapParallel } from '#lib/parallel.ts'
import type { AuditStore, IssuedAddress, RecordedBooks } from '#ports/audit.ts'
import type { BalanceReader, DepositKeys, TokenAccountReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Halt, HaltStore } from '#ports/halts.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { accountsOf, balanceOf } from '#services/detection/polling/watch-list.ts'
import { isUuid, readReason } from '#services/requests.ts'
import { sourceAccountOf } from '#services/transfers/steps.ts'

// The use cases of the audit and of halted addresses. For the operator.

export type AuditScope = {
  /** The number of deposit addresses that the network ever had. */
  readonly addresses: number
  readonly feePayer: Address
  readonly feePayerLamports: Lamports
}

export type AuditPage = {
  readonly addresses: readonly (AuditedAddress & {
    /** The rent in its token accounts, which goes to the fee payer when they are closed. */
    readonly tokenAccountLamports: Lamports
  })[]
  /** What the transactions of these addresses took from the fee payer, and paid to it. */
  readonly feePayer: FeePayerSums
  /** Where the next page begins; null at the end. */
  readonly nextIndex: number | null
}

/** Compares the books of every address with the chain. Every address is derived again. */
type AuditServices = {
  /** Returns null where the deployment does not serve the network. Throws `chain_unavailable`. */
  scope(network: Network): Promise<AuditScope | null>
  /** Throws `network_unavailable`, `chain_unavailable`. */
  page(network: Network, page: { afterIndex: number; limit: number }): Promise<AuditPage>
  /** Returns halted addresses, the newest halt first; with `open: false` the cleared halts too. */
  halts(filter: { network: Network | null; open: boolean; limit: number }): Promise<readonly Halt[]>
  /**
   * Lets an address send again although its books differ from the chain. These differences do not halt it again. Throws `halt_not_found`, `invalid_request` without a reason.
   */
  clearHalt(id: string, reason: string): Promise<Halt>
}

const CALLS_AT_ONCE = 4

export type AuditDeps = {
  readonly audit: AuditStore
  readonly halts: Pick<HaltStore, 'list' | 'clear'>
  /** Real time. */
  readonly wallClock: Clock
  readonly keys: DepositKeys
  readonly directory: Pick<Directory, 'tokens'>
  /** Null where the deployment does not serve the network. */
  readonly networks: Readonly<
    Record<Network, { readonly chain: BalanceReader & TokenAccountReader; readonly feePayer: Address } | null>
  >
}

export function createAuditServices(deps: AuditDeps): AuditServices {
  return {
    async scope(network) {
      const served = deps.networks[network]
      if (served === null) return null
      const { chain, feePayer } = served
      const [addresses, { states }] = await Promise.all([
        deps.audit.countIssued(network),
        chain.readAccounts([feePayer]),
      ])
      return { addresses, feePayer, feePayerLamports: states[0]?.lamports ?? makeLamports(0n) }
    },

    async page(network, { afterIndex, limit }) {
      const served = deps.networks[network]
      if (served === null) throw new ServiceError('network_unavailable', { network })
      const issued = await withOtherAccounts(served.chain, await deps.audit.issued(network, { afterIndex, limit }))
      const audited = await auditAddresses(deps, { network, ...served }, issued)
      return {
        addresses: audited.map(({ shown }) => shown),
        feePayer: {
          spent: sumOf(audited.map(({ feePayer }) => feePayer.spent)),
          repaid: sumOf(audited.map(({ feePayer }) => feePayer.repaid)),
          rent: sumOf(audited.map(({ feePayer }) => feePayer.rent)),
        },
        nextIndex: issued.length < limit ? null : (issued.at(-1)?.intentIndex ?? null),
      }
    },

    halts: deps.halts.list,

    async clearHalt(id, given) {
      const reason = readReason(given)
      const cleared = isUuid(id)
        ? await deps.halts.clear(id, { by: 'operator', reason, at: deps.wallClock.now() })
        : null
      if (cleared === null) throw new ServiceError('halt_not_found', { id })
      return cleared
    },
  }
}

/** Returns the addresses with every token account that they own: anyone can make other accounts than those that are watched. */
const withOtherAccounts = (
  chain: TokenAccountReader,
  issued: readonly IssuedAddress[],
): Promise<readonly IssuedAddress[]> =>
  mapParallel(issued, CALLS_AT_ONCE, async (one) => {
    if (!isPublicKey(one.address)) return one
    const found = await chain.tokenAccounts(one.address)
    return { ...one, places: [...one.places, ...found.map(({ account, mint }) => ({ account, asset: mint }))] }
  })

export type Audited = {
  readonly issued: IssuedAddress
  readonly shown: AuditPage['addresses'][number]
  readonly feePayer: RecordedBooks['feePayer']
}

/**
 * Returns each address with its books and its balances, all accounts of an address at one slot. Tokens that are not allowed
 * have no books: their issuer may mint and burn them at will. A token that was allowed once counts where it was taken in.
 */
export async function auditAddresses(
  deps: Pick<AuditDeps, 'audit' | 'keys' | 'directory'>,
  { network, chain, feePayer }: { network: Network; chain: BalanceReader; feePayer: Address },
  issued: readonly IssuedAddress[],
): Promise<readonly Audited[]> {
  const tokens = await deps.directory.tokens(network)
  const snapshots = await readSnapshots(chain, await findPlaces(deps, { network, tokens }, issued))
  const books = await deps.audit.books(
    snapshots.map(({ intentId, slot }) => ({ intentId, slot })),
    feePayer,
  )
  return await inOrder(snapshots, async (snapshot) => {
    const own = booksOf(books, snapshot)
    const isBooked = (asset: Asset) =>
      isTaken(asset, snapshot, tokens) || (tokens.has(asset) && assetsIn(own).includes(asset))
    return { issued: snapshot, shown: await judge(deps, snapshot, own, isBooked), feePayer: own.feePayer }
  })
}

type Place = IssuedAddress['places'][number]
type ReadPlace = Place & Pick<SeenAccount, 'outOfReach'>
type Asked = IssuedAddress & { readonly derivedAddress: Address; readonly read: readonly ReadPlace[] }
type ChainSnapshot = Asked & { readonly slot: bigint; readonly states: ReadonlyMap<string, AccountState | null> }

const nameOf = ({ account, asset }: Place): string => `${account} ${asset}`

/** Returns each address, derived again, with every account that could contain its money. */
async function findPlaces(
  { keys }: Pick<AuditDeps, 'keys'>,
  { network, tokens }: { network: Network; tokens: Awaited<ReturnType<Directory['tokens']>> },
  issued: readonly IssuedAddress[],
): Promise<readonly Asked[]> {
  return await inOrder(issued, async (one) => {
    const path = { network, branch: 'deposit', account: one.accountIndex, intent: one.intentIndex } as const
    const { address, acceptedAssets } = one
    const usual = isPublicKey(address) ? await accountsOf({ address, acceptedAssets }, keys, tokens) : []
    const places = new Map<string, ReadPlace>(usual.map((place) => [nameOf(place), place]))
    for (const place of one.places) {
      if (!places.has(nameOf(place))) places.set(nameOf(place), { ...place, outOfReach: true })
    }
    return { ...one, derivedAddress: keys.addressOf(path), read: [...places.values()] }
  })
}

/** Reads the chain in full calls. All accounts of one address are in one call, so that they are seen at one slot. */
async function readSnapshots(chain: BalanceReader, asked: readonly Asked[]): Promise<readonly ChainSnapshot[]> {
  const snapshots = new Map<string, ChainSnapshot>()
  const calls = inCalls(asked, ({ read }) => read.length)
  await forEachParallel(calls, CALLS_AT_ONCE, async (group) => {
    // A text that is no address has no account, even when an entry names it.
    const accounts = [...new Set(group.flatMap(({ read }) => read.map(({ account }) => account)))].filter(isPublicKey)
    const { slot, states } = await chain.readAccounts(accounts)
    const byAccount = new Map(accounts.map((account, at) => [account, states[at] ?? null]))
    for (const one of group) snapshots.set(one.intentId, { ...one, slot, states: byAccount })
  })
  return asked.flatMap(({ intentId }) => snapshots.get(intentId) ?? [])
}

async function judge(
  { keys }: Pick<AuditDeps, 'keys'>,
  { intentIndex, address, derivedAddress, read, states }: ChainSnapshot,
  books: RecordedBooks,
  isBooked: (asset: Asset) => boolean,
): Promise<AuditPage['addresses'][number]> {
  const booked = read.filter(({ asset }) => isBooked(asset))
  const seen = booked.map((place) => ({ ...place, chain: balanceOf(states.get(place.account) ?? null, place.asset) }))
  const leaving = await inOrder(books.leaving, async ({ amount, ...leaving }) => ({
    account: isPublicKey(address) ? await sourceAccountOf(keys, { source: address, ...leaving }) : address,
    asset: leaving.asset,
    delta: -amount,
  }))
  return {
    ...auditAddress({ intentIndex, address, derivedAddress }, seen, {
      entries: books.entries.filter(({ asset }) => isBooked(asset)),
      received: books.received.filter(({ asset }) => isBooked(asset)),
      settled: books.settled.filter(({ asset }) => isBooked(asset)),
      returned: books.returned.filter(({ asset }) => isBooked(asset)),
      underWay: leaving,
    }),
    tokenAccountLamports: rentIn(booked, states),
  }
}

/** Returns the lamports in token accounts: rent, which goes to the fee payer when they are closed. */
const rentIn = (read: readonly Place[], states: ChainSnapshot['states']): Lamports =>
  makeLamports(
    [...new Set(read.map(({ account }) => states.get(account) ?? null))]
      .filter((state) => state !== null && state.token !== null)
      .reduce((sum, state) => sum + (state?.lamports ?? 0n), 0n),
  )

const assetsIn = ({ received, settled, returned, leaving }: RecordedBooks): readonly Asset[] =>
  [received, settled, returned, leaving].flatMap((rows) => rows.map(({ asset }) => asset))

function booksOf(books: ReadonlyMap<string, RecordedBooks>, { intentId }: Pick<Asked, 'intentId'>): RecordedBooks {
  const found = books.get(intentId)
  if (found === undefined) throw new Error(`no books for the intent ${intentId}`)
  return found
}

async function inOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}
