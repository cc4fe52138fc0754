// The protocol of outgoing money, step by step. docs/money.md, "The protocol".

import { beforeEach, describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { MAX_FAILED_ROUNDS } from '#core/payments/rounds.ts'
import { isRentReserve } from '#core/payments/transfers.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { MAX_ATTEMPTS } from '#services/transfers/steps.ts'
import { MERCHANT, MINT, pendingIntent } from '../../support/example-intent.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  FEE_PAYER,
  intentWith,
  later,
  observedDeposit,
  RENT,
  signatureNo,
} from '../../support/payment.ts'
import { createMemoryWorld, PRICE, paymentOf, startInstance } from '../../support/settling-world.ts'
import { TOKEN_RENT, tokenAccountOf } from '../../support/toy-chain.ts'

const FINAL = 40n
const TOO_LATE = 151n
const PROVABLE = 64n
const SLOTS_OF_A_DAY = 432_000n

let world: ReturnType<typeof createMemoryWorld>
let instance: ReturnType<typeof startInstance>
/** Records the calls of the named methods of the chain and the store, in order. */
let calls: string[]

function begin(asset = SOL as Parameters<typeof createMemoryWorld>[0]): void {
  world = createMemoryWorld(asset)
  calls = []
  spy(world.toy.chain, 'compile', 'broadcast', 'proveExpired')
  spy(world.stores.transfers, 'prepareAttempt', 'recordSigned', 'recordAttempt', 'postpone', 'hold')
  instance = startInstance(world)
}
beforeEach(() => begin())

function spy<T extends object>(port: T, ...names: (keyof T & string)[]): void {
  for (const name of names) {
    const method = port[name]
    if (typeof method !== 'function') throw new Error(`${name} is no method`)
    const spied = (...args: unknown[]): unknown => {
      calls.push(name)
      return Reflect.apply(method, port, args)
    }
    Object.assign(port, { [name]: spied })
  }
}

const attempts = () => world.stores.attempts.map(({ number, state }) => [number, state])
const transfer = (id = 'transfer-1') => world.stores.transfer(id)
const intent = async () => (await world.stores.intents.facts(pendingIntent.id))?.intent
/** Returns the entries of the ledger except the deposit of the payment. */
const outflows = () => world.stores.ledger.filter(({ kind }) => kind !== 'deposit')
const events = () => world.stores.events.map(({ type }) => type)
/** Runs one round of work, then lets slots pass. */
const work = async (slots = 10n) => {
  await instance.work()
  world.pass(slots)
}

/** Another final deposit is taken in. */
const becomesFinal = (late: Parameters<typeof decideDeposits>[1][number]) =>
  decideAndApply(world.stores.intents, pendingIntent.id, (facts) => decideDeposits(facts, [late], null, context()))

