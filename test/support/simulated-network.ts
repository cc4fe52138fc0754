// A network on LiteSVM, read through the service's own adapters, with one honest node and a clock that only the test moves.
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { createAccountReader } from '#adapters/solana/rpc/accounts.ts'
import { createAgreement } from '#adapters/solana/rpc/agreement.ts'
import { createExpiryProver } from '#adapters/solana/rpc/expiry-proof.ts'
import { createHistoryReader } from '#adapters/solana/rpc/history.ts'
import { createPaceReader, createSlotTimer } from '#adapters/solana/rpc/pace.ts'
import { createFinalSlots } from '#adapters/solana/rpc/slots.ts'
import { createSubmitter } from '#adapters/solana/rpc/submitter.ts'
import { createCompiler } from '#adapters/solana/transactions/compiler.ts'
import type { Address } from '#core/chain/types.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { tokenAccountData } from '../adapters/solana/chain-data.ts'
import { createSimulatedChain, type Fate, timeOf } from '../simulator/chain/chain.ts'
import { createSimulatedNode } from '../simulator/chain/node.ts'
import { createSimulatedPool } from '../simulator/chain/pool.ts'
import { SYSTEM_PROGRAM } from '../simulator/chain/raw.ts'
import { createWallet, paySol, signedTransaction } from '../simulator/chain/wallets.ts'
import { createDice } from '../simulator/dice.ts'
import { FEE_PAYER, serviceKey } from './approves.ts'

export type SimulatedNetwork = ReturnType<typeof openSimulatedNetwork>

/** `fateOf` decides how many slots each new transaction takes, or that it is lost. */
export function openSimulatedNetwork(depositKeys: DepositKeys, fateOf: () => Fate = () => ({ afterSlots: 1n })) {
  const ledger = createSimulatedChain({ fateOf, onSubmitted: () => {}, onLanded: () => {} })
  const node = createSimulatedNode(1, ledger, { strikes: () => false, count: () => {} })
  const clock: Clock = { now: () => timeOf(ledger.tip) }
  const pass = (slots: bigint): void => ledger.advance(ledger.tip + slots)
  const pool = createSimulatedPool(
    [node],
    async (_node, _method, ask) => ask(),
    async () => pass(1n),
  )
  const finalSlots = createFinalSlots(pool, clock)
  const agreement = createAgreement(pool)
  const slotTimer = createSlotTimer(clock)
  const accounts = createAccountReader(pool, clock, slotTimer)
  const chain = {
    ...accounts,
    ...agreement,
    ...createHistoryReader(pool, finalSlots, agreement),
    ...createSubmitter(pool, clock, finalSlots, agreement, { lifetimeCacheMs: 0 }),
    ...createExpiryProver(pool),
    ...createCompiler({ accounts, depositKeys, network: 'live', computeUnitPrice: 10_000n }),
    ...createPaceReader(pool, slotTimer),
  }
  return {
    ledger,
    clock,
    chain,
    pass,
    /** Gives a wallet lamports before the first slot. */
    fund: (wallet: Address, lamports: bigint): void =>
      ledger.found(wallet, { lamports, owner: SYSTEM_PROGRAM, data: new Uint8Array() }),
    lamportsOf: (wallet: Address): bigint => ledger.accountAt(wallet, ledger.tip)?.lamports ?? 0n,
  }
}

export const FUNDS = 10_000_000_000n

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

/** Lands the first transaction of the fee payer, by which a provider proves that it kept its history. */
export async function fundingTransaction({ ledger, fund, chain, pass }: SimulatedNetwork) {
  const donor = createWallet(createDice('donor'))
  fund(donor.address, FUNDS)
  const wire = signedTransaction([donor], [paySol(donor, FEE_PAYER, 1_000_000n)], ledger.lifetimeAt(ledger.tip))
  await chain.broadcast(wire)
  pass(40n)
  return ledger.all()[0]?.signature
}
