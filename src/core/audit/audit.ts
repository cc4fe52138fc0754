// Compares the books with the chain, address by address. docs/money.md, "Invariants", 1.
import type { Address, Asset } from '#core/chain/types.ts'
import { sumOf } from '#core/money/amounts.ts'

/** An account of a deposit address, and its balance on the chain in base units of the asset. */
export type SeenAccount = {
  readonly account: string
  readonly asset: Asset
  readonly chain: bigint
  /** Set for an account that is not watched. Anyone can make a deposit address the owner of one with a balance. */
  readonly outOfReach?: true
}

export type AssetSum = { readonly asset: Asset; readonly amount: bigint }

/** The records of one deposit address, in one snapshot that is younger than the reading of the chain. */
export type AddressBooks = {
  /** Ledger entries summed by account: those up to the slot at which the chain was read, and all of them. */
  readonly entries: readonly {
    readonly account: string
    readonly asset: Asset
    readonly upToSlot: bigint
    readonly total: bigint
  }[]
  /** Deposits. */
  readonly received: readonly AssetSum[]
  /** Legs of landed transfers, without the legs that went back. */
  readonly settled: readonly AssetSum[]
  /** Legs of landed transfers that went back to the sender, or where the operator decided. */
  readonly returned: readonly AssetSum[]
  /** What the chain may show before an entry exists: attempts that may still land. */
  readonly underWay: readonly { readonly account: string; readonly asset: Asset; readonly delta: bigint }[]
}

/**
 * `ledger + inFlight + unbooked + difference = chain`, in base units. `unbooked` is a surplus in an account out of reach. It is
 * no difference: it may have come without a deposit that could be booked.
 */
export type AuditedBalance = SeenAccount & {
  readonly ledger: bigint
  readonly inFlight: bigint
  readonly unbooked: bigint
  readonly difference: bigint
}

/** `received = settled + returned + remaining + difference`, in base units. */
export type AuditedFlow = {
  readonly asset: Asset
  readonly received: bigint
  readonly settled: bigint
  readonly returned: bigint
  /** What remains at the address, by the ledger. */
  readonly remaining: bigint
  readonly difference: bigint
}

/**
 * What transactions took from the fee payer, and paid to it, in lamports. `repaid` is network fees. `rent` is what closed token
 * accounts brought, less the fees of closing them, which are not in `spent`.
 */
export type FeePayerSums = { readonly spent: bigint; readonly repaid: bigint; readonly rent: bigint }

export type AuditedAddress = {
  readonly intentIndex: number
  readonly address: string
  /** The address that the master seed gives for the same indexes. */
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
  const rest = delta - inFlight
  const unbooked = seen.outOfReach === true && rest > 0n ? rest : 0n
  return { ...seen, ledger, inFlight, unbooked, difference: rest - unbooked }
}

/** With more moves than this (2^12 sums), only the bounds are compared. */
const MAX_MOVES = 12

/** Returns whether some of the moves add up to `delta`: each move has happened as a whole, or not at all. */
export function isMadeOf(delta: bigint, moves: readonly bigint[]): boolean {
  if (moves.length > MAX_MOVES) {
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