describe('a new attempt', () => {
  test('is stored, then signed, then stored with its bytes, and only then sent', async () => {
    await instance.work()
    expect(calls).toEqual(['compile', 'prepareAttempt', 'recordSigned', 'broadcast', 'recordAttempt'])
    expect(attempts()).toEqual([[1, 'sent']])
    expect(world.stores.attempts[0]).toMatchObject({ source: pendingIntent.address, knownSignature: signatureNo(1) })
    expect(transfer()).toMatchObject({ leaseUntil: null, nextAttemptAt: new Date(world.now().getTime() + 500) })
    expect(instance.errors).toEqual([])
  })

  test('is not sent when another worker took over before its bytes were stored', async () => {
    const { transfers } = world.stores
    const takeOver = transfers.recordSigned
    transfers.recordSigned = async (...args) => {
      transfer().fence += 1n
      return await takeOver(...args)
    }
    await instance.work()
    expect(calls).not.toContain('broadcast')
    expect(attempts()).toEqual([[1, 'prepared']])
  })

  test('that was stored and never signed is signed by the next worker, without another attempt', async () => {
    const { recordSigned } = world.stores.transfers
    world.stores.transfers.recordSigned = async () => {
      throw new Error('the database is away')
    }
    await work()
    world.stores.transfers.recordSigned = recordSigned
    await work()
    expect(attempts()).toEqual([[1, 'sent']])
  })

  test('is not made while another attempt from its address may still land, and the reason is recorded', async () => {
    begin(MINT)
    world.toy.fund(tokenAccountOf(MERCHANT, MINT), TOKEN_RENT)
    world.toy.fund(tokenAccountOf(MERCHANT, MINT), 0n, MINT, MERCHANT)
    await settleOther()
    await instance.work()
    expect(world.stores.attempts).toHaveLength(1)
    const second = transfer('transfer-2')
    expect(second.transfer.reason).toBe('Another transaction from this address may still land.')
    expect(second).toMatchObject({ leaseUntil: null, nextAttemptAt: new Date(world.now().getTime() + 5_000) })
  })

  /** A second intent with the same address, which the rules forbid. */
  async function settleOther(): Promise<void> {
    world.stores.put(intentWith({ id: 'other', derivationIndex: 43, selection: choice(MINT, 5n) }))
    await instance.takeIn()
    const paid = observedDeposit(9, 5n, { intentId: 'other', asset: MINT })
    await decideAndApply(world.stores.intents, 'other', (facts) => decideDeposits(facts, [paid], null, context()))
  }
})

