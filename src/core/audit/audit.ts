// Whether the books say what the chain holds, address by address. docs/money.md, "Invariants", 1.
import type { Address, Asset } from '#core/chain/types.ts'
import { sumOf } from '#core/money/amounts.ts'

/** An account of a deposit address, and what the chain showed there in base units of the asset. */
export type SeenAccount = { readonly account: string; readonly asset: Asset; readonly chain: bigint }

export type AssetSum = { readonly asset: Asset; readonly amount: bigint }

/** What the database says of one deposit address, in one snapshot that is younger than what the chain showed. */
export type AddressBooks = {
  /** Ledger entries summed by account: those up to the slot at which the chain was read, and all of them. */
  readonly entries: readonly {
    readonly account: string
    readonly asset: Asset
    readonly upToSlot: bigint
    readonly total: bigint
  }[]
  /** Final deposits. */
  readonly received: readonly AssetSum[]
  /** Legs of landed transfers, but for those that went back. */
  readonly settled: readonly AssetSum[]
  /** Legs of landed transfers that went back to whoever paid. */
  readonly returned: readonly AssetSum[]
  /** What the chain may show before an entry tells of it: deposits not yet final, attempts that may still land. */
  readonly underWay: readonly { readonly account: string; readonly asset: Asset; readonly delta: bigint }[]
}

/** `ledger + inFlight + difference = chain`, in base units. */
export type AuditedBalance = SeenAccount & {
  readonly ledger: bigint
  readonly inFlight: bigint
  readonly difference: bigint
}

/** `received = settled + returned + remaining + difference`, in base units. */
export type AuditedFlow = {
  readonly asset: Asset
  readonly received: bigint
  readonly settled: bigint
  readonly returned: bigint
  /** What is still there, by the ledger. */
  readonly remaining: bigint
  readonly difference: bigint
}

export type AuditedAddress = {
  readonly intentIndex: number
  readonly address: string
  /** What the master seed gives for the same indexes. */
  readonly derivedAddress: Address
  readonly balances: readonly AuditedBalance[]
  readonly flows: readonly AuditedFlow[]
}

export function auditAddress(
  issued: Pick<AuditedAddress, 'intentIndex' | 'address' | 'derivedAddress'>,
  seen: readonly SeenAccount[],
  books: AddressBooks,
): AuditedAddress {
  return {
    ...issued,
    balances: seen.map((one) => compareBalance(one, books)),
    flows: assetsOf(books).map((asset) => compareFlow(asset, books)),
  }
}

function compareBalance(seen: SeenAccount, books: AddressBooks): AuditedBalance {
  const isHere = ({ account, asset }: { account: string; asset: Asset }) =>
    account === seen.account && asset === seen.asset
  const ledger = sumOf(books.entries.filter(isHere).map(({ upToSlot }) => upToSlot))
  const delta = seen.chain - ledger
  const moves = books.underWay.filter(isHere).map((move) => move.delta)
  const inFlight = isMadeOf(delta, moves) ? delta : 0n
  return { ...seen, ledger, inFlight, difference: delta - inFlight }
}

/** Beyond this many moves at once, 2^12 sums, only the bounds are looked at. */
const MOST_MOVES = 12

/** Whether some of the moves add up to `delta`: each has happened whole, or not at all. */
export function isMadeOf(delta: bigint, moves: readonly bigint[]): boolean {
  if (moves.length > MOST_MOVES) {
    return sumOf(moves.filter((move) => move < 0n)) <= delta && delta <= sumOf(moves.filter((move) => move > 0n))
  }
  let sums = new Set([0n])
  for (const move of moves) sums = new Set([...sums, ...[...sums].map((one) => one + move)])
  return sums.has(delta)
}

function compareFlow(asset: Asset, books: AddressBooks): AuditedFlow {
  const of = (sums: readonly AssetSum[]) => sumOf(sums.filter((one) => one.asset === asset).map(({ amount }) => amount))
  const received = of(books.received)
  const settled = of(books.settled)
  const returned = of(books.returned)
  const remaining = of(books.entries.map((entry) => ({ asset: entry.asset, amount: entry.total })))
  return { asset, received, settled, returned, remaining, difference: received - settled - returned - remaining }
}

const assetsOf = ({ entries, received, settled, returned }: AddressBooks): readonly Asset[] => [
  ...new Set([...entries, ...received, ...settled, ...returned].map(({ asset }) => asset)),
]
