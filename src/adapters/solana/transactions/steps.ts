// The instructions of transfers, one function for each step.
import { AccountRole, type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getAddMemoInstruction } from '@solana-program/memo'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  getApproveCheckedInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getRevokeInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import type { SponsoredPlan } from '#core/billing/approval.ts'
import { WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { type ClosePlan, type Leg, SOL_LEG_UNITS, type TokenDetails } from '#core/transfers/plan.ts'
import { type Step, unplanned } from './assemble.ts'
import { HARVEST_WITHHELD_TO_MINT, MEMO_PROGRAM_ADDRESS, memoOf } from './instructions.ts'

// The instruction of a sponsored transaction.

/** Several times what both token programs take. */
const APPROVE_UNITS = 20_000

export const sponsoredStep = (plan: SponsoredPlan, delegate: Address): Step => ({
  instruction: instructionOf(plan, delegate),
  units: APPROVE_UNITS,
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

/**
 * The compute units of each step, with a margin above the measured figures: the creation of a token account searches its
 * address, at 1,500 units a try.
 */
const UNITS = {
  sol: Number(SOL_LEG_UNITS),
  create: 50_000,
  transfer: 15_000,
  memo: 10_000,
  close: 10_000,
  harvest: 10_000,
}

export const solStep = (source: Address, leg: Leg): Step => ({
  instruction: getTransferSolInstruction({
    source: createNoopSigner(source),
    destination: leg.destination,
    amount: leg.amount,
  }),
  units: UNITS.sol,
})

export const createStep = (feePayer: Address, owner: Address, ata: Address, token: TokenDetails): Step => ({
  instruction: getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(feePayer),
    ata,
    owner,
    mint: token.mint,
    tokenProgram: token.tokenProgram,
  }),
  units: UNITS.create,
})

export const memoStep = (memo: string): Step => ({
  instruction: getAddMemoInstruction({ memo }, { programAddress: MEMO_PROGRAM_ADDRESS }),
  units: UNITS.memo,
})

/** A receiver that requires memos checks the instruction right before the transfer, so each transfer has its own memo. */
export function transferSteps(
  owner: Address,
  source: Address,
  destination: Address,
  leg: Leg,
  token: TokenDetails,
): Step[] {
  const transfer = getTransferCheckedInstruction(
    {
      source,
      mint: token.mint,
      destination,
      authority: createNoopSigner(owner),
      amount: leg.amount,
      decimals: token.decimals,
    },
    { programAddress: token.tokenProgram },
  )
  return [
    ...(token.tokenProgram === TOKEN_2022_PROGRAM_ADDRESS ? [memoStep(memoOf(leg))] : []),
    { instruction: transfer, units: UNITS.transfer },
  ]
}

export function closeSteps(plan: ClosePlan, account: Address, feePayer: Address): Step[] {
  const { token } = plan
  // Accounts of other tokens close only when empty; a wrapped-SOL account pays its whole balance out with the rent.
  if (token.mint === WRAPPED_SOL_MINT) unplanned('the closing of a wrapped-SOL account')
  const harvest: Instruction = {
    programAddress: token.tokenProgram,
    accounts: [
      { address: token.mint, role: AccountRole.WRITABLE },
      { address: account, role: AccountRole.WRITABLE },
    ],
    data: Uint8Array.from(HARVEST_WITHHELD_TO_MINT),
  }
  const close = getCloseAccountInstruction(
    { account, destination: feePayer, owner: createNoopSigner(plan.source) },
    { programAddress: token.tokenProgram },
  )
  return [
    ...(plan.harvestWithheld ? [{ instruction: harvest, units: UNITS.harvest }] : []),
    { instruction: close, units: UNITS.close },
  ]
}