describe('an attempt that was sent', () => {
  test('and not known to a provider is sent again every two seconds with the same bytes', async () => {
    const sent: Uint8Array[] = []
    world.toy.chain.broadcast = async (wire) => void sent.push(wire)
    for (let round = 0; round < 5; round += 1) await work()
    expect(sent).toHaveLength(5)
    expect(new Set(sent.map(String)).size).toBe(1)
    expect(attempts()).toEqual([[1, 'sent']])
  })

  test('and is in a block that is not final is not booked and not sent again, and its status alone is asked for', async () => {
    world.toy.runTowerBft()
    await work(6n)
    spy(world.toy.chain, 'lifetime')
    await work(6n)
    await work()
    expect(calls.filter((name) => name === 'lifetime')).toEqual([])
    expect(world.toy.broadcasts()).toBe(1)
    expect(attempts()).toEqual([[1, 'sent']])
    expect(await intent()).toMatchObject({ status: 'settling', settlement: null })
    expect(outflows()).toEqual([])
  })

  test('and is final is booked once, with ledger, settlement and event', async () => {
    await work(FINAL)
    await work()
    await work()
    expect(attempts()).toEqual([[1, 'final_ok']])
    expect(transfer().transfer).toMatchObject({ status: 'done', signature: world.stores.attempts[0]?.signature })
    expect(await intent()).toMatchObject({ status: 'swept' })
    expect(events()).toEqual(['intent.paid', 'intent.settling', 'intent.swept'])
    expect(new Set(outflows().map(({ delta }) => delta))).toEqual(new Set([-PRICE, 5_000n - 10_000n]))
    expect(outflows()).toHaveLength(2)
  })

  test('and is final, but not reported by a provider yet, is not booked', async () => {
    const { transaction } = world.toy.chain
    world.toy.chain.transaction = async () => null
    await work(FINAL)
    await work()
    expect(attempts()).toEqual([[1, 'sent']])
    world.toy.chain.transaction = transaction
    await work()
    expect((await intent())?.status).toBe('swept')
  })

  test('and is final by the word of one provider is not booked, and its reason says what the other reports', async () => {
    const { signatureStatuses } = world.toy.chain
    let doubt: string | null = 'another provider does not know it'
    world.toy.chain.signatureStatuses = async (signatures) =>
      (await signatureStatuses(signatures)).map((status) => status && { ...status, final: false, doubt })
    await work(FINAL)
    await work()
    expect([attempts(), (await intent())?.status]).toEqual([[[1, 'sent']], 'settling'])
    expect(transfer().transfer).toMatchObject({
      status: 'in_progress',
      reason:
        'One provider reports the transaction as final, and two have to agree: another provider does not know it.',
    })
    doubt = null
    world.toy.chain.signatureStatuses = signatureStatuses
    await work(FINAL)
    await work()
    expect([(await intent())?.status, transfer().transfer.reason, world.toy.broadcasts()]).toEqual(['swept', null, 1])
  })

  test('is booked once by two instances that see it final at the same time', async () => {
    await work(FINAL)
    const { claim } = world.stores.transfers
    world.stores.transfers.claim = async (...args) => {
      const claimed = await claim(...args)
      for (const { lease } of claimed) await world.stores.transfers.giveBack([lease], later(0))
      return claimed
    }
    await Promise.all([instance.advance(), startInstance(world).advance()])
    expect(events()).toEqual(['intent.paid', 'intent.settling', 'intent.swept'])
    expect(outflows()).toHaveLength(2)
  })

  test('and was refused by every provider stays live, because a refusal is no evidence', async () => {
    world.toy.chain.broadcast = async () => {
      throw new ServiceError('transaction_refused', { reason: 'blockhash not found' })
    }
    for (let round = 0; round < 3; round += 1) await work()
    expect(attempts()).toEqual([[1, 'sent']])
    expect(instance.errors).toEqual([])
  })

  describe('that failed on chain twice is followed by a sweep that leaves the rent minimum, and the rent reserve follows', () => {
    const reserves = async () =>
      (await world.stores.intents.facts(pendingIntent.id))?.transfers.filter(isRentReserve) ?? []
    /** Two sweeps fail, and the third one is booked. */
    beforeEach(async () => {
      world.toy.fates.push('fails', 'fails')
      for (let round = 1; round <= 3; round += 1) {
        await work(FINAL)
        await work()
      }
    })
    const end = async () => {
      for (let round = 1; round <= 4; round += 1) {
        await work(FINAL)
        await work()
      }
    }

    test('automatically', async () => {
      expect(await intent()).toMatchObject({ status: 'swept', settlement: { pendingAmount: RENT } })
      expect(await reserves()).toMatchObject([{ key: 'sweep:intent:42:4:rest' }])
      await end()
      expect(await intent()).toMatchObject({
        settlement: { destinationAmount: PRICE - context().terms.networkFee, pendingAmount: 0n },
      })
      expect(events()).toEqual(['intent.paid', 'intent.settling', 'intent.swept', 'intent.settlement_updated'])
      expect(world.toy.balance(pendingIntent.address)).toBe(0n)
      expect(world.stores.attempts.filter(({ state }) => state === 'final_ok')).toHaveLength(2)
    })

    test('with the money that arrived in addition, because no sender is owed it and nothing could follow', async () => {
      world.toy.fund(pendingIntent.address, 300n)
      await work()
      await end()
      expect(world.toy.balance(pendingIntent.address)).toBe(RENT + 300n)
      await becomesFinal(observedDeposit(7, 300n))
      for (let minute = 0; minute < 4; minute += 1) {
        world.pass(150n)
        await end()
      }
      expect(await intent()).toMatchObject({
        status: 'swept',
        settlement: { destinationAmount: PRICE - context().terms.networkFee + 300n, pendingAmount: 0n },
        held: [],
      })
      expect(world.toy.balance(pendingIntent.address)).toBe(0n)
    })

    test('also where a stranger’s money waits for a person', async () => {
      world.toy.fund(pendingIntent.address, 5_000_000n)
      await becomesFinal(observedDeposit(7, 5_000_000n, { senders: [] }))
      await end()
      expect(await intent()).toMatchObject({
        status: 'swept',
        settlement: { destinationAmount: PRICE - context().terms.networkFee, pendingAmount: 0n },
        held: [{ amount: 5_000_000n }],
      })
      expect(world.toy.balance(pendingIntent.address)).toBe(5_000_000n)
    })
  })

  test('that failed on chain costs its fee, and the next round begins; the sweep fails after the last round', async () => {
    world.toy.fates.push(...Array<'fails'>(MAX_FAILED_ROUNDS).fill('fails'))
    for (let round = 1; round <= MAX_FAILED_ROUNDS; round += 1) {
      await work(FINAL)
      await work()
    }
    await work()
    expect(await intent()).toMatchObject({ status: 'settle_failed' })
    expect(events()).toEqual(['intent.paid', 'intent.settling', 'intent.settle_failed'])
    expect(world.stores.attempts.map(({ state }) => state)).toEqual(Array(MAX_FAILED_ROUNDS).fill('final_err'))
    expect(outflows().map(({ kind, delta }) => [kind, delta])).toEqual(Array(MAX_FAILED_ROUNDS).fill(['fee', -10_000n]))
    expect(world.toy.balance(pendingIntent.address)).toBe(PRICE)
  })
})

