// Money back from an address on a small chain: each transfer is judged before it is signed, and lands or fails by the rules of the
// chain. Strangers pay at the worst moments, and nothing of the business or of a buyer stays behind.
import { describe, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import type { Decision, IntentChange, IntentFacts, Payee } from '#core/payments/change.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { judgeTransfer } from '#core/payments/machine/preflight.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { decideRelease } from '#core/payments/machine/release.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { bookDusty, bookHeld, bookUndeliverable, isReserveDue } from '#core/payments/machine/withdraw.ts'
import { isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'
import { SYSTEM_PROGRAM } from '#core/transfers/preflight.ts'
import { MINT } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  attemptFor,
  BUYER,
  changeOf,
  choice,
  context,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  MARKETPLACE,
  NOW,
  observedDeposit,
  PAYEE,
  PLATFORM,
  PRICES,
  signatureNo,
  TERMS,
  TOKEN_PROGRAM,
  units,
} from '../../../support/payment.ts'

/** The rent minimum of an account without data, and the network fee, as they are on mainnet. */
const RENT = makeLamports(890_880n)
const FEE = makeLamports(10_050n)
const RICH = 1_000_000_000n
const DAY_MS = 86_400_000

const [W1, W2] = [addressNo(301), addressNo(302)]

class SmallChain {
  facts: IntentFacts
  balance = 0n
  /** What the chain lets an account hold at least, in lamports. */
  rent = RENT
  /** What a wallet has, in lamports; a wallet that is not named is rich. */
  readonly lamports = new Map<Address, bigint>()
  readonly got = new Map<Address, bigint>()
  readonly #asset: Asset
  #ms = 0
  #number = 0
  #unseen: ObservedDeposit[] = []

  constructor(asset: Asset, price: bigint, payee: Payee = PAYEE, patch: Parameters<typeof intentWith>[0] = {}) {
    this.#asset = asset
    this.facts = factsWith(intentWith({ selection: choice(asset, price), acceptedAssets: [SOL, MINT], ...patch }), {
      payee,
    })
  }

  /** Money that has landed, and is not known yet. */
  send(amount: bigint, from: Address | null): void {
    this.#number += 1
    this.balance += amount
    const senders = from === null ? [] : [{ address: from, amount: units(amount) }]
    this.#unseen.push(observedDeposit(this.#number, amount, { asset: this.#asset, senders, blockTime: this.#now() }))
  }

  observe(): void {
    const seen = this.#unseen
    this.#unseen = []
    if (seen.length > 0) this.#apply(changeOf(decideDeposits(this.facts, seen, null, this.#context())))
  }

  pay(amount: bigint, from: Address | null): void {
    this.send(amount, from)
    this.observe()
  }

  cancel = (): void => this.#take(decideCancel(this.facts, this.#context()))
  sweep = (): void => this.#take(decideSweep(this.facts, this.#context()))
  retry = ({ id }: PaymentTransfer): void => this.#take(decideRearmed(this.facts, id, this.#context()))
  release(): void {
    const order = { asset: this.#asset, to: addressNo(95), reason: 'It is theirs.', decimals: 9, tokenProgram: null }
    this.#take(decideRelease(this.facts, order, this.#context()))
  }

  /** Lets the worker take up each open transfer once. `between` is what happens between signing and landing. Returns whether all wait. */
  work(between: () => void = () => {}): boolean {
    const ends = this.#open().map((transfer) => this.#takeUp(transfer, between))
    return ends.every((end) => end === 'waits')
  }

  /** Works for days, or until nothing is under way. */
  settle(days = 3): void {
    const end = this.#ms + days * DAY_MS
    while (this.#open().length > 0 && this.#ms < end) {
      this.#ms += this.work() ? 60_000 : 500
      this.observe()
    }
  }

  /** The operator and the business do what they can, with days in between. */
  everyWayOut(): void {
    for (let time = 0; time < 3; time += 1) {
      for (const one of this.facts.transfers.filter(({ status }) => status === 'held')) this.retry(one)
      this.settle(6)
      this.release()
      this.settle(6)
      this.#ms += 2 * DAY_MS
      this.sweep()
      this.settle(6)
    }
  }

  #now = (): Date => new Date(NOW.getTime() + this.#ms)

  #context() {
    const { marketplace } = this.facts.payee
    const platformFeeBps = makeBasisPoints(marketplace === null ? 0 : 100)
    const terms = { ...TERMS, networkFee: FEE, computeUnitPrice: 20_000n, platformFeeBps }
    return context({ now: this.#now(), prices: PRICES, rentMinimum: this.rent, terms })
  }

  #open = (): readonly PaymentTransfer[] =>
    this.facts.transfers.filter(({ kind, status }) => kind !== 'rent' && status === 'in_progress')

  #wallet = (address: Address): bigint => this.lamports.get(address) ?? RICH

  #take(decision: Decision): void {
    if (decision.kind === 'moved') this.#apply(decision.change)
  }

  #apply(change: IntentChange): void {
    const known = new Set(this.facts.transfers.map(({ id }) => id))
    const { transfers, ...next } = afterwards(this.facts, change)
    const dated = transfers.map((one): PaymentTransfer => {
      if (!known.has(one.id)) return { ...one, attemptCount: 0, createdAt: this.#now() }
      return change.outcome?.transferId === one.id ? { ...one, doneAt: this.#now() } : one
    })
    this.facts = { ...next, transfers: dated }
  }

  #takeUp({ id }: PaymentTransfer, between: () => void): 'waits' | 'changed' {
    const transfer = this.#open().find((one) => one.id === id)
    if (transfer === undefined) return 'changed'
    const verdict = this.#judge(transfer)
    const about = { facts: this.facts, transfer, context: this.#context() }
    const lease = { fence: transfer.fence }
    if (verdict.go) this.#send(transfer, between)
    else if (verdict.because === 'held') this.#apply(bookHeld(about, lease, verdict.reason))
    else if (verdict.because === 'undeliverable')
      this.#apply(bookUndeliverable(about, lease, verdict.reason, verdict.legs))
    else {
      const change = verdict.because === 'outdated' ? bookDusty(about, lease, verdict.reason) : null
      if (change === null) return 'waits'
      this.#apply(change)
    }
    return 'changed'
  }

  #judge(transfer: PaymentTransfer) {
    const wallets = transfer.legs.map(({ destination }) => destination)
    const token = (owner: Address, amount: bigint): AccountState => ({
      lamports: makeLamports(2_039_280n),
      ownerProgram: TOKEN_PROGRAM,
      token: {
        mint: MINT,
        owner,
        amount: units(amount),
        frozen: false,
        withheld: units(0n),
        delegation: null,
        closeAuthority: null,
      },
    })
    const wallet = (lamports: bigint): AccountState | null =>
      lamports === 0n
        ? null
        : { lamports: makeLamports(lamports), ownerProgram: makeAddress(SYSTEM_PROGRAM), token: null }
    const [asset, sol] = [PRICES.get(this.#asset), PRICES.get(SOL)]
    const isSol = this.#asset === SOL
    return judgeTransfer({
      transfer,
      source: isSol ? wallet(this.balance) : token(transfer.source, this.balance),
      destinations: new Map(wallets.map((one) => [one, wallet(this.#wallet(one))])),
      receivers: new Map(isSol ? [] : wallets.map((one) => [one, token(one, 0n)])),
      feePayerLamports: RICH,
      rent: { wallet: this.rent, tokenAccount: 2_039_280n },
      rates: isSol || asset === undefined || sol === undefined ? null : { asset, sol },
      unpricedSince: null,
      computeUnitPrice: 20_000n,
      now: this.#now(),
      custodians: new Map(),
      isLast: isRentReserve(transfer) && isReserveDue(transfer, this.facts, this.#now()),
    })
  }

  #send(transfer: PaymentTransfer, between: () => void): void {
    const signed = { ...transfer, attemptCount: transfer.attemptCount + 1 }
    this.facts = { ...this.facts, transfers: this.facts.transfers.map((one) => (one === transfer ? signed : one)) }
    between()
    const rest = this.balance - transfer.legs.reduce((sum, { amount }) => sum + amount, 0n)
    const isTooLittle = transfer.legs.some(({ destination, amount }) => this.#wallet(destination) + amount < this.rent)
    const fails = this.#asset === SOL && ((rest !== 0n && rest < this.rent) || isTooLittle)
    if (!fails) {
      this.balance = rest
      for (const { destination, amount } of transfer.legs)
        this.got.set(destination, (this.got.get(destination) ?? 0n) + amount)
    }
    this.#number += 1
    const transaction = landed({
      signature: signatureNo(20_000 + this.#number),
      feePayer: FEE_PAYER,
      fee: makeLamports(0n),
      slot: BigInt(1_000 + this.#number),
      ...(fails
        ? { error: 'InsufficientFundsForRent' }
        : { moves: transfer.legs.map((leg) => ({ account: leg.destination, asset: this.#asset, delta: leg.amount })) }),
    })
    const attempt = attemptFor(transfer)
    this.#apply(bookTransfer({ facts: this.facts, transfer: signed, attempt, transaction, context: this.#context() }))
  }
}

describe('a settlement of SOL from which the rent minimum cannot be left lands', () => {
  test('with too much by the buyer, and a lamport before the worker looks', () => {
    const chain = new SmallChain(SOL, 1_700_000n)
    chain.pay(1_730_000n, BUYER)
    chain.pay(1n, W1)
    chain.settle()
    expect(chain.facts.intent.status).toBe('swept')
    expect(chain.got.get(BUYER)).toBe(30_000n)
  })

  test('with a late payment that is worth a refund', () => {
    const chain = new SmallChain(SOL, 1_700_000n)
    chain.pay(1_700_000n, BUYER)
    chain.pay(32_000n, W1)
    chain.settle()
    expect([chain.facts.intent.status, chain.balance]).toEqual(['swept', 0n])
  })

  test('with a late payment that goes back whole, although a part of the price was tolerated', () => {
    const chain = new SmallChain(SOL, 1_700_000n, PAYEE, { underpaymentToleranceBps: makeBasisPoints(500) })
    chain.pay(1_660_000n, BUYER)
    chain.pay(32_000n, W1)
    chain.settle()
    expect([chain.facts.intent.status, chain.balance]).toEqual(['swept', 0n])
    expect(chain.got.get(W1)).toBe(32_000n)
  })

  test('with too much by two wallets at once', () => {
    const chain = new SmallChain(SOL, 1_700_000n)
    chain.send(1_700_000n, BUYER)
    chain.send(32_000n, W1)
    chain.send(32_000n, W2)
    chain.observe()
    chain.settle()
    expect([chain.facts.intent.status, chain.balance]).toEqual(['swept', 0n])
  })

  test('without the part of a wallet that is emptied each time before the sweep lands', () => {
    const chain = new SmallChain(SOL, 1_700_000n)
    chain.send(1_700_000n, BUYER)
    chain.send(32_000n, W1)
    chain.observe()
    for (let round = 0; round < 2; round += 1) {
      chain.lamports.set(W1, RICH)
      chain.work(() => chain.lamports.set(W1, 0n))
    }
    expect([chain.facts.intent.status, chain.balance, chain.got.has(W1)]).toEqual(['swept', 0n, false])
  })

  const forSeller = (price: bigint, bps: number): SmallChain => {
    const payee = { ...PAYEE, marketplace: { feeDestination: MARKETPLACE } }
    const callerAccountId = 'a0b9d7f4-93b4-4a0a-8f0a-5f3a52b1d002'
    return new SmallChain(SOL, price, payee, { marketplaceFeeBps: makeBasisPoints(bps), callerAccountId })
  }

  test('of a seller, although the wallets of both cuts are found empty one after the other', () => {
    const chain = forSeller(3_400_000n, 500)
    chain.pay(3_400_000n, BUYER)
    chain.lamports.set(PLATFORM, 0n)
    chain.work()
    chain.lamports.set(MARKETPLACE, 0n)
    for (let time = 0; time < 3; time += 1) chain.work()
    expect([chain.facts.intent.status, chain.balance]).toEqual(['swept', 0n])
  })

  test('of a seller whose marketplace takes a half', () => {
    const chain = forSeller(3_400_000n, 5_000)
    chain.pay(3_400_000n, BUYER)
    chain.pay(32_000n, W1)
    chain.settle()
    expect([chain.facts.intent.status, chain.balance]).toEqual(['swept', 0n])
  })
})

describe('the money of a wallet whose rounds were withdrawn ten times for other money', () => {
  const disturbed = (): SmallChain => {
    const chain = new SmallChain(SOL, 5_000_000n)
    chain.cancel()
    for (let time = 0; time < 10; time += 1) {
      chain.lamports.set(W1, 0n)
      chain.pay(32_000n, W1)
      chain.work()
      chain.lamports.set(W1, RICH)
      chain.pay(32_000n, W1)
      chain.settle()
    }
    chain.pay(32_000n, W1)
    chain.send(1n, W2)
    chain.work()
    chain.observe()
    return chain
  }

  test('keeps no other wallet waiting', () => {
    const chain = disturbed()
    chain.pay(5_000_000n, BUYER)
    chain.settle()
    expect(chain.got.get(BUYER)).toBeGreaterThan(5_000_000n - 3n * FEE)
  })

  test('has a way out', () => {
    const chain = disturbed()
    chain.everyWayOut()
    expect(chain.balance).toBe(0n)
  })
})

test('a release that dust has disturbed twelve times has a way out', () => {
  const chain = new SmallChain(SOL, 6_000_000n)
  chain.cancel()
  chain.pay(1_000_000n, null)
  for (let time = 0; time < 12; time += 1) {
    chain.release()
    chain.pay(1n, W1)
    chain.settle(1)
  }
  chain.everyWayOut()
  expect(chain.balance).toBe(0n)
})

describe('a buyer has its refund soon, although new wallets pay all the time', () => {
  class Attack {
    readonly chain = new SmallChain(SOL, 6_000_000n)
    readonly #amount: bigint
    #wallets = 1_000

    constructor(amount: bigint) {
      this.#amount = amount
      this.chain.cancel()
    }

    pay(): void {
      this.#wallets += 1
      this.chain.send(this.#amount, addressNo(this.#wallets))
    }

    turnsUntilPaidBack(): number {
      let turns = 0
      for (; turns < 50 && !this.chain.got.has(BUYER); turns += 1) {
        this.chain.observe()
        this.pay()
        this.chain.work()
      }
      return turns
    }
  }

  test('little, after a round of the buyer was disturbed', () => {
    const attack = new Attack(32_000n)
    attack.chain.pay(5_000_000n, BUYER)
    attack.pay()
    attack.chain.work(() => attack.chain.send(1n, W1))
    expect(attack.turnsUntilPaidBack()).toBeLessThan(10)
  })

  test('more than the buyer', () => {
    const attack = new Attack(6_000_000n)
    attack.pay()
    attack.chain.observe()
    attack.chain.pay(5_000_000n, BUYER)
    attack.pay()
    attack.pay()
    attack.chain.observe()
    expect(attack.turnsUntilPaidBack()).toBeLessThan(10)
  })
})

test('money of two wallets of which neither can stay leaves a cancelled payment as it is, until one pays enough', () => {
  const chain = new SmallChain(SOL, 5_000_000n)
  chain.cancel()
  chain.send(500_000n, W1)
  chain.send(500_000n, W2)
  chain.observe()
  expect(chain.facts.intent).toMatchObject({ status: 'cancelled', refundSender: null, held: [{ amount: 1_000_000n }] })
  chain.pay(2_000_000n, W1)
  expect(chain.facts.intent).toMatchObject({ status: 'refunding', refundSender: W1 })
  chain.settle()
  expect([chain.facts.intent.status, chain.balance]).toEqual(['refunded', 0n])
})

describe('the rent minimum rises above what waits for the rent reserve', () => {
  const risen = (late: bigint): SmallChain => {
    const chain = new SmallChain(SOL, 5_000_000n)
    chain.pay(5_000_000n, BUYER)
    for (let time = 0; time < 2; time += 1) chain.work(() => chain.send(1n, W1))
    chain.observe()
    chain.work()
    chain.rent = makeLamports(2n * RENT)
    chain.pay(late, W2)
    return chain
  }

  test('and a late payment that can stay goes back after it', () => {
    const chain = risen(2_000_000n)
    chain.settle()
    expect([chain.balance, chain.got.get(W2)]).toEqual([0n, 2_000_000n - FEE + 1n])
  })

  test('and falls again, and a late payment that could not stay goes back', () => {
    const chain = risen(1_000_000n)
    chain.rent = RENT
    chain.settle()
    expect([chain.balance, chain.got.get(W2)]).toEqual([0n, 1_000_000n - FEE + 1n])
  })

  test('and a late payment that cannot stay goes along', () => {
    const chain = risen(1_000_000n)
    chain.settle()
    expect([chain.balance, chain.got.has(W2)]).toEqual([0n, false])
  })
})

test('dust of two wallets that is left when a token has gone back leaves the payment refunded', () => {
  const chain = new SmallChain(MINT, 1_000_000n)
  chain.pay(600_000n, BUYER)
  chain.cancel()
  chain.pay(1_500n, W1)
  chain.pay(1_500n, W2)
  chain.settle()
  expect(chain.got.get(BUYER)).toBe(600_000n)
  expect(chain.facts.intent).toMatchObject({ status: 'refunded', held: [{ amount: 3_000n }] })
})
