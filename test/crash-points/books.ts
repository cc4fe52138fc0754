// The store of a reconciler, over a world's records: a ledger that a test can tamper with, halts, and the position of
// the reconciler.

import { areSameFaults } from '#core/audit/faults.ts'
import { type Asset, SOL } from '#core/chain/types.ts'
import { isReleased } from '#core/payments/transfers.ts'
import { LIVE_ATTEMPT_STATES } from '#core/transfers/transfer.ts'
import type { AuditStore, IssuedAddress, RecordedBooks } from '#ports/audit.ts'
import type { HaltOfPayment, HaltStore } from '#ports/halts.ts'
import type { SettingStore } from '#ports/platform.ts'
import { pendingIntent } from '../support/example-intent.ts'
import type { createMemoryStores } from '../support/memory-stores.ts'
import { PAYEE } from '../support/payment.ts'

type Records = ReturnType<typeof createMemoryStores>
type Amount = { readonly asset: Asset; readonly amount: bigint }
const { address, id: intentId, derivationIndex: intentIndex } = pendingIntent

export function createBooks(records: Records) {
  const settings = new Map<string, unknown>()
  const tampering = { lamports: 0n }
  const audit: AuditStore = {
    countIssued: async () => 1,
    async issued(_, { afterIndex }) {
      const { accountIndex } = PAYEE
      const acceptedAssets: readonly Asset[] = [SOL]
      const issued: IssuedAddress = { intentId, intentIndex, accountIndex, address, acceptedAssets, places: [] }
      return afterIndex < intentIndex ? [issued] : []
    },
    async books(asked) {
      const [one] = asked
      return one === undefined ? new Map() : new Map([[intentId, await read(records, one.slot, tampering.lamports)]])
    },
  }
  return {
    audit,
    tampering,
    halts: createHalts(records),
    settings: {
      read: async (key) => settings.get(key) ?? null,
      write: async (key, value) => void settings.set(key, value),
    } satisfies SettingStore,
  }
}

async function read(records: Records, slot: bigint, tampered: bigint): Promise<RecordedBooks> {
  const facts = await records.intents.facts(intentId)
  if (facts === null) throw new Error('the payment does not exist')
  const { deposits, transfers } = facts
  const entries = records.ledger.filter((entry) => entry.address === address && entry.asset === SOL)
  const total = (some: readonly { readonly delta: bigint }[]) => some.reduce((sum, { delta }) => sum + delta, tampered)
  const legs = transfers
    .filter(({ status }) => status === 'done')
    .flatMap(({ asset, legs, moved }) =>
      legs.map(({ role }, at) => ({
        asset,
        amount: moved[at] ?? 0n,
        isBack: role === 'refund' || isReleased({ role }),
      })),
    )
  const isLive = (transferId: string) =>
    records.attempts.some(
      (one) => one.transferId === transferId && LIVE_ATTEMPT_STATES.some((state) => state === one.state),
    )
  return {
    entries: [
      {
        account: address,
        asset: SOL,
        upToSlot: total(entries.filter((one) => one.slot <= slot)),
        total: total(entries),
      },
    ],
    received: deposits.map(bare),
    settled: legs.filter(({ isBack }) => !isBack).map(bare),
    returned: legs.filter(({ isBack }) => isBack).map(bare),
    leaving: transfers
      .filter(({ id }) => isLive(id))
      .map(({ sourceAccount, asset, tokenProgram, legs }) => ({
        sourceAccount,
        asset,
        tokenProgram,
        amount: legs.reduce((sum, { amount }) => sum + amount, 0n),
      })),
    feePayer: { spent: 0n, repaid: 0n, rent: 0n },
  }
}

const bare = ({ asset, amount }: Amount): Amount => ({ asset, amount })

function createHalts(records: Records): HaltStore {
  const rows: HaltOfPayment[] = []
  const isOpen = ({ clearedAt }: HaltOfPayment): boolean => clearedAt === null
  return {
    async halt(finding) {
      const open = rows.findIndex(isOpen)
      const known = rows[open]
      if (known !== undefined) {
        rows[open] = { ...known, faults: finding.faults, reason: finding.reason }
        return false
      }
      const last = rows.at(-1)
      if (last?.clearedBy === 'operator' && areSameFaults(last.faults, finding.faults)) return false
      const id = `00000000-0000-4000-8000-${String(rows.length + 1).padStart(12, '0')}`
      rows.push({ ...finding, id, intentIndex, clearedAt: null, clearedBy: null, clearedReason: null })
      records.halt(address, finding.reason)
      return true
    },
    open: async () => rows.filter(isOpen),
    list: async ({ open }) => rows.filter((one) => !open || isOpen(one)).toReversed(),
    async clear(id, { by, reason, at }) {
      const place = rows.findIndex((one) => one.id === id && isOpen(one))
      const halt = rows[place]
      if (halt === undefined) return null
      records.halt(address, null)
      const cleared = { ...halt, clearedAt: at, clearedBy: by, clearedReason: reason }
      rows[place] = cleared
      return cleared
    },
  }
}