describe('a lamport that arrives between signing and landing', () => {
  test('makes the sweep fail once; the next sweep leaves the rent minimum, and the address ends at exactly zero', async () => {
    const { broadcast } = world.toy.chain
    world.toy.chain.broadcast = async (wire) => {
      world.toy.chain.broadcast = broadcast
      world.toy.fund(pendingIntent.address, 1n)
      await broadcast(wire)
    }
    await work(FINAL)
    await becomesFinal(observedDeposit(7, 1n))
    await work()
    expect(world.stores.ledger.filter(({ kind }) => kind === 'fee')).toHaveLength(1)
    // The round of the reserve that takes the lamport along waits for a minute.
    for (let round = 1; round <= 12; round += 1) {
      await work(FINAL)
      await work()
    }
    expect(await intent()).toMatchObject({
      status: 'swept',
      received: PRICE + 1n,
      settlement: { destinationAmount: PRICE + 1n - 5_000n, pendingAmount: 0n },
    })
    expect(world.toy.balance(pendingIntent.address)).toBe(0n)
  })
})

describe('an attempt that is in a block and did not run', () => {
  beforeEach(() => void world.toy.fates.push('does not run'))

  test('is dead, costs nothing, and is followed by another attempt of the same round', async () => {
    await work(FINAL)
    await work()
    expect(attempts()).toEqual([[1, 'dead']])
    expect(outflows()).toEqual([])
    expect(world.toy.balance(pendingIntent.address)).toBe(PRICE)
    expect(events()).toEqual(['intent.paid', 'intent.settling'])
    await work(FINAL)
    await work()
    expect(attempts()).toEqual([
      [1, 'dead'],
      [2, 'final_ok'],
    ])
    expect(world.stores.attempts.map(({ transferId }) => transferId)).toEqual(['transfer-1', 'transfer-1'])
    expect((await intent())?.status).toBe('swept')
    expect(calls).not.toContain('proveExpired')
  })

  test('is not dead before its block is final', async () => {
    world.toy.runTowerBft()
    await work(6n)
    await work()
    expect(attempts()).toEqual([[1, 'sent']])
  })
})

