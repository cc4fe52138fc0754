// An approve as its row.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { APPROVAL_STATES, type Approval, LIVE_APPROVAL_STATES } from '#core/billing/approval.ts'
import { DELEGATION_FIELDS } from '#core/billing/delegation.ts'
import { makeBlockhash, makeSignature } from '#core/chain/base58.ts'
import { oneOf } from '#core/json.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import type { DelegatedApproval } from '#ports/approvals.ts'
import { decoderOf } from './decode.ts'

export const LIVE_STATES = { in: [...LIVE_APPROVAL_STATES] }
export const APPROVAL_INCLUDE = { delegation: true } as const satisfies Prisma.ApprovalInclude

type Row = Prisma.ApprovalGetPayload<object>

const readState = oneOf(APPROVAL_STATES)
const delegationFromRow = decoderOf('delegations', DELEGATION_FIELDS)

export function approvalFromRow(row: Row): Approval {
  const { id, network, delegationId, intentId, subscriptionId, wire, createdAt } = row
  if (intentId === null) throw new RangeError(`approval ${id} has no checkout`)
  return {
    id,
    network,
    delegationId,
    intentId,
    subscriptionId,
    wire,
    createdAt,
    total: makeBaseUnits(row.total.toFixed(0)),
    message: row.message,
    signature: makeSignature(row.feePayerSignature),
    lifetime: {
      kind: 'blockhash',
      blockhash: makeBlockhash(row.blockhash),
      lastValidBlockHeight: row.lastValidBlockHeight,
    },
    knownSignature: makeSignature(row.knownSignature),
    state: readState(row.state, 'approvals.state'),
    spendCost: makeLamports(row.spendCost),
  }
}

export const delegatedFromRow = ({
  delegation,
  ...row
}: Prisma.ApprovalGetPayload<{ include: typeof APPROVAL_INCLUDE }>): DelegatedApproval => ({
  approval: approvalFromRow(row),
  delegation: delegationFromRow(delegation),
})
