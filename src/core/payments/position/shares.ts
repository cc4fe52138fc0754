// The owners of the money at an address: every deposit by its senders, and what transfers take from these shares. No sender gets back
// a unit that another sender sent, in any number of rounds. docs/money.md, "Refund recipients".

import type { Address } from '#core/chain/types.ts'
import { type BaseUnits, capAtU64, makeBaseUnits, smaller, subtract, sumOf } from '#core/money/amounts.ts'
import type { Obstacle } from '#core/payments/obstacle.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import type { NewPaymentTransfer, PaymentLeg, PaymentTransfer } from '#core/payments/transfers.ts'

/** A part of one deposit. */
export type DepositShare = {
  readonly deposit: Deposit
  /** null when the sender is not known. */
  readonly sender: Address | null
  /** Set when it is not returned automatically although its sender is known, or why the sender is not known. */
  readonly obstacle: Obstacle | null
  readonly amount: BaseUnits
}

/**
 * Returns the shares of the oldest deposit first. Within a deposit, the share without a known sender first, then the smallest
 * sender first.
 */
export function depositSharesOf(deposits: readonly Deposit[]): readonly DepositShare[] {
  const oldestFirst = [...deposits].sort((a, b) => (a.slot === b.slot ? 0 : a.slot < b.slot ? -1 : 1))
  return oldestFirst.flatMap((deposit) => {
    const shares: DepositShare[] = []
    let rest = deposit.amount
    const [ambiguous, known] = [deposit.senders.filter(isAmbiguous), deposit.senders.filter((one) => !isAmbiguous(one))]
    for (const { address, amount, obstacle = null } of known) {
      const part = smaller(amount, rest)
      shares.push({ deposit, sender: address, obstacle, amount: part })
      rest = subtract(rest, part)
    }
    shares.push({ deposit, sender: null, obstacle: ambiguous.length > 0 ? 'ambiguous' : null, amount: rest })
    return shares.filter(({ amount }) => amount > 0n).reverse()
  })
}

/** A wallet that may have sent a part of the deposit. Its name is kept, and no part counts as its own. */
const isAmbiguous = ({ obstacle }: Deposit['senders'][number]): boolean => obstacle === 'ambiguous'

/** Returns whether the shares cover the legs: each refund from the shares of its recipient, and all legs together. */
export function coversLegs(shares: readonly DepositShare[], legs: readonly PaymentLeg[]): boolean {
  if (totalOf(legs) > totalOf(shares)) return false
  const refunds = legs.filter(({ role }) => role === 'refund')
  return [...Map.groupBy(refunds, ({ destination }) => destination)].every(
    ([wallet, own]) => totalOf(own) <= totalOf(shares.filter(({ sender }) => sender === wallet)),
  )
}

/** Returns the sum of the parts, at most 2^64 − 1: one transfer cannot move more than an account holds. */
export const totalOf = (parts: readonly { readonly amount: BaseUnits }[]): BaseUnits =>
  capAtU64(sumOf(parts.map(({ amount }) => amount)))

/** Returns the newest part of shares, up to an amount; the newest share comes first. */
export const newestPart = (amount: BaseUnits, shares: readonly DepositShare[]): readonly DepositShare[] =>
  oldestPart(amount, shares.toReversed())

/** Returns the first part of shares, up to an amount. */
export function oldestPart(amount: BaseUnits, shares: readonly DepositShare[]): readonly DepositShare[] {
  let left = amount
  return shares.flatMap((share) => {
    const part = smaller(share.amount, left)
    left = subtract(left, part)
    return part === 0n ? [] : [{ ...share, amount: part }]
  })
}

export type Taking = Pick<NewPaymentTransfer, 'kind' | 'legs'>

/** A transfer with the version of the payment at which it was planned. */
export type PlannedTaking = Taking & Pick<PaymentTransfer, 'plannedVersion'>

/** A share of the pool, with the amount that is left of it. */
export type Remainder = { -readonly [Key in keyof DepositShare]: DepositShare[Key] }

/** What a transfer takes from each share. */
export type Takes = ReadonlyMap<Remainder, bigint>

/** Returns whether a transfer that was planned at a version could take the share: it was known then. */
export const couldTake = (
  { plannedVersion }: Pick<PlannedTaking, 'plannedVersion'>,
  { deposit }: DepositShare,
): boolean => deposit.seenVersion <= plannedVersion

/**
 * Lets the transfers take their legs from the shares, one after the other, in the order in which they were planned. Each takes
 * only what was known when it was planned, so that what it took stays the same whatever arrives later. `onTakes` is called
 * with what each takes, while the pool still has it. Returns the shares that remain, in their order.
 */