describe('an attempt that is too late to land', () => {
  beforeEach(async () => {
    world.toy.fates.push('is lost')
    await work(TOO_LATE)
    calls.length = 0
  })

  test('is not sent again, and not replaced before its expiry is proved', async () => {
    await work()
    expect(calls).toEqual(['proveExpired', 'postpone'])
    expect(attempts()).toEqual([[1, 'sent']])
    expect(transfer().transfer.reason).toMatch(/^Waiting for proof that \w+ never landed: too early$/)
    expect(transfer().nextAttemptAt).toEqual(new Date(world.now().getTime() - 2_000 + 10_000))
  })

  test('is abandoned by proof, and only then another attempt follows, with its own bytes', async () => {
    world.pass(PROVABLE)
    await work()
    expect(attempts()).toEqual([[1, 'dead']])
    await work()
    expect(attempts()).toEqual([
      [1, 'dead'],
      [2, 'sent'],
    ])
    expect(new Set(world.stores.attempts.map(({ signature }) => signature)).size).toBe(2)
  })

  test('is abandoned by proof although providers have pruned the old payment that it moves', async () => {
    // The first attempt ends with an error. It is the last known transaction of the fee payer before the lost attempt.
    begin()
    world.toy.fates.push('fails', 'is lost')
    await work(FINAL)
    await work()
    expect(attempts()).toEqual([[1, 'final_err']])
    await work(1n)
    world.toy.prune(FINAL + 20n)
    world.pass(TOO_LATE + PROVABLE)
    await work()
    await work()
    await work(FINAL)
    await work()
    expect(attempts()).toEqual([
      [1, 'final_err'],
      [1, 'dead'],
      [2, 'final_ok'],
    ])
    expect((await intent())?.status).toBe('swept')
  })

  test('is abandoned by proof although providers have pruned the ledger of an idle network: someone paid the fee payer since', async () => {
    begin()
    world.toy.fates.push('fails', 'is lost')
    await work(FINAL)
    await work()
    expect(attempts()).toEqual([[1, 'final_err']])
    world.pass(SLOTS_OF_A_DAY + 1n)
    world.toy.fund(BUYER, 1_000_000n)
    world.toy.pay(BUYER, FEE_PAYER, SOL, 1n)
    world.pass(FINAL)
    await work(1n)
    world.toy.prune(FINAL + 20n)
    world.pass(TOO_LATE + PROVABLE)
    await work()
    expect(attempts()).toEqual([
      [1, 'final_err'],
      [1, 'dead'],
    ])
  })

  test('stays live where providers have pruned every transaction that was known before it', async () => {
    world.toy.prune(0n)
    for (let round = 0; round < 20; round += 1) await work(PROVABLE)
    expect(attempts()).toEqual([[1, 'unknown']])
    expect(transfer().transfer.reason).toContain('does not know the required transaction')
  })

  test('stays live without proof, and no other attempt follows, however long it takes', async () => {
    world.toy.chain.proveExpired = async () => ({ expired: false, because: 'unproven', detail: 'provider 2: away' })
    for (let round = 0; round < 50; round += 1) await work(1_000n)
    expect(attempts()).toEqual([[1, 'unknown']])
    expect(transfer().transfer).toMatchObject({ status: 'in_progress', attemptCount: 1 })
    expect(transfer().transfer.reason).toContain('provider 2: away')
    expect((await intent())?.status).toBe('settling')
    expect(world.toy.broadcasts()).toBe(1)
  })

  test('stays live when every provider reports its expiry but the money has left the address', async () => {
    world.toy.fund(pendingIntent.address, -1n)
    for (let round = 0; round < 20; round += 1) await work(PROVABLE)
    expect(attempts()).toEqual([[1, 'unknown']])
    expect(transfer().transfer.reason).toContain('is no longer at its source')
  })

  test('and still landed is booked', async () => {
    // No provider reported the transaction until now.
    const { signatureStatuses } = world.toy.chain
    const landed = world.stores.attempts[0]?.wire ?? new Uint8Array()
    begin()
    await work(TOO_LATE)
    expect(landed.length).toBeGreaterThan(0)
    world.toy.chain.signatureStatuses = async (signatures) => signatures.map(() => null)
    await work()
    world.toy.chain.signatureStatuses = signatureStatuses
    expect(await intent()).toMatchObject({ status: 'swept' })
    expect(attempts()).toEqual([[1, 'final_ok']])
  })

  test('again and again is held for a person after the last attempt, each expiry proved', async () => {
    world.toy.fates.push(...Array<'is lost'>(MAX_ATTEMPTS).fill('is lost'))
    for (let number = 0; number < 3 * MAX_ATTEMPTS; number += 1) await work(TOO_LATE + PROVABLE)
    expect(attempts()).toEqual(Array.from({ length: MAX_ATTEMPTS }, (_, at) => [at + 1, 'dead']))
    expect(transfer().transfer).toMatchObject({ status: 'failed' })
    expect(await intent()).toMatchObject({ status: 'settle_failed' })
    expect(world.toy.landed()).toEqual([])
  })
})

