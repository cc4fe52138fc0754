// Executes transactions on a toy chain, by the rules of the real chain that matter to money: a balance must be
// sufficient, a wallet keeps nothing or the rent minimum, only an empty account is closed, a frozen account moves
// nothing.
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import { FEE_PAYER } from './payment.ts'
import { type Change, type Landed, type ToyLedger, tokenAccountOf } from './toy-ledger.ts'

/** Half of that of the chain: see RENT in payment.ts. */
export const WALLET_RENT = 445_440n
export const TOKEN_RENT = 2_039_280n
const PEOPLES_FEE = 5_000n

type Effects = Pick<Landed, 'error' | 'changes' | 'withheld'>
type Payment = {
  readonly from: Address
  readonly to: Address
  readonly asset: Asset
  readonly amount: bigint
  readonly signed: boolean
  readonly at: bigint
}

const placeOf = (owner: Address, asset: Asset, account?: Address): Address =>
  account ?? (asset === SOL ? owner : tokenAccountOf(owner, asset))

export type ToyRent = { wallet: bigint; tokenAccount: bigint }

/** `rent`: the minimum of the moment, of a wallet and of a token account. */
export function createToyExecution({ balance, withheld, mints, frozen }: ToyLedger, fee: bigint, rent: ToyRent) {
  const paysFee = (payer: Address, amount: bigint): Change => ({
    account: payer,
    owner: payer,
    asset: SOL,
    delta: -amount,
  })
  /** The effects of a failed transaction; with null, those of one that did not run, because its fee payer could not pay. */
  const failure = (error: string | null): Effects => ({
    error: error ?? 'InsufficientFundsForFee',
    changes: error === null ? [] : [paysFee(FEE_PAYER, fee)],
    withheld: [],
  })

  /** One amount to each destination, with the token accounts that the payer has to create for them. */
  const move = (
    source: Pick<TransactionPlan, 'source' | 'sourceAccount'>,
    asset: Asset,
    legs: readonly { readonly destination: Address; readonly amount: bigint }[],
    payer: Address,
    at: bigint,
  ): Omit<Effects, 'error'> => {
    const feeBps = mints.get(asset)?.feeBps ?? 0n
    const sums = new Map<string, Change>()
    const kept: Landed['withheld'][number][] = []
    const add = (change: Change) => {
      const key = `${change.account} ${change.asset}`
      sums.set(key, { ...change, delta: (sums.get(key)?.delta ?? 0n) + change.delta })
    }
    for (const { destination, amount } of legs) {
      const account = placeOf(destination, asset)
      const back = (amount * feeBps + 9_999n) / 10_000n
      add({ account: placeOf(source.source, asset, source.sourceAccount), owner: source.source, asset, delta: -amount })
      add({ account, owner: destination, asset, delta: amount - back })
      if (back > 0n) kept.push({ account, delta: back })
      if (asset === SOL || balance(account, SOL, at) > 0n || sums.has(`${account} ${SOL}`)) continue
      add(paysFee(payer, rent.tokenAccount))
      add({ account, owner: account, asset: SOL, delta: rent.tokenAccount })
    }
    return { changes: [...sums.values()], withheld: kept }
  }

  const close = (plan: TransactionPlan & { kind: 'close' }, at: bigint): Effects => {
    const account = placeOf(plan.source, plan.token.mint, plan.sourceAccount)
    if (balance(account, plan.token.mint, at) > 0n) return failure('not empty')
    const fees = withheld(account, at)
    if (fees > 0n && !plan.harvestWithheld) return failure('fees are withheld')
    const kept = balance(account, SOL, at)
    if (kept === 0n) return failure('no such account')
    return {
      error: null,
      changes: [{ account, owner: account, asset: SOL, delta: -kept }, paysFee(FEE_PAYER, fee - kept)],
      withheld: fees > 0n ? [{ account, delta: -fees }] : [],
    }
  }

  /** Returns whether an empty wallet would have less than the rent minimum. The chain checks it after the whole transaction. */
  const staysBelowRent = ({ legs }: TransactionPlan & { kind: 'legs' }, at: bigint): boolean =>
    legs.some(({ destination }) => {
      const sum = legs.reduce((total, leg) => total + (leg.destination === destination ? leg.amount : 0n), 0n)
      return balance(destination, SOL, at) === 0n && sum < rent.wallet
    })

  const transfer = (plan: TransactionPlan & { kind: 'legs' }, at: bigint): Effects => {
    const account = placeOf(plan.source, plan.asset, plan.sourceAccount)
    if (frozen.has(account)) return failure('frozen')
    const left = plan.legs.reduce((rest, { amount }) => rest - amount, balance(account, plan.asset, at))
    if (left < 0n) return failure('insufficient funds')
    if (plan.asset === SOL && left > 0n && left < rent.wallet) return failure('insufficient funds for rent')
    if (plan.asset === SOL && staysBelowRent(plan, at)) return failure('insufficient funds for rent')
    const { changes, withheld } = move(plan, plan.asset, plan.legs, FEE_PAYER, at)
    return { error: null, changes: merged([paysFee(FEE_PAYER, fee), ...changes]), withheld }
  }

  return {
    failure,
    /** Returns the effect of a plan that lands at this slot, or why it fails. */
    run(plan: TransactionPlan, at: bigint): Effects {
      return plan.kind === 'close' ? close(plan, at) : transfer(plan, at)
    },
    /**
     * Returns the effect of a person's own payment. Another wallet pays the fee of a payment that the person did not
     * sign.
     */
    payment({ from, to, asset, amount, signed, at }: Payment): Omit<Landed, 'slot' | 'error'> {
      const feePayer = signed ? from : to
      const { changes, withheld } = move({ source: from }, asset, [{ destination: to, amount }], from, at)
      const fees = signed ? [paysFee(from, PEOPLES_FEE)] : []
      return {
        changes: merged([...fees, ...changes]),
        withheld,
        fee: signed ? PEOPLES_FEE : 0n,
        feePayer,
        signers: signed ? [from] : [],
        plan: null,
      }
    },
  }
}

/** Returns one change for each account and asset, without changes that add up to zero. */
function merged(changes: readonly Change[]): readonly Change[] {
  const sums = new Map<string, Change>()
  for (const change of changes) {
    const key = `${change.account} ${change.asset}`
    sums.set(key, { ...change, delta: (sums.get(key)?.delta ?? 0n) + change.delta })
  }
  return [...sums.values()].filter(({ delta }) => delta !== 0n)
}
