// Puts the steps of a transaction together: its lifetime, its compute budget, and its instructions in order.
import {
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget'
import type { Lifetime } from '#core/chain/types.ts'
import { divCeil, type Lamports, makeLamports } from '#core/money/amounts.ts'
import { feeOfSignatures, MAX_PRIORITY_FEE } from '#core/transfers/plan.ts'

/** The chain takes no larger transaction. */
export const MAX_TRANSACTION_BYTES = 1232
const SIGNATURE_BYTES = 64
/** Compute units of the budget itself. */
const BASE_UNITS = 1_000

/** An instruction, and the most compute units that it takes. Unused units cost only their share of the priority fee. */
export type Step = { readonly instruction: Instruction; readonly units: number }

export type Assembly = {
  readonly feePayer: Address
  readonly lifetime: Lifetime
  readonly steps: readonly Step[]
  /** The number of signers. */
  readonly signers: number
  /** In millionths of a lamport. */
  readonly computeUnitPrice: bigint
}

/** Returns the message, and the fee that the chain takes for it. Throws RangeError when it does not fit. */
export function assemble({ feePayer, lifetime, steps, signers, computeUnitPrice }: Assembly): {
  message: Uint8Array
  fee: Lamports
} {
  const units = steps.reduce((sum, step) => sum + step.units, BASE_UNITS)
  const microLamports = priceFor(units, computeUnitPrice)
  const transaction = pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(feePayer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) =>
      appendTransactionMessageInstructions(
        [
          getSetComputeUnitLimitInstruction({ units }),
          getSetComputeUnitPriceInstruction({ microLamports }),
          ...steps.map((step) => step.instruction),
        ],
        message,
      ),
    compileTransaction,
  )
  const message = Uint8Array.from(transaction.messageBytes)
  const bytes = message.length + 1 + SIGNATURE_BYTES * signers
  if (bytes > MAX_TRANSACTION_BYTES) unplanned(`a transaction of ${bytes} bytes`)
  return {
    message,
    fee: makeLamports(feeOfSignatures(signers) + divCeil(BigInt(units) * microLamports, 1_000_000n)),
  }
}

export function unplanned(what: string): never {
  throw new RangeError(`cannot compile ${what}`)
}

/** Returns the price of a unit in millionths of a lamport: the market price, limited by the largest priority fee. */
function priceFor(units: number, asked: bigint): bigint {
  const max = (MAX_PRIORITY_FEE * 1_000_000n) / BigInt(units)
  return asked < max ? asked : max
}
