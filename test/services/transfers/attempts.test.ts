import { randomUUID } from 'node:crypto'
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { getApproveCheckedInstruction } from '@solana-program/token'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuditStore } from '#adapters/prisma/audit/audit-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { writeLedger, writeTransfers } from '#adapters/prisma/transfers/records.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import { makeSignature } from '#core/chain/base58.ts'
import type { Authority, ServiceKey } from '#core/chain/keys.ts'
import { type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { ledgerOfTransfer } from '#core/transfers/ledger.ts'
import type { NewTransfer } from '#core/transfers/transfer.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import { createAttemptPreparer, knownSignatureOf, newestSignature } from '#services/transfers/prepare.ts'
import { registerSubjects, type TransferSubject } from '#services/transfers/subject.ts'
import { SOL as ONE_SOL, startTestChain, stopTestChain, type TestChain, type TestMint } from '../../support/chain.ts'
import { openTestDatabase } from '../../support/database.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { UNCHANGED_MINTS } from '../../support/memory-stores.ts'
import { createLife } from '../../support/mortal.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  deposit,
  FEE_PAYER,
  landed as landedAs,
  later,
  NOW,
  signatureNo,
  units,
} from '../../support/payment.ts'
import { createMemoryWorld, createWorld, PLENTY, PRICE, startInstance } from '../../support/settling-world.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

