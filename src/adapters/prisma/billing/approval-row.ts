// An approve as its row.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { transactionFromRow } from '#adapters/prisma/transfers/attempts.ts'
import {
  APPROVAL_STATES,
  type Approval,
  type ApprovalEnd,
  type ApprovalPurpose,
  LIVE_APPROVAL_STATES,
} from '#core/billing/approval.ts'
import { NEW_TERMS_FIELDS, type NewTerms } from '#core/billing/term-change.ts'
import { type Codec, type Encoded, integer, record } from '#core/codec.ts'
import { isRecord, misread, oneOf } from '#core/json.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import type { DelegatedApproval } from '#ports/checkouts.ts'
import { DELEGATIONS } from './tables.ts'

/** The condition on `state` of an approve that may still land. */
export const IS_LIVE = { in: [...LIVE_APPROVAL_STATES] }
export const APPROVAL_INCLUDE = { delegation: true } as const satisfies Prisma.ApprovalInclude

type Row = Prisma.ApprovalGetPayload<object>

const readState = oneOf(APPROVAL_STATES)
export function approvalFromRow(row: Row): Approval {
  const { id, network, delegationId, subscriptionId, businessId } = row
  return {
    id,
    network,
    delegationId,
    purpose: purposeFromRow(row),
    subscriptionId,
    businessId,
    total: makeBaseUnits(row.total.toFixed(0)),
    state: readState(row.state, 'approvals.state'),
    spendCost: makeLamports(row.spendCost),
    ...transactionFromRow({ ...row, signature: row.feePayerSignature }),
  }
}

type PurposeColumns = Pick<Row, 'intentId' | 'subscriptionVersion'> & { readonly terms: Prisma.InputJsonObject }

const NEW_TERMS: Codec<NewTerms, Encoded<typeof NEW_TERMS_FIELDS>> = record(NEW_TERMS_FIELDS)
const readKind = oneOf(['checkout', 'change', 'renew', 'revoke'])

/** Returns the columns of a purpose. `terms` names the kind, with the terms of a change. */
export function purposeColumns(purpose: ApprovalPurpose): PurposeColumns {
  switch (purpose.kind) {
    case 'checkout':
      return {
        intentId: purpose.intentId,
        subscriptionVersion: null,
        terms: { purpose: purpose.kind, trialDays: purpose.trialDays },
      }
    case 'revoke':
      return { intentId: null, subscriptionVersion: null, terms: { purpose: purpose.kind } }
    case 'change':
    case 'renew':
      return {
        intentId: null,
        subscriptionVersion: purpose.subscriptionVersion,
        terms: { purpose: purpose.kind, agreed: NEW_TERMS.write(purpose.agreed) },
      }
  }
}

function purposeFromRow({
  id,
  intentId,
  subscriptionVersion,
  terms,
}: Pick<Row, 'id' | 'intentId' | 'subscriptionVersion' | 'terms'>): ApprovalPurpose {
  const place = `approval ${id}`
  if (!isRecord(terms)) return misread(place, terms)
  const { purpose, agreed, trialDays } = terms
  const kind = readKind(purpose, place)
  if (kind === 'checkout')
    return intentId === null ? misread(place, intentId) : { kind, intentId, trialDays: integer.read(trialDays, place) }
  if (kind === 'revoke') return { kind }
  if (subscriptionVersion === null) return misread(place, subscriptionVersion)
  return { kind, subscriptionVersion, agreed: NEW_TERMS.read(agreed, place) }
}

export const delegatedFromRow = ({
  delegation,
  ...row
}: Prisma.ApprovalGetPayload<{ include: typeof APPROVAL_INCLUDE }>): DelegatedApproval => ({
  approval: approvalFromRow(row),
  delegation: DELEGATIONS.fromRow(delegation),
})

/** Ends an approve. Throws VersionConflict when another worker did. */
export async function writeApprovalEnd(tx: Tx, { approvalId, state, slot, error, at }: ApprovalEnd): Promise<void> {
  const { count } = await tx.approval.updateMany({
    where: { id: approvalId, state: IS_LIVE },
    data: { state, slot, error, resolvedAt: at },
  })
  if (count !== 1) throw new VersionConflict()
}
