// Held money that a release can take: what is held of an asset and no transfer reserves, by token account.

import { type Address, type Asset, SOL, SOL_DECIMALS } from '#core/chain/types.ts'
import { type BaseUnits, ZERO } from '#core/money/amounts.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { AddressProposal, RefundAddress } from '#core/payments/intent-values.ts'
import { isOpen, type Position, type PositionTransfer, unreservedUnaccepted } from '#core/payments/position/position.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { isTooSmall } from '#core/payments/returns/dust.ts'
import { returnStateOf } from '#core/payments/returns/return-state.ts'
import { isRentReserve } from '#core/payments/transfers.ts'

/** `sourceAccount` is null for SOL, and for the associated token account. */
export type Held = { readonly sourceAccount: Address | null; readonly amount: BaseUnits }

/**
 * Other token accounts from which one order releases, those with the most first: a stranger can make any number, and each costs
 * a transaction. The order can be repeated.
 */
export const MAX_OTHER_ACCOUNTS = 10

/** Returns the open transfers of an asset. A rent reserve goes last: a release does not wait for it. */
export const openOf = ({ transfers }: Position, asset: Asset): readonly PositionTransfer[] =>
  transfers.filter((one) => one.asset === asset && isOpen(one) && !isRentReserve(one))

/**
 * Returns what a release can take of an asset. An open transfer may reserve the same money. With SOL it may also leave less than the
 * rent minimum.
 */
export function releasableOf(position: Position, asset: Asset): readonly Held[] {
  const open = openOf(position, asset)
  const isOpenThere = (account: Address | null) => open.some(({ sourceAccount }) => sourceAccount === account)
  return [{ sourceAccount: null, amount: amountStuck(position, asset) }, ...inOtherAccounts(position, asset)].filter(
    ({ sourceAccount, amount }) => amount > 0n && !isOpenThere(sourceAccount),
  )
}

/**
 * Returns the amount in base units that the last change left. Every change plans the refunds that are possible: what could go back
 * now was held then, by another price, rent minimum or list of custodians.
 */
function amountStuck(position: Position, asset: Asset): BaseUnits {
  const { is } = returnStateOf(position, asset)
  return is === 'stuck' || is === 'ready' ? totalOf(position.of(asset).free) : ZERO
}

/** Returns what other token accounts than the associated one contain, in base units. */
function inOtherAccounts({ deposits, transfers }: Position, asset: Asset): readonly Held[] {
  const own = transfers.filter((one) => one.asset === asset)
  const shares = unreservedUnaccepted(asset, deposits, own)
  return [...Map.groupBy(shares, ({ deposit }) => deposit.account)]
    .map(([sourceAccount, there]) => ({ sourceAccount, amount: totalOf(there) }))
    .sort((a, b) => (a.amount > b.amount ? -1 : 1))
    .slice(0, MAX_OTHER_ACCOUNTS)
}

// What the buyer is asked. docs/contract.md, "An address from the buyer".

/** An asset in which money can go to the buyer. */
type Movable = { readonly asset: Asset; readonly decimals: number; readonly tokenProgram: Address | null }

/** Returns SOL and the tokens of the allowlist among the deposits. */
const movableOf = ({ deposits, context: { tokens } }: Position): readonly Movable[] =>
  [...new Set(deposits.map(({ asset }) => asset))].flatMap((asset): Movable[] => {
    if (asset === SOL) return [{ asset, decimals: SOL_DECIMALS, tokenProgram: null }]
    const token = tokens.get(asset)
    return token === undefined ? [] : [{ asset, decimals: token.decimals, tokenProgram: token.tokenProgram }]
  })

const isWorthIt = (asset: Asset, { amount }: Pick<Held, 'amount'>, context: DecisionContext): boolean =>
  amount > 0n && !isTooSmall({ asset, amount }, context)

/** Returns the held money that could go to an address of the buyer now: a release can take it, and it is more than dust. */
export const releasableToBuyer = (position: Position): readonly (Movable & { readonly held: readonly Held[] })[] =>
  movableOf(position).flatMap((movable) => {
    const held = releasableOf(position, movable.asset).filter((one) => isWorthIt(movable.asset, one, position.context))
    return held.length === 0 ? [] : [{ ...movable, held }]
  })

/** Returns whether money is left for the buyer that no transfer reserves, also while another transfer of its asset is open. */
const isLeftForBuyer = (position: Position): boolean =>
  movableOf(position).some(({ asset }) => {
    const free = returnStateOf(position, asset).is === 'business' ? ZERO : totalOf(position.of(asset).free)
    return [{ amount: free }, ...inOtherAccounts(position, asset)].some((one) =>
      isWorthIt(asset, one, position.context),
    )
  })

/**
 * The addresses that may be proposed before the business decides about one: each is an event. Anyone with the link can use them up,
 * and then the business declines the last one.
 */
export const MAX_PROPOSALS = 10

/** Returns the number of the next proposal among those that the business has not decided about. */
export const nextNumberOf = (former: AddressProposal | null): number =>
  former?.status === 'proposed' ? former.number + 1 : 1

/** Returns what the buyer is asked after a change. A proposal is closed when the money has gone elsewhere. */
export function refundAddressAfter(position: Position): RefundAddress | null {
  const former = closedWithout(position, position.intent.refundAddress?.proposal ?? null)
  const isWanted = nextNumberOf(former) <= MAX_PROPOSALS && releasableToBuyer(position).length > 0
  const proposal = former && { ...former, status: sentStatusOf(position, former, isWanted) }
  return isWanted || proposal !== null ? { isWanted, proposal } : null
}

/** Money that is held may be new. It was not sent when the last release of an asset to the address has failed. */
function sentStatusOf(
  { transfers }: Position,
  { status, address }: AddressProposal,
  isWanted: boolean,
): AddressProposal['status'] {
  if (status !== 'approved' && status !== 'not_sent') return status
  const releases = transfers.filter(({ legs }) =>
    legs.some((leg) => leg.role === 'buyer' && leg.destination === address),
  )
  const last = [...Map.groupBy(releases, ({ asset }) => asset).values()].map((own) => own.at(-1))
  return isWanted && last.some((one) => one?.status === 'failed') ? 'not_sent' : 'approved'
}

const closedWithout = (position: Position, proposal: AddressProposal | null): AddressProposal | null =>
  proposal?.status !== 'proposed' || isLeftForBuyer(position)
    ? proposal
    : { ...proposal, status: 'closed', decidedAt: position.context.now }
