// The engine of transfers knows no subject by name. A subject that exists only in this test pays through the unchanged
// engine. Its source is the token account of another wallet, with the service as the delegate, and its transactions
// have a durable nonce.
import { randomUUID } from 'node:crypto'
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import {
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system'
import { getApproveCheckedInstruction } from '@solana-program/token'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { writeLedger, writeTransfers } from '#adapters/prisma/transfers/records.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import type { Authority, ServiceKey } from '#core/chain/keys.ts'
import type { NonceLifetime } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { ledgerOfTransfer } from '#core/transfers/ledger.ts'
import type { NewTransfer, Transfer } from '#core/transfers/transfer.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import { planOf } from '#services/transfers/plan.ts'
import { createAttemptPreparer } from '#services/transfers/prepare.ts'
import { registerSubjects, type TransferSubject } from '#services/transfers/subject.ts'
import { SOL, startTestChain, stopTestChain, type TestChain, type TestMint } from '../../support/chain.ts'
import { openTestDatabase } from '../../support/database.ts'
import { mustSign } from '../../support/signing.ts'
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
const NONCE_AUTHORITY = authorityOf('nonce_authority')
const PULL = 'pull'
const clock = { now: () => new Date() }

let tools: TestChain
let db: Database
let mint: TestMint
let accountId: string
let chain: ReturnType<typeof createChain>
/** Transactions that the engine broadcasts, and whether the chain receives them. */
let isSending = true
const handedOver: Uint8Array[] = []

beforeAll(async () => {
  ;[tools, db] = await Promise.all([startTestChain(), openTestDatabase()])
  const real = createChain({ network: 'live', rpcUrls: [tools.rpcUrl], depositKeys: keys, clock, lifetimeCacheMs: 50 })
  chain = {
    ...real,
    async broadcast(wire) {
      handedOver.push(wire)
      if (isSending) await real.broadcast(wire)
    },
  }
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

async function nonceAccount(): Promise<Address> {
  const [payer, account] = await Promise.all([tools.wallet(SOL), generateKeyPairSigner()])
  const signature = await tools.send(payer, [
    getCreateAccountInstruction({
      payer,
      newAccount: account,
      lamports: 2_000_000n,
      space: getNonceSize(),
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    }),
    getInitializeNonceAccountInstruction({ nonceAccount: account.address, nonceAuthority: NONCE_AUTHORITY.address }),
  ])
  await tools.finalized(signature)
  return account.address
}

async function nonceOf(account: Address): Promise<NonceLifetime> {
  const { slot, values } = await chain.nonces([account], 'finalized')
  const [nonce] = values
  if (nonce == null) throw new Error('the nonce account does not exist')
  return { kind: 'nonce', nonce, account, slot, authority: NONCE_AUTHORITY }
}

/** Registers the subject of this file, and returns the engine over it. */
function startEngine(account: Address) {
  const transfers = createTransferStore(db)
  const subject: TransferSubject = {
    kind: 'test-subscription',
    queues: { [PULL]: { most: 4 } },
    action: 'legs',
    isUntouched: () => true,
    readChecks: async () => async () => 'go',
    async readLifetimes() {
      const lifetime = await nonceOf(account)
      return () => lifetime
    },
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
  const prepare = createAttemptPreparer({ ...common, random: { uuid: randomUUID } })
  const advance = createTransferAdvancer({ ...common, prepare, signer })
  return {
    subject,
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

test('a delegated source with a nonce pays once, and ledger, transfer and attempt agree', async () => {
  const [owner, merchant, nonce] = [
    await subscriber(100n, 60n),
    (await generateKeyPairSigner()).address,
    await nonceAccount(),
  ]
  const before = await nonceOf(nonce)
  const id = await plan(owner.address, merchant, 40n)
  const engine = startEngine(nonce)
  await until(async () => {
    await engine.advance()
    return (await stored(id)).status === 'done'
  }, 20_000)

  expect(engine.errors).toEqual([])
  expect(await tools.tokensOf(merchant, mint)).toBe(40n)
  expect(await tools.tokensOf(owner.address, mint)).toBe(60n)
  expect((await nonceOf(nonce)).nonce).not.toBe(before.nonce)
  const { attempts } = await stored(id)
  expect(attempts).toMatchObject([
    { state: 'final_ok', nonceAccount: nonce, blockhash: before.nonce, lastValidBlockHeight: null },
  ])
  const entries = await db.prisma.ledgerEntry.findMany({ where: { subjectId: id } })
  expect(entries.map(({ address, kind, delta }) => [address, kind, delta.toNumber() < 0])).toEqual(
    expect.arrayContaining([
      [owner.address, PULL, true],
      [FEE_PAYER, PULL, true],
    ]),
  )
})

test('no attempt follows while the nonce of a live attempt has its value; when the nonce is used, a proof lets another follow', async () => {
  const [owner, merchant, nonce] = [
    await subscriber(100n, 60n),
    (await generateKeyPairSigner()).address,
    await nonceAccount(),
  ]
  const id = await plan(owner.address, merchant, 25n)
  const engine = startEngine(nonce)
  isSending = false
  await engine.advance()
  const lost = handedOver.at(-1)
  if (lost === undefined) throw new Error('nothing was broadcast')
  for (let round = 0; round < 5; round += 1) await engine.advance()
  expect((await stored(id)).attempts).toHaveLength(1)

  // Another transaction uses the nonce.
  const other = { ...(await transferOf(id)), legs: [leg((await generateKeyPairSigner()).address, 1n)] }
  const used = planOf(other, { harvestWithheld: false, lifetime: await nonceOf(nonce) }, engine.subject)
  const { message } = await chain.compile(used)
  const { wire, signature } = await mustSign(signer, used, message)
  isSending = true
  await chain.broadcast(wire)
  await tools.finalized(signature)

  await until(async () => {
    await engine.advance()
    return (await stored(id)).status === 'done'
  }, 20_000)
  expect((await stored(id)).attempts.map(({ number, state }) => [number, state])).toEqual([
    [1, 'dead'],
    [2, 'final_ok'],
  ])
  await chain.broadcast(lost).catch(() => {})
  expect(await tools.tokensOf(merchant, mint)).toBe(25n)
  expect(await tools.tokensOf(owner.address, mint)).toBe(74n)
  expect(engine.errors).toEqual([])
})

const leg = (destination: Address, amount: bigint) => ({
  role: 'payout',
  destination,
  amount: makeBaseUnits(amount),
  feeBps: null,
})

const transferOf = async (id: string): Promise<Transfer> => {
  const [leased] = await createTransferStore(db).claim('live', {
    now: new Date(clock.now().getTime() + 3_600_000),
    leaseMs: 1,
    queues: [{ kind: PULL, most: 9 }],
  })
  if (leased?.transfer.subject.id !== id) throw new Error('the transfer is not due')
  return leased.transfer
}
