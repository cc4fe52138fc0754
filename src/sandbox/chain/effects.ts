// Reads the effects of a group of writes: each transaction as it landed, and the present state of every account that they
// may have changed.
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_SUPPORTED_TRANSACTION_VERSION } from '@solana/kit'
import { z } from 'zod'
import { inGroups } from '#lib/values.ts'
import type { AccountNotices } from './account-notices.ts'
import { blockTime, type Era } from './eras.ts'
import { parseExactJson, stringifyExactJson } from './json-rpc.ts'
import type { AccountChange, LandedTransaction, LedgerStore } from './ledger-store.ts'
import type { RecentChanges } from './recent-changes.ts'
import type { Upstream } from './upstream.ts'

/** The request of one write to the runtime, and its answer. */
export type Sent = {
  /** Set when it was a transaction, landed or not. */
  readonly transaction?: { readonly signature: string; readonly wire: Uint8Array; readonly refused: boolean }
  /** Accounts that it changed by other means than a transaction. */
  readonly touched?: readonly string[]
}

type Landed = LandedTransaction & { readonly accounts: readonly string[]; readonly writable: readonly string[] }

/** The most accounts that one call may ask for. */
const ACCOUNTS_PER_CALL = 100
/**
 * The runtime reports a failing transaction as executed just before it lists it, and accepts a transaction that can never
 * land silently. Only waiting distinguishes the two.
 */
const LISTED_WITHIN_TRIES = 5
const BETWEEN_TRIES_MS = 10

const listed = z
  .object({
    slot: z.number(),
    meta: z.object({
      err: z.unknown(),
      loadedAddresses: z
        .object({ writable: z.array(z.string()), readonly: z.array(z.string()) })
        .default({ writable: [], readonly: [] }),
    }),
    transaction: z.object({
      message: z.object({
        accountKeys: z.array(z.string()),
        header: z.object({
          numRequiredSignatures: z.number(),
          numReadonlySignedAccounts: z.number(),
          numReadonlyUnsignedAccounts: z.number(),
        }),
      }),
    }),
  })
  .nullable()
const integer = z.union([z.number().transform(BigInt), z.bigint()])
const accounts = z.object({
  value: z.array(
    z
      .object({
        data: z.tuple([z.base64(), z.literal('base64')]),
        lamports: integer,
        owner: z.string(),
        executable: z.boolean(),
        rentEpoch: integer,
      })
      .nullable(),
  ),
})

/** Stores the effects of a group of writes in one commit, records how the accounts were before, and notes them for notices. */
export async function keepEffects(
  sent: readonly Sent[],
  upstream: Pick<Upstream, 'call'>,
  ledger: Pick<LedgerStore, 'keep' | 'account'>,
  recent: Pick<RecentChanges, 'record' | 'forget'>,
  notices: Pick<AccountNotices, 'note'>,
  eras: readonly Era[],
): Promise<void> {
  const found = await Promise.all(sent.map(({ transaction }) => transaction && readLanded(transaction, upstream, eras)))
  const landed = found.filter((transaction) => transaction != null)
  const touched = sent.flatMap((write) => write.touched ?? [])
  const written = new Set(landed.flatMap(({ writable }) => writable))
  const changed = new Set([...written, ...touched])
  if (changed.size === 0) return
  const changes = await readAccounts([...changed], upstream)
  // A group that spans two slots counts as of the first, so that no final transaction is missing from a balance.
  const slots = landed.map((transaction) => transaction.slot)
  for (const address of written) recent.record(address, Math.min(...slots), ledger.account(address))
  for (const address of touched) recent.forget(address)
  ledger.keep(landed, changes)
  notices.note(written, Math.max(...slots))
  // It is so at every commitment.
  notices.note(touched, 0)
}

async function readLanded(
  { signature, wire, refused }: NonNullable<Sent['transaction']>,
  upstream: Pick<Upstream, 'call'>,
  eras: readonly Era[],
): Promise<Landed | null> {
  const read = (encoding: string): Promise<string> =>
    upstream.call('getTransaction', [
      signature,
      { encoding, commitment: 'processed', maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION },
    ])
  let json = await read('json')
  for (let tries = refused ? LISTED_WITHIN_TRIES : 0; json === 'null' && tries < LISTED_WITHIN_TRIES; tries += 1) {
    await sleep(BETWEEN_TRIES_MS)
    json = await read('json')
  }
  const facts = listed.parse(JSON.parse(json))
  if (facts === null) return null
  const { accountKeys } = facts.transaction.message
  const { writable, readonly } = facts.meta.loadedAddresses
  return {
    signature,
    wire,
    slot: facts.slot,
    error: JSON.stringify(facts.meta.err ?? null),
    json: withBlockTime(json, blockTime(eras, facts.slot)),
    jsonParsed: withBlockTime(await read('jsonParsed'), blockTime(eras, facts.slot)),
    accounts: [...accountKeys, ...writable, ...readonly],
    writable: [...accountKeys.filter((_, index) => isWritable(facts.transaction.message, index)), ...writable],
  }
}

/** Signers come first, and within signers and others those that may be written. */
function isWritable(
  { accountKeys, header }: NonNullable<z.output<typeof listed>>['transaction']['message'],
  index: number,
): boolean {
  return index < header.numRequiredSignatures
    ? index < header.numRequiredSignatures - header.numReadonlySignedAccounts
    : index < accountKeys.length - header.numReadonlyUnsignedAccounts
}

/**
 * Reads the block time from the clock: the runtime's own is a thousand times too small, and missing until the block is
 * full.
 */
function withBlockTime(transaction: string, seconds: number | null): string {
  const parsed = z.record(z.string(), z.unknown()).parse(parseExactJson(transaction))
  return stringifyExactJson({ ...parsed, blockTime: seconds })
}

async function readAccounts(addresses: readonly string[], upstream: Pick<Upstream, 'call'>): Promise<AccountChange[]> {
  const changes: AccountChange[] = []
  for (const asked of inGroups(addresses, ACCOUNTS_PER_CALL)) {
    const reply = await upstream.call('getMultipleAccounts', [asked, { encoding: 'base64' }])
    const { value } = accounts.parse(parseExactJson(reply))
    for (const [index, address] of asked.entries()) {
      const found = value[index] ?? null
      const state =
        found === null || found.lamports === 0n ? null : { ...found, data: Buffer.from(found.data[0], 'base64') }
      changes.push({ address, state })
    }
  }
  return changes
}