describe('an attempt that the signer refuses', () => {
  const refuse = (times: number) => {
    const { sign } = world.signer
    let left = times
    Object.assign(world.signer, {
      sign: (...args: Parameters<typeof sign>) =>
        left-- > 0
          ? Promise.resolve({ refused: 'The signer refuses: a priority fee above the limit.' })
          : sign(...args),
    })
  }

  test('is abandoned and never sent; the next attempt is made a little later', async () => {
    refuse(1)
    await work()
    expect(attempts()).toEqual([[1, 'dead']])
    expect(transfer().transfer).toMatchObject({ reason: 'The signer refuses: a priority fee above the limit.' })
    expect(calls).not.toContain('broadcast')
    await work()
    expect(attempts()).toEqual([[1, 'dead']])
    await work(FINAL)
    await work(FINAL)
    await work()
    expect(attempts()).toEqual([
      [1, 'dead'],
      [2, 'final_ok'],
    ])
    expect(await intent()).toMatchObject({ status: 'swept' })
    expect(instance.errors).toEqual([])
  })

  test('again and again is held for a person, and does not block its address', async () => {
    refuse(Number.POSITIVE_INFINITY)
    for (let number = 0; number < 3 * MAX_ATTEMPTS; number += 1) await work(FINAL)
    expect(attempts()).toEqual(Array.from({ length: MAX_ATTEMPTS }, (_, at) => [at + 1, 'dead']))
    expect(transfer().transfer).toMatchObject({
      status: 'failed',
      reason: 'The signer refuses: a priority fee above the limit.',
    })
    expect(await intent()).toMatchObject({ status: 'settle_failed' })
    expect(calls).not.toContain('broadcast')
    expect(world.toy.landed()).toEqual([])
  })
})

describe('a round', () => {
  const OTHERS = [2, 3, 4]
  /** More paid intents, each with a planned sweep. */
  async function planOthers(): Promise<void> {
    await instance.takeIn()
    for (const number of OTHERS) {
      const address = addressNo(number)
      const id = `intent-${number}`
      world.stores.put(intentWith({ id, derivationIndex: 42 + number, address, selection: choice(SOL, PRICE) }))
      world.toy.fund(address, PRICE)
      const paid = observedDeposit(10 + number, PRICE, { intentId: id, account: address })
      await decideAndApply(world.stores.intents, id, (facts) => decideDeposits(facts, [paid], null, context()))
    }
  }

  test('continues with the other transfers when one cannot be prepared, signed or sent', async () => {
    await planOthers()
    const { compile } = world.toy.chain
    world.toy.chain.compile = async (plan, lifetime) => {
      if (plan.source === addressNo(3)) throw new ServiceError('destination_not_usable')
      return await compile(plan, lifetime)
    }
    await instance.work()
    expect(instance.errors).toMatchObject([{ code: 'destination_not_usable' }])
    expect(attempts()).toEqual(Array(3).fill([1, 'sent']))
    expect(transfer('transfer-3')).toMatchObject({
      leaseUntil: null,
      transfer: { status: 'in_progress', reason: 'The transaction could not be prepared; see the log.' },
    })
  })

  test('completes transfers under way although no new attempt can be prepared', async () => {
    await work(FINAL)
    await planOthers()
    world.toy.chain.minimumBalance = async () => {
      throw new ServiceError('chain_unavailable')
    }
    await instance.work()
    expect(instance.errors).toMatchObject([{ code: 'chain_unavailable' }])
    expect((await intent())?.status).toBe('swept')
    const waiting = OTHERS.map((_, at) => transfer(`transfer-${at + 2}`).leaseUntil)
    expect(waiting).toEqual([null, null, null])
  })

  test('checks a transaction on which providers disagree less often, the longer ago it was sent', async () => {
    await work(FINAL)
    world.toy.chain.transaction = async () => {
      throw new ServiceError('chain_unavailable')
    }
    const waits: number[] = []
    for (let round = 0; round < 12; round += 1) {
      await instance.advance()
      waits.push((transfer('transfer-1').nextAttemptAt?.getTime() ?? 0) - world.now().getTime())
      world.pass(50n)
    }
    expect(waits[0]).toBe(2_000)
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(waits.at(-1)).toBe(10_000)
    expect(attempts()).toEqual([[1, 'sent']])
  })

  test('unlocks every transfer at once when the chain cannot be read', async () => {
    await work()
    await planOthers()
    world.toy.chain.signatureStatuses = async () => {
      throw new ServiceError('chain_unavailable')
    }
    await expect(instance.advance()).rejects.toMatchObject({ code: 'chain_unavailable' })
    for (const id of ['transfer-1', 'transfer-2', 'transfer-3', 'transfer-4']) {
      expect(transfer(id)).toMatchObject({ leaseUntil: null, nextAttemptAt: new Date(world.now().getTime() + 500) })
    }
  })
})

