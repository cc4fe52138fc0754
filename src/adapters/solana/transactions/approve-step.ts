// The instruction of a sponsored approve.
import { type Address, createNoopSigner } from '@solana/kit'
import { getApproveCheckedInstruction } from '@solana-program/token'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import type { ApprovePlan } from '#core/billing/approve.ts'
import type { Step } from './assemble.ts'

/** Several times what both token programs take. */
const UNITS = 20_000

export const approveStep = ({ owner, token, total }: ApprovePlan, delegate: Address): Step => ({
  instruction: getApproveCheckedInstruction(
    {
      source: associatedTokenAddress(owner, token.mint, token.tokenProgram),
      mint: token.mint,
      delegate,
      owner: createNoopSigner(owner),
      amount: total,
      decimals: token.decimals,
    },
    { programAddress: token.tokenProgram },
  ),
  units: UNITS,
})
