// Transfers with their legs as one JSON column, for facts that are read in one statement. Amounts and slots come as text
// inside the JSON: a JSON number holds neither.
import { type TransferRow, transferFromRow } from '#adapters/prisma/rows.ts'
import type { Transfer } from '#core/transfers/transfer.ts'

export type TransferJson = Omit<TransferRow, 'createdAt' | 'doneAt' | 'fence'> & {
  readonly fence: string
  readonly createdAt: string
  readonly doneAt: string | null
}

export const transferFromJson = (json: TransferJson): Transfer =>
  transferFromRow({
    ...json,
    fence: BigInt(json.fence),
    createdAt: new Date(json.createdAt),
    doneAt: json.doneAt === null ? null : new Date(json.doneAt),
  })

/**
 * Returns an expression for the transfers that fulfil a condition on `transfer`, in the order in which they were planned. Versions
 * give the order of one subject's transfers: instances may have clocks that differ.
 */
export const transfersWhere = (condition: string): string => `
  (SELECT coalesce(jsonb_agg(jsonb_build_object(
      'id', id, 'key', key, 'network', network, 'kind', kind, 'accountId', account_id,
      'subjectKind', subject_kind, 'subjectId', subject_id, 'source', source, 'sourceAccount', source_account, 'authority', authority,
      'authorityKey', authority_key, 'asset', asset, 'decimals', decimals, 'tokenProgram', token_program, 'round', round,
      'portion', portion, 'status', status, 'reason', reason, 'attemptCount', attempt_count, 'fence', fence::text,
      'signature', signature, 'createdAt', created_at, 'plannedVersion', planned_version, 'doneAt', done_at,
      'legs', (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'position', position, 'role', role, 'destination', destination, 'amount', amount::text, 'feeBps', fee_bps,
          'movedAmount', moved_amount::text)), '[]')
        FROM transfer_legs WHERE transfer_id = transfer.id)
    ) ORDER BY planned_version, created_at, key), '[]')
    FROM transfers transfer WHERE ${condition})`