// A halted address: attempts under way are completed, and nothing new is sent.
describe('attempts', () => {
  describe('halted', () => {
    const WHY = 'The chain holds 5 base units of SOL less than the ledger says.'
    const { address } = pendingIntent

    test('nothing is sent from a halted address, the transfer has the reason, and continues after the halt', async () => {
      const world = createMemoryWorld()
      const instance = startInstance(world)
      world.stores.halt(address, WHY)
      for (let round = 0; round < 3; round += 1) {
        await instance.work()
        world.pass(50n)
      }
      expect(world.stores.attempts).toEqual([])
      expect(world.stores.transfer('transfer-1').transfer).toMatchObject({
        status: 'in_progress',
        attemptCount: 0,
        reason: `Nothing is sent from its address for now. ${WHY}`,
      })

      world.stores.halt(address, null)
      for (let round = 0; round < 8; round += 1) {
        await instance.work()
        world.pass(50n)
      }
      expect(world.stores.transfer('transfer-1').transfer.status).toBe('done')
      expect(instance.errors).toEqual([])
    })

    test('an attempt that was stored before the halt is completed', async () => {
      const world = createMemoryWorld()
      const instance = startInstance(world)
      await instance.work()
      expect(world.stores.attempts).toHaveLength(1)
      world.stores.halt(address, WHY)
      for (let round = 0; round < 8; round += 1) {
        world.pass(50n)
        await instance.work()
      }
      expect(world.stores.transfer('transfer-1').transfer.status).toBe('done')
      expect(world.stores.attempts).toMatchObject([{ state: 'final_ok' }])
    })
  })

  // Another worker takes over the transfers that a killed worker had claimed. Money waits only a short time.
  describe('takeover', () => {
    /** Fifty seconds in slots. */
    const WELL_WITHIN_PER_MINUTE = 250n
    const SECOND = 5n

    test('another worker takes over the claims of a killed worker within a minute', async () => {
      const undisturbed = createLife(null)
      await startInstance(createMemoryWorld(), undisturbed).work()
      for (let at = 1; at <= undisturbed.calls(); at += 1) {
        const world = createMemoryWorld()
        const killed = createLife({ at, when: 'after' })
        await startInstance(world, killed).work()
        expect(killed.isOver()).toBe(true)
        world.pass(WELL_WITHIN_PER_MINUTE)
        const successor = startInstance(world, createLife(null), 2)
        // A transaction that was signed and not sent has expired by then: the first round proves it, the second makes another.
        for (let rounds = 0; rounds < 2; rounds += 1) {
          await successor.work()
          world.pass(SECOND)
        }
        expect(world.toy.broadcasts(), `killed ${killed.fellAt()}`).toBeGreaterThan(0)
      }
    })
  })

  // The transaction by which a provider proves that it kept its history.
  describe('known signature', () => {
    const listing = (...numbers: readonly number[]) => ({
      signatures: async () => ({
        entries: numbers.map((number) => ({ signature: signatureNo(number), slot: 1n, failed: false })),
        next: null,
      }),
      transaction: async (signature: Signature): Promise<ObservedTransaction | null> => landedAs({ signature }),
    })
    const notAnswered = async () => {
      throw new ServiceError('chain_unavailable')
    }

    test('it is the newest final transaction of the fee payer', async () => {
      expect(await newestSignature(listing(2, 1), addressNo(1))).toBe(signatureNo(2))
    })

    test('a fee payer whose first transaction is not final asks the caller to try again', async () => {
      await expect(newestSignature(listing(), addressNo(1))).rejects.toMatchObject({ code: 'chain_unavailable' })
    })

    test('one that a second provider does not know is passed over, because then no expiry could be proved', async () => {
      const chain = listing(3, 2, 1)
      const known = async (signature: Signature) => (signature === signatureNo(3) ? null : landedAs({ signature }))
      expect(await newestSignature({ ...chain, transaction: known }, addressNo(1))).toBe(signatureNo(2))
      const unsure = async (signature: Signature) =>
        signature === signatureNo(3) ? await notAnswered() : landedAs({ signature })
      expect(await newestSignature({ ...chain, transaction: unsure }, addressNo(1))).toBe(signatureNo(2))
    })

    test('a fork of some blocks that one provider believes is passed over in a few steps', async () => {
      const numbers = Array.from({ length: 100 }, (_, at) => 100 - at)
      const asked: Signature[] = []
      const transaction = async (signature: Signature) => {
        asked.push(signature)
        return signature === signatureNo(36) ? landedAs({ signature }) : null
      }
      expect(await newestSignature({ ...listing(...numbers), transaction }, addressNo(1))).toBe(signatureNo(36))
      expect(asked).toEqual([100, 99, 96, 84, 36].map(signatureNo))
    })

    test('the last entry of a short list is looked at too', async () => {
      const transaction = async (signature: Signature) =>
        signature === signatureNo(1) ? landedAs({ signature }) : null
      expect(await newestSignature({ ...listing(3, 2, 1), transaction }, addressNo(1))).toBe(signatureNo(1))
    })

    test.each([
      ['knows none of them', async () => null],
      ['does not answer', notAnswered],
    ])('the caller is asked to try again when the second provider %s', async (_, transaction) => {
      await expect(newestSignature({ ...listing(2, 1), transaction }, addressNo(1))).rejects.toMatchObject({
        code: 'chain_unavailable',
      })
    })

    describe('the required transaction of an attempt', () => {
      const DAY = 24 * 60 * 60
      const booked = { signature: signatureNo(900), slot: 1_000n, at: NOW }
      const known = (slots: readonly bigint[], now: Date) => {
        let asked = 0
        const signatures = async () => {
          asked += 1
          const entries = slots.map((at) => ({ signature: signatureNo(Number(at)), slot: at, failed: false }))
          return { entries, next: null }
        }
        return knownSignatureOf({ ...listing(), signatures }, addressNo(1), booked, now).then((signature) => ({
          signature,
          asked,
        }))
      }

      test('is the newest of the ledger for a day, and no provider is asked for another', async () => {
        expect(await known([5_000n], later(DAY))).toEqual({ signature: booked.signature, asked: 0 })
      })

      test('is the newest of the fee payer after a day, so that a provider that pruned the ledger’s still proves its history', async () => {
        expect(await known([5_000n, 500n], later(DAY + 1))).toEqual({ signature: signatureNo(5_000), asked: 1 })
      })

      test.each([[[500n]], [[]]])(
        'stays the newest of the ledger when the fee payer has no newer one: %o',
        async (slots) => {
          expect(await known(slots, later(DAY + 1))).toMatchObject({ signature: booked.signature })
        },
      )
    })
  })

  // A transaction that is in a block and did not run, because the fee payer could not pay: no budget and no books count it.
  describe('did not run', () => {
    const HALF = PRICE / 2n
    /** The fee of one transaction of the toy chain, and the part that a refund in SOL repays. */
    const FEE = 10_000n
    const REPAID = 5_000n

    let db: Database
    beforeAll(async () => {
      db = await openTestDatabase()
    })
    afterAll(() => db.close())

    test('a refund that did not run costs nothing of its budget, and is no movement for the audit', async () => {
      const stores = storesOf(db)
      const world = {
        ...createWorld({ intents: stores.work, transfers: stores.transfers }),
        refundBudget: { ...PLENTY, perSubject: makeLamports(FEE) },
      }
      const intent = await addIntent(stores, await addBusiness(db))
      const { id: intentId, address: account, network } = intent
      await stores.work.apply(step(startChange(intent), { selection: choice(SOL, PRICE) }, NOW, null))
      world.toy.fund(account, HALF)
      const senders = [{ address: BUYER, amount: units(HALF) }]
      const paid = deposit(1, HALF, { intentId, account, slot: 1n, senders })
      await decideAndApply(stores.work, intentId, (facts) => decideDeposits(facts, [paid], null, context()))
      await decideAndApply(stores.work, intentId, (facts) => decideCancel(facts, context()))

      const { advance, errors } = startInstance(world)
      const nextRound = async () => {
        world.pass(30n)
        await advance()
      }
      const spender = {
        network,
        kind: 'refund',
        feePayer: FEE_PAYER,
        subjectId: intentId,
        before: null,
        now: world.now(),
      }
      const booksOf = async () => {
        const { slot } = await world.toy.chain.readAccounts([])
        return (await createAuditStore(db).books([{ intentId, slot }], FEE_PAYER)).get(intentId)
      }
      const attempts = async () => {
        const rows = await db.prisma.transferAttempt.findMany({ orderBy: { number: 'asc' } })
        return rows.map(({ number, state }) => `${number} ${state}`)
      }

      world.toy.fates.push('does not run')
      await nextRound()
      expect(await attempts()).toEqual(['1 sent'])
      expect(await stores.transfers.spendOf(spender)).toMatchObject({ lastHour: FEE })
      await nextRound()
      expect(await attempts()).toEqual(['1 dead'])
      expect(await stores.transfers.spendOf(spender)).toEqual({ ofSubject: 0n, lastHour: 0n, lastDay: 0n })
      expect(await booksOf()).toMatchObject({
        entries: [{ total: HALF }],
        leaving: [],
        returned: [],
        feePayer: { spent: 0n, repaid: 0n },
      })

      for (let round = 0; round < 4; round += 1) await nextRound()
      expect(await attempts()).toEqual(['1 dead', '2 final_ok'])
      expect((await stores.work.facts(intentId))?.intent.status).toBe('refunded')
      expect(await booksOf()).toMatchObject({
        leaving: [],
        returned: [{ amount: HALF - REPAID }],
        feePayer: { spent: FEE, repaid: REPAID },
      })
      expect(world.toy.balance(account)).toBe(0n)
      expect(errors).toEqual([])
    })
  })
})

