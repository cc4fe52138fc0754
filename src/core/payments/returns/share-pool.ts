// The shares of deposits, and what transfers take from them. The work grows with the number of shares and legs, and not with
// their product: anyone can make many of both.
import type { Address } from '#core/chain/types.ts'
import { makeBaseUnits, subtract, sumOf } from '#core/money/amounts.ts'
import type { DepositShare } from '#core/payments/returns/deposit-shares.ts'
import type { NewPaymentTransfer } from '#core/payments/transfers.ts'

export type Taking = Pick<NewPaymentTransfer, 'kind' | 'legs'>

/** A share of the pool, with the amount that is left of it. */
export type Remainder = { -readonly [Key in keyof DepositShare]: DepositShare[Key] }

/** What a transfer takes from each share. */
export type Takes = ReadonlyMap<Remainder, bigint>

/** Returns the shares that remain once the transfers, in this order, have taken their legs. */
export function remainingShares(
  shares: readonly DepositShare[],
  transfers: readonly Taking[],
): readonly DepositShare[] {
  const pool = new SharePool()
  const left = shares.map((share) => pool.add(share))
  for (const transfer of transfers) pool.take(pool.takesOf(transfer))
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
   * before payments for the price, and the newest first. Every other transfer takes the payments for the price first, also
   * for an excess that it returns.
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
    const own = (isRefund ? recipients : []).flatMap((wallet) => this.#sharesOf(wallet, isRefund))
    this.#takeFrom([...own, this.#all.paid.oldestFirst(), this.#all.late.oldestFirst()], rest, takes)
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