export function takeInTurn<T extends PlannedTaking>(
  shares: readonly DepositShare[],
  transfers: readonly T[],
  onTakes: (transfer: T, takes: Takes, pool: SharePool) => void = () => {},
): readonly DepositShare[] {
  const pool = new SharePool()
  const left: DepositShare[] = [...shares]
  const firstSeen = shares
    .map((share, age) => ({ share, age }))
    .toSorted((a, b) => a.share.deposit.seenVersion - b.share.deposit.seenVersion)
  let next = 0
  for (const transfer of transfers) {
    const from = next
    for (let first = firstSeen[next]; first !== undefined && couldTake(transfer, first.share); first = firstSeen[next])
      next += 1
    const known = firstSeen.slice(from, next).toSorted((a, b) => a.age - b.age)
    for (const { share, age } of known) left[age] = pool.add(share)
    const takes = pool.takesOf(transfer)
    onTakes(transfer, takes, pool)
    pool.take(takes)
  }
  return left.filter(({ amount }) => amount > 0n)
}

/** Shares in the order in which they were added. A walk from one end removes the empty shares at that end. */
class Row {
  readonly #shares: Remainder[] = []
  #first = 0

  add(share: Remainder): void {
    this.#shares.push(share)
  }

  *oldestFirst(): Iterable<Remainder> {
    while (this.#shares[this.#first]?.amount === 0n) this.#first += 1
    for (let at = this.#first; at < this.#shares.length; at += 1) yield* this.#at(at)
  }

  *newestFirst(): Iterable<Remainder> {
    while (this.#shares.at(-1)?.amount === 0n) this.#shares.pop()
    for (let at = this.#shares.length - 1; at >= 0; at -= 1) yield* this.#at(at)
  }

  *#at(at: number): Iterable<Remainder> {
    const share = this.#shares[at]
    if (share !== undefined) yield share
  }
}

/** Payments for the price, and late payments and wrong assets. */
type Rows = { readonly paid: Row; readonly late: Row }
const emptyRows = (): Rows => ({ paid: new Row(), late: new Row() })

/** A share with an obstacle stays, and the other shares of the same wallet go back. */
type Wallet = { readonly free: Rows; readonly obstructed: Rows }

export class SharePool {
  readonly #all = emptyRows()
  readonly #bySender = new Map<Address, Wallet>()
  #steps = 0

  /** The shares that takes have looked at so far. */
  get steps(): number {
    return this.#steps
  }

  /** Adds a share as the newest. Returns it as it stands in the pool. */
  add(share: DepositShare): Remainder {
    const own = { ...share }
    const row = own.deposit.use === 'applied' ? 'paid' : 'late'
    this.#all[row].add(own)
    if (own.sender === null) return own
    const wallet = this.#bySender.get(own.sender) ?? { free: emptyRows(), obstructed: emptyRows() }
    this.#bySender.set(own.sender, wallet)
    wallet[own.obstacle === null ? 'free' : 'obstructed'][row].add(own)
    return own
  }

  /**
   * Returns what a transfer would take. A refund and its network fee take from the shares of its recipients: late payments
   * before payments for the price, and the newest first; what else they take is of late payments, or of the newest. Every other
   * transfer takes the payments for the price first, also for an excess that it returns.
   */
  takesOf({ kind, legs }: Taking): Takes {
    const isRefund = kind === 'refund'
    const takes = new Map<Remainder, bigint>()
    const recipients = legs.flatMap(({ role, destination }) => (role === 'refund' ? [destination] : []))
    const rest = sumOf(
      legs.map(({ role, destination, amount }) =>
        role === 'refund' ? this.#takeFrom(this.#sharesOf(destination, isRefund), amount, takes) : amount,
      ),
    )
    const { paid, late } = this.#all
    const others = isRefund ? [late.oldestFirst(), paid.newestFirst()] : [paid.oldestFirst(), late.oldestFirst()]
    const own = (isRefund ? recipients : []).flatMap((wallet) => this.#sharesOf(wallet, isRefund))
    this.#takeFrom([...own, ...others], rest, takes)
    return takes
  }

  take(takes: Takes): void {
    for (const [share, amount] of takes) share.amount = subtract(share.amount, makeBaseUnits(amount))
  }

  #sharesOf(sender: Address, lateFirst: boolean): readonly Iterable<Remainder>[] {
    const wallet = this.#bySender.get(sender)
    if (wallet === undefined) return []
    return [wallet.free, wallet.obstructed].flatMap(({ paid, late }) =>
      (lateFirst ? [late, paid] : [paid, late]).map((row) => row.newestFirst()),
    )
  }

  /** Adds to `takes` what the shares cover of the amount, in this order. Returns the amount that they do not cover. */
  #takeFrom(sources: readonly Iterable<Remainder>[], amount: bigint, takes: Map<Remainder, bigint>): bigint {
    let due = amount
    for (const source of sources) {
      if (due === 0n) return due
      for (const share of source) {
        this.#steps += 1
        const taken = takes.get(share) ?? 0n
        const left = share.amount - taken
        const part = due < left ? due : left
        if (part > 0n) takes.set(share, taken + part)
        due -= part
        if (due === 0n) break
      }
    }
    return due
  }
}
