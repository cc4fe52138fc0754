// The engine of transfers knows no subject by name. A subject that exists only in this test pays through the unchanged
// engine. Its source is the token account of another wallet, with the service as the delegate.
import { randomUUID } from 'node:crypto'
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { getApproveCheckedInstruction } from '@solana-program/token'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { writeLedger, writeTransfers } from '#adapters/prisma/transfers/records.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import { makeSignature } from '#core/chain/base58.ts'
import type { Authority, ServiceKey } from '#core/chain/keys.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { ledgerOfTransfer } from '#core/transfers/ledger.ts'
import type { NewTransfer } from '#core/transfers/transfer.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import { createAttemptPreparer } from '#services/transfers/prepare.ts'
import { registerSubjects, type TransferSubject } from '#services/transfers/subject.ts'
import { SOL, startTestChain, stopTestChain, type TestChain, type TestMint } from '../../support/chain.ts'
import { openTestDatabase } from '../../support/database.ts'
import { UNCHANGED_MINTS } from '../../support/memory-stores.ts'
import { addBusiness } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

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
  await tools.fund(FEE_PAYER, 10n * SOL)
  mint = await tools.createMint()
  accountId = (await addBusiness(db)).accountId
  const known = await tools.paySol(await tools.wallet(), FEE_PAYER, SOL)
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
            delta: SOL,
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
  const owner = await tools.wallet(SOL)
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
    giveUp: async ({ lease }, _attempt, reason) => transfers.hold(lease, reason),
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