describe('before it is signed', () => {
  test('an empty fee payer makes it wait, with nothing stored; it continues when the fee payer is funded', async () => {
    world.toy.fund(addressNo(9_001), -(10n ** 9n))
    await work()
    expect(calls).toEqual(['postpone'])
    expect(transfer().transfer.reason).toBe('The fee payer has too little SOL: fund it.')
    expect(attempts()).toEqual([])
    world.toy.fund(addressNo(9_001), 10n ** 9n)
    world.pass(26n)
    await work()
    expect(attempts()).toEqual([[1, 'sent']])
  })

  test('a balance that is not final yet makes it wait', async () => {
    world.toy.fund(pendingIntent.address, -1n)
    await instance.work()
    expect(attempts()).toEqual([])
    expect(transfer().transfer.reason).toBe('The final balance does not yet cover the transfer.')
  })

  test('a frozen token account makes it held for a person, and no worker takes it from then on', async () => {
    begin(MINT)
    const { readAccounts } = world.toy.chain
    world.toy.chain.readAccounts = async (...args) => {
      const answer = await readAccounts(...args)
      const states = answer.states.map((state) =>
        state?.token == null ? state : { ...state, token: { ...state.token, frozen: true } },
      )
      return { ...answer, states }
    }
    await work()
    await work(1_000n)
    await work()
    expect(calls).toEqual([])
    const reason = expect.stringContaining('frozen')
    expect(transfer().transfer).toMatchObject({ status: 'held', reason })
    expect(await intent()).toMatchObject({ status: 'settle_failed', statusReason: reason })
    const emitted = world.stores.events.map(({ type }) => type)
    expect(emitted).toEqual(['intent.paid', 'intent.settling', 'intent.settle_failed'])
  })
})

describe('the state of the chain before it is signed', () => {
  const STRANGER = addressNo(77)
  const overpay = (amount: bigint) => {
    world.payments.push(paymentOf(SOL, 2, amount, STRANGER))
    world.toy.fund(pendingIntent.address, amount)
  }

  test.each([
    ['less than the rent minimum', 10_000n, 0n],
    ['the rent minimum', 1_000_000n, 1_000_000n],
  ])('a stranger whose wallet cannot receive %s does not block the money of the business', async (_, excess, stays) => {
    overpay(excess)
    if (stays > 0n) {
      const { readAccounts } = world.toy.chain
      world.toy.fund(STRANGER, 5_000_000n)
      world.toy.chain.readAccounts = async (accounts, ...rest) => {
        const answer = await readAccounts(accounts, ...rest)
        const states = answer.states.map((state, at) =>
          state !== null && accounts[at] === STRANGER ? { ...state, ownerProgram: addressNo(78) } : state,
        )
        return { ...answer, states }
      }
    }
    await work()
    expect(transfer().transfer).toMatchObject({ status: 'failed', attemptCount: 0 })
    await work(FINAL)
    await work()
    const after = await intent()
    expect(after?.status).toBe('swept')
    expect(after?.statusReason).toEqual(stays > 0n ? expect.stringContaining('held') : null)
    expect(world.toy.balance(pendingIntent.address)).toBe(stays)
  })

  test('a lamport that arrived since then makes the next round leave the rent minimum; no transaction fails because of it', async () => {
    world.toy.fund(pendingIntent.address, 1n)
    await work()
    expect(transfer().transfer).toMatchObject({ status: 'failed', reason: expect.stringContaining('left behind') })
    await becomesFinal(observedDeposit(7, 1n))
    for (let round = 1; round <= 8; round += 1) {
      await work(20n)
      await work(FINAL)
    }
    await work()
    expect(await intent()).toMatchObject({ status: 'swept' })
    expect(world.toy.balance(pendingIntent.address)).toBe(0n)
    expect(world.stores.ledger.filter(({ kind }) => kind === 'fee')).toEqual([])
  })
})

