// The creation of nonce accounts, as a subject of transfers: its cost is booked like that of every other transfer, and a
// worker that dies at any step loses nothing. docs/money.md, "The protocol".
import { creationDelay, NONCE } from '#core/billing/nonce-pool.ts'
import type { Network } from '#core/chain/types.ts'
import { ledgerOfTransfer } from '#core/transfers/ledger.ts'
import { TRY_AGAIN_MS } from '#core/transfers/preflight.ts'
import type { NonceReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { NoncePoolStore } from '#ports/nonce-pool.ts'
import type { TransferStore } from '#ports/transfers.ts'
import type { Claimed, TransferSubject } from '#services/transfers/subject.ts'

export type NonceSubjectDeps = {
  readonly pool: Pick<NoncePoolStore, 'finish'>
  readonly transfers: Pick<TransferStore, 'recordAttempt'>
  readonly chainOf: (network: Network) => NonceReader
  readonly clock: Clock
}

const MAX_A_ROUND = 16
const NO_ATTEMPT = { attempt: null, signature: null, slot: null, ledger: [] } as const

export function createNonceSubject(deps: NonceSubjectDeps): TransferSubject {
  const { pool, transfers, clock } = deps
  return {
    kind: NONCE,
    queues: { [NONCE]: { most: MAX_A_ROUND } },
    action: 'nonce',
    // A second creation fails on the chain, so the proof of expiry is enough.
    isUntouched: () => true,
    async readChecks(network, claimed) {
      const existing = await readExisting(deps, network, claimed)
      return async (one, view) => {
        if (!existing.has(one.transfer.source)) return creationDelay(one.transfer, view) ?? 'go'
        await pool.finish(one.lease, { ...NO_ATTEMPT, isReady: true, reason: null, at: clock.now() })
        return 'handled'
      }
    },
    overBudget: async () => ({ reason: 'Its budget is used up.', afterMs: TRY_AGAIN_MS }),
    async book({ transfer, lease }, attempt, transaction) {
      const isReady = transaction.error === null
      await pool.finish(lease, {
        attempt: { id: attempt.id, state: isReady ? 'final_ok' : 'final_err' },
        isReady,
        reason: transaction.error,
        signature: attempt.signature,
        slot: transaction.slot,
        at: clock.now(),
        ledger: ledgerOfTransfer(transfer, transaction),
      })
    },
    async giveUp({ lease }, attempt, reason) {
      const isRecorded = await transfers.recordAttempt(lease, attempt.id, 'dead', { now: clock.now(), error: reason })
      if (isRecorded) await pool.finish(lease, { ...NO_ATTEMPT, isReady: false, reason, at: clock.now() })
    },
  }
}

/** Returns the accounts that exist already: a database that was restored from a backup may not know them. */
async function readExisting(
  { chainOf }: Pick<NonceSubjectDeps, 'chainOf'>,
  network: Network,
  claimed: readonly Claimed[],
) {
  const accounts = claimed.map(({ transfer }) => transfer.source)
  const { values } = await chainOf(network).nonces(accounts, 'finalized')
  return new Set(accounts.filter((_, at) => values[at] != null))
}
