// The instruction of a sponsored transaction.
import { type Address, createNoopSigner } from '@solana/kit'
import { getApproveCheckedInstruction, getRevokeInstruction } from '@solana-program/token'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import type { SponsoredPlan } from '#core/billing/approve.ts'
import type { Step } from './assemble.ts'

/** Several times what both token programs take. */
const UNITS = 20_000

export const sponsoredStep = (plan: SponsoredPlan, delegate: Address): Step => ({
  instruction: instructionOf(plan, delegate),
  units: UNITS,
})

function instructionOf(plan: SponsoredPlan, delegate: Address): Step['instruction'] {
  const { mint, tokenProgram: programAddress, decimals } = plan.token
  const source = associatedTokenAddress(plan.owner, mint, programAddress)
  const owner = createNoopSigner(plan.owner)
  switch (plan.kind) {
    case 'approve':
      return getApproveCheckedInstruction(
        { source, mint, delegate, owner, amount: plan.total, decimals },
        { programAddress },
      )
    case 'revoke':
      return getRevokeInstruction({ source, owner }, { programAddress })
  }
}
