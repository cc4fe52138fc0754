// Pulls with durable nonces on a simulated network: the pool, the engine of transfers, and a subject that pulls.
import { randomUUID } from 'node:crypto'
import { getAddressDecoder } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { createNoncePoolStore } from '#adapters/prisma/billing/nonce-pool-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { writeTransfers } from '#adapters/prisma/transfers/records.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { seededAddress } from '#adapters/solana/keys/seeded-address.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import type { PoolSize } from '#core/billing/nonce-pool.ts'
import type { Authority, ServiceKey } from '#core/chain/keys.ts'
import type { Address } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { ledgerOfTransfer } from '#core/transfers/ledger.ts'
import type { NewTransfer } from '#core/transfers/transfer.ts'
import type { NoncePoolStore } from '#ports/nonce-pool.ts'
import type { Signer } from '#ports/signer.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { growPool, type NoncePoolDeps, readNonceLifetimes } from '#services/billing/nonce-pool.ts'
import { createNonceSubject } from '#services/billing/nonce-subject.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import { createAttemptPreparer } from '#services/transfers/prepare.ts'
import { registerSubjects, type TransferSubject } from '#services/transfers/subject.ts'
import { mintData, tokenAccountData } from '../adapters/solana/chain-data.ts'
import type { Fate } from '../simulator/chain/chain.ts'
import { createWallet, paySol, signedTransaction } from '../simulator/chain/wallets.ts'
import { createDice } from '../simulator/dice.ts'
import { FEE_PAYER, keys, serviceKey, signer } from './approves.ts'
import { openSimulatedNetwork, type SimulatedNetwork } from './simulated-network.ts'
import { nextNumber } from './stores.ts'

export const FUNDS = 10_000_000_000n
const ACCOUNT_ID = '00000000-0000-4000-8000-00000000c0de'
const authority = (branch: ServiceKey): Authority => ({ address: serviceKey(branch), key: { network: 'live', branch } })

export type PullPorts = {
  readonly pool: NoncePoolStore
  readonly transfers: TransferStore
  readonly chain: ReturnType<typeof openSimulatedNetwork>['chain']
  readonly signer: Signer
}

const freshAddress = (): Address => {
  const bytes = Buffer.alloc(32, 5)
  bytes.writeUInt32BE(nextNumber(), 8)
  return getAddressDecoder().decode(bytes)
}

/** Gives a wallet a token account before the first slot, with an allowance for the service. */
export function foundHolding(
  { ledger }: Pick<SimulatedNetwork, 'ledger'>,
  mint: Address,
  owner: Address,
  amount: bigint,
  allowance: bigint,
): void {
  ledger.found(associatedTokenAddress(owner, mint, TOKEN_PROGRAM_ADDRESS), {
    lamports: 2_039_280n,
    owner: TOKEN_PROGRAM_ADDRESS,
    data: tokenAccountData({
      mint,
      owner,
      amount,
      ...(allowance > 0n && { delegation: { delegate: serviceKey('delegate'), allowance } }),
    }),
  })
}

export async function openPulls(db: Database, fateOf?: () => Fate) {
  const network = openSimulatedNetwork(keys, fateOf)
  const mint = freshAddress()
  const token = { mint, program: TOKEN_PROGRAM_ADDRESS }
  network.fund(FEE_PAYER, FUNDS)
  network.ledger.found(mint, { lamports: 10_000_000n, owner: token.program, data: mintData(6) })
  const place = (owner: Address) => associatedTokenAddress(owner, mint, token.program)
  const hold = (owner: Address, amount: bigint, allowance: bigint) =>
    foundHolding(network, mint, owner, amount, allowance)
  const ports: PullPorts = {
    pool: createNoncePoolStore(db),
    transfers: createTransferStore(db),
    chain: network.chain,
    signer,
  }
  // The fee payer has a history: its ledger is empty.
  const known = await fundingTransaction(network)

  return {
    ...network,
    ports,
    known,
    db,
    mint,
    tokensOf(owner: Address): bigint {
      const raw = network.ledger.accountAt(place(owner), network.ledger.tip)
      return raw === null ? 0n : Buffer.from(raw.data).readBigUInt64LE(64)
    },
    /** Plans a pull of a new subscriber, with this balance and allowance. Returns its parts. */
    async plan(amount: bigint, balance = amount, allowance = amount) {
      const [subscriber, merchant, id] = [freshAddress(), freshAddress(), randomUUID()]
      hold(subscriber, balance, allowance)
      const transfer: NewTransfer = {
        key: `pull:${id}`,
        network: 'live',
        subject: { kind: CHARGE, id },
        kind: CHARGE,
        accountId: ACCOUNT_ID,
        source: subscriber,
        authority: authority('delegate'),
        asset: mint,
        decimals: 6,
        tokenProgram: token.program,
        round: 1,
        portion: 'main',
        sourceAccount: null,
        legs: [{ role: 'payout', destination: merchant, amount: makeBaseUnits(amount), feeBps: null }],
      }
      await db.prisma.$transaction((tx) =>
        writeTransfers(tx, [{ transfer, at: network.clock.now(), version: 1, reason: null }]),
      )
      return { subscriber, merchant, id }
    },
    stored: (id: string) =>
      db.prisma.transfer.findFirstOrThrow({
        where: { subjectId: id },
        include: { attempts: { orderBy: { number: 'asc' } } },
      }),
    instance: (given: PullPorts = ports, size: PoolSize = { min: 2, max: 4 }) => startInstance(given, network, size),
  }
}
export type Pulls = Awaited<ReturnType<typeof openPulls>>

/** Lands the first transaction of the fee payer, by which a provider proves that it kept its history. */
export async function fundingTransaction({ ledger, fund, chain, pass }: ReturnType<typeof openSimulatedNetwork>) {
  const donor = createWallet(createDice('donor'))
  fund(donor.address, FUNDS)
  const wire = signedTransaction([donor], [paySol(donor, FEE_PAYER, 1_000_000n)], ledger.lifetimeAt(ledger.tip))
  await chain.broadcast(wire)
  pass(40n)
  return ledger.all()[0]?.signature
}

function startInstance(
  { pool, transfers, chain, signer: ownSigner }: PullPorts,
  { clock }: Pick<ReturnType<typeof openSimulatedNetwork>, 'clock'>,
  size: PoolSize,
) {
  const common = { chainOf: () => chain, transfers, keys, clock }
  const nonces: NoncePoolDeps = { ...common, pool, seededAddress, size, kinds: [CHARGE] }
  const subjects = registerSubjects([
    createNonceSubject({ ...common, pool }),
    pullSubject(transfers, (network, transfers) => readNonceLifetimes(nonces, network, transfers), clock),
  ])
  const errors: unknown[] = []
  const engine = {
    ...common,
    subjects,
    feePayerOf: () => FEE_PAYER,
    random: { uuid: randomUUID },
    onError: (error: unknown) => void errors.push(error),
  }
  const advance = createTransferAdvancer({ ...engine, prepare: createAttemptPreparer(engine), signer: ownSigner })
  return {
    errors,
    nonces,
    grow: () => growPool(nonces, 'live'),
    advance: () => advance('live'),
  }
}

function pullSubject(
  transfers: TransferStore,
  readLifetimes: NonNullable<TransferSubject['readLifetimes']>,
  clock: { now(): Date },
): TransferSubject {
  return {
    kind: CHARGE,
    queues: { [CHARGE]: { most: 16 } },
    action: 'legs',
    readLifetimes,
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
}