describe('the rent of an emptied token account', () => {
  const sweep = async () => {
    begin(MINT)
    await work(FINAL)
    await work()
    expect((await intent())?.status).toBe('swept')
  }

  test('comes back in a transaction of its own, and is booked', async () => {
    await sweep()
    const before = world.toy.balance(addressNo(9_001))
    await work(FINAL)
    await work()
    expect(transfer('transfer-2').transfer).toMatchObject({ kind: 'rent', status: 'done' })
    expect(world.toy.balance(tokenAccountOf(pendingIntent.address, MINT), SOL)).toBe(0n)
    const rent = world.stores.ledger.filter(({ kind }) => kind === 'rent')
    expect(rent).toMatchObject([{ address: addressNo(9_001), delta: world.toy.balance(addressNo(9_001)) - before }])
    expect(events()).toEqual(['intent.paid', 'intent.settling', 'intent.swept'])
  })

  test('waits while the account contains money again', async () => {
    await sweep()
    world.toy.fund(tokenAccountOf(pendingIntent.address, MINT), 1n, MINT, pendingIntent.address)
    await work(FINAL)
    expect(transfer('transfer-2').transfer).toMatchObject({
      status: 'in_progress',
      attemptCount: 0,
      reason: 'The emptied token account received tokens.',
    })
  })

  test('that waits is checked rarely, because the money there may stay permanently', async () => {
    await sweep()
    world.toy.fund(tokenAccountOf(pendingIntent.address, MINT), 1n, MINT, pendingIntent.address)
    await work(FINAL)
    const waits = transfer('transfer-2').nextAttemptAt.getTime() - world.now().getTime()
    expect(waits).toBeGreaterThan(10 * 60_000)
  })

  test('is tried again after a close that failed on chain, whose fee is booked as a fee, up to a limit', async () => {
    await sweep()
    world.toy.fates.push(...Array<'fails'>(MAX_ATTEMPTS).fill('fails'))
    for (let number = 0; number < 3 * MAX_ATTEMPTS; number += 1) await work(FINAL)
    expect(transfer('transfer-2').transfer).toMatchObject({ status: 'failed', attemptCount: MAX_ATTEMPTS })
    expect(world.stores.ledger.filter(({ kind }) => kind === 'fee')).toHaveLength(MAX_ATTEMPTS)
    expect(world.stores.ledger.filter(({ kind }) => kind === 'rent')).toEqual([])
  })

  test('that the signer refuses again and again is held for a person', async () => {
    await sweep()
    Object.assign(world.signer, { sign: async () => ({ refused: 'The signer refuses: it is none.' }) })
    for (let number = 0; number < 3 * MAX_ATTEMPTS; number += 1) await work(FINAL)
    expect(transfer('transfer-2').transfer).toMatchObject({
      status: 'held',
      reason: 'The signer refuses: it is none.',
      attemptCount: MAX_ATTEMPTS,
    })
  })

  test('is done when the account no longer exists', async () => {
    await sweep()
    const account = tokenAccountOf(pendingIntent.address, MINT)
    world.toy.fund(account, -world.toy.balance(account, SOL))
    await work()
    expect(transfer('transfer-2').transfer).toMatchObject({ status: 'done', attemptCount: 0, signature: null })
    expect(world.toy.balance(MERCHANT)).toBe(10n ** 9n)
  })
})