// The engine of transfers knows no subject by name. A subject that exists only in this test pays through the unchanged
// engine. Its source is the token account of another wallet, with the service as the delegate.
describe('any subject', () => {
  const seed = new Uint8Array(64).fill(33)
  const keys = createDepositKeys(seed)
  const signer = createSigner(seed)
  const authorityOf = (branch: ServiceKey): Authority => {
    const key = { network: 'live', branch } as const
    return { address: keys.addressOf(key), key }
  }
  const FEE_PAYER = authorityOf('fee_payer').address
  const DELEGATE = authorityOf('delegate')
  const PULL = 'pull'
  const clock = { now: () => new Date() }

  let tools: TestChain
  let db: Database
  let mint: TestMint
  let accountId: string
  let chain: ReturnType<typeof createChain>

  beforeAll(async () => {
    ;[tools, db] = await Promise.all([startTestChain(), openTestDatabase()])
    chain = createChain({ network: 'live', rpcUrls: [tools.rpcUrl], depositKeys: keys, clock, lifetimeCacheMs: 50 })
    await tools.fund(FEE_PAYER, 10n * ONE_SOL)
    mint = await tools.createMint()
    accountId = (await addBusiness(db)).accountId
    const known = await tools.paySol(await tools.wallet(), FEE_PAYER, ONE_SOL)
    await tools.finalized(known)
    await db.prisma.$transaction((tx) =>
      writeLedger(tx, [
        {
          at: clock.now(),
          entries: [
            {
              network: 'live',
              address: FEE_PAYER,
              account: FEE_PAYER,
              asset: 'SOL',
              delta: ONE_SOL,
              signature: known,
              slot: 1n,
              kind: 'deposit',
              subjectId: null,
              transferId: null,
            },
          ],
        },
      ]),
    )
  })
  afterAll(async () => {
    await stopTestChain(tools)
    await db.close()
  })

  /** A wallet with tokens that lets the service's delegate move a part of them. */
  async function subscriber(tokens: bigint, allowance: bigint): Promise<KeyPairSigner> {
    const owner = await tools.wallet(ONE_SOL)
    const account = await tools.fundToken(mint, owner.address, tokens)
    const { address, ...details } = { address: mint.mint, decimals: mint.decimals }
    await tools.send(owner, [
      getApproveCheckedInstruction({
        source: account,
        mint: address,
        delegate: DELEGATE.address,
        owner,
        amount: allowance,
        ...details,
      }),
    ])
    return owner
  }

  /** Registers the subject of this file, and returns the engine over it. */
  function startEngine() {
    const transfers = createTransferStore(db)
    const subject: TransferSubject = {
      kind: 'test-subscription',
      queues: { [PULL]: { most: 4 } },
      action: 'legs',
      isUntouched: () => true,
      readChecks: async () => async () => 'go',
      overBudget: async () => 'go',
      async book({ transfer, lease }, attempt, transaction) {
        await transfers.finish(lease, {
          attemptId: attempt.id,
          attemptState: transaction.error === null ? 'final_ok' : 'final_err',
          status: transaction.error === null ? 'done' : 'failed',
          reason: transaction.error,
          signature: attempt.signature,
          slot: transaction.slot,
          at: clock.now(),
          ledger: ledgerOfTransfer(transfer, transaction),
        })
      },
      giveUp: async ({ lease }, _attempt, reason) => void (await transfers.hold(lease, reason)),
    }
    const errors: unknown[] = []
    const common = {
      chainOf: () => chain,
      transfers,
      subjects: registerSubjects([subject]),
      keys,
      feePayerOf: () => FEE_PAYER,
      clock,
      onError: (error: unknown) => void errors.push(error),
    }
    const prepare = createAttemptPreparer({
      ...common,
      mintGuard: UNCHANGED_MINTS,
      random: { uuid: randomUUID },
      afterFailover: async () => ({ waits: null, lostBefore: null }),
    })
    const advance = createTransferAdvancer({ ...common, prepare, signer })
    return {
      errors,
      async advance() {
        // The waits between two balance checks are not tested here.
        await db.query('UPDATE transfers SET next_attempt_at = now(), lease_until = NULL')
        await advance('live')
      },
    }
  }

  async function plan(owner: Address, merchant: Address, amount: bigint): Promise<string> {
    const id = randomUUID()
    const transfer: NewTransfer = {
      key: `pull:${id}`,
      network: 'live',
      subject: { kind: 'test-subscription', id },
      kind: PULL,
      accountId,
      source: owner,
      authority: DELEGATE,
      asset: mint.mint,
      decimals: mint.decimals,
      tokenProgram: mint.tokenProgram,
      round: 1,
      portion: 'main',
      sourceAccount: null,
      legs: [{ role: 'payout', destination: merchant, amount: makeBaseUnits(amount), feeBps: null }],
    }
    await db.prisma.$transaction((tx) => writeTransfers(tx, [{ transfer, at: clock.now(), version: 1, reason: null }]))
    return id
  }

  const stored = async (id: string) =>
    await db.prisma.transfer.findFirstOrThrow({
      where: { subjectId: id },
      include: { attempts: { orderBy: { number: 'asc' } } },
    })

  test('a delegated source pays once, ledger, transfer and attempt agree, and the memo names the transfer', async () => {
    const [owner, merchant] = [await subscriber(100n, 60n), (await generateKeyPairSigner()).address]
    const id = await plan(owner.address, merchant, 40n)
    const engine = startEngine()
    await until(async () => {
      await engine.advance()
      return (await stored(id)).status === 'done'
    })

    expect(engine.errors).toEqual([])
    expect(await tools.tokensOf(merchant, mint)).toBe(40n)
    expect(await tools.tokensOf(owner.address, mint)).toBe(60n)
    const { attempts, key } = await stored(id)
    const landed = attempts.filter(({ state }) => state === 'final_ok')
    expect(landed).toHaveLength(1)
    const observed = await chain.transaction(makeSignature(landed[0]?.signature ?? ''))
    expect(observed?.memos).toEqual([key])
    expect(observed?.signers).toEqual([FEE_PAYER, DELEGATE.address])
    const entries = await db.prisma.ledgerEntry.findMany({ where: { subjectId: id } })
    expect(entries.map(({ address, kind, delta }) => [address, kind, delta.toNumber() < 0])).toEqual(
      expect.arrayContaining([
        [owner.address, PULL, true],
        [FEE_PAYER, PULL, true],
      ]),
    )
  })
})
