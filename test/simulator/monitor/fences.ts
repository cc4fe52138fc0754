// A worker that lost its lease may still write, and must change nothing. docs/money.md, "The protocol", 1.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Lease } from '#core/transfers/transfer.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { replaced } from '../ports.ts'
import type { Findings } from './findings.ts'

/** The fence of the row and its version: PostgreSQL gives a changed row another version. */
type Row = { readonly fence: bigint; readonly version: string }

export function watchFences(db: Pick<Database, 'query'>, findings: Findings, transfers: TransferStore): TransferStore {
  const rowOf = async ({ transferId }: Pick<Lease, 'transferId'>): Promise<Row | null> => {
    const [row] = await db.query<Row>('SELECT fence, xmin::text AS version FROM transfers WHERE id = $1', [transferId])
    return row ?? null
  }
  /** Executes the write, and checks that it changed nothing when the lease was lost. */
  const fenced = async <T>(
    name: string,
    lease: Lease,
    write: () => Promise<T>,
    hadEffect: (answer: T) => boolean,
  ): Promise<T> => {
    const before = await rowOf(lease)
    const answer = await write()
    const lost = before !== null && before.fence !== lease.fence
    if (!lost) {
      findings.check('a lost lease changes nothing', true, () => '')
      return answer
    }
    const after = await rowOf(lease)
    const changed = hadEffect(answer) || after?.version !== before.version
    findings.check(
      'a lost lease changes nothing',
      !changed,
      () => `${name} of ${lease.transferId} with fence ${lease.fence}, not ${before.fence}`,
    )
    return answer
  }
  /** Several leases end at once: those that are lost change nothing. */
  async function released(name: string, leases: readonly Lease[], release: () => Promise<void>): Promise<void> {
    const before = await Promise.all(leases.map(rowOf))
    await release()
    for (const [position, lease] of leases.entries()) {
      const was = before[position]
      if (was == null || was.fence === lease.fence) continue
      const is = await rowOf(lease)
      findings.check(
        'a lost lease changes nothing',
        is?.version === was.version,
        () => `${name} of ${lease.transferId}`,
      )
    }
  }
  const isTrue = (answer: unknown): boolean => answer === true
  return replaced(transfers, {
    prepareAttempt: (lease, draft) =>
      fenced(
        'prepareAttempt',
        lease,
        () => transfers.prepareAttempt(lease, draft),
        (answer) => answer !== null,
      ),
    recordSigned: (lease, ...rest) =>
      fenced('recordSigned', lease, () => transfers.recordSigned(lease, ...rest), isTrue),
    recordAttempt: (lease, ...rest) =>
      fenced('recordAttempt', lease, () => transfers.recordAttempt(lease, ...rest), isTrue),
    postpone: (leases, ...rest) => released('postpone', leases, () => transfers.postpone(leases, ...rest)),
    hold: (lease, ...rest) => fenced('hold', lease, () => transfers.hold(lease, ...rest), isTrue),
    finish: (lease, ...rest) => fenced('finish', lease, () => transfers.finish(lease, ...rest), isTrue),
    giveBack: (leases, at) => released('giveBack', leases, () => transfers.giveBack(leases, at)),
  })
}
