// A chain on LiteSVM: slots, finality, blockhashes that live for 150 blocks, every transaction at most once. LiteSVM only executes;
// this file adds the rest of a cluster.
import { createHash } from 'node:crypto'
import { getAddressDecoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'
import { FailedTransactionMetadata, LiteSVM, Rent } from 'litesvm'
import { makeBlockhash } from '#core/chain/base58.ts'
import type { Address, Blockhash, Lifetime, Signature } from '#core/chain/types.ts'
import { DAWN } from '../virtual-time.ts'
import { effectsOf, type Landed, signatureOf } from './landed.ts'
import { isSame, type RawAccount, readRaw, writeRaw } from './raw.ts'

// Every account at every slot, so that a node may be any number of slots behind.

type Version = { readonly slot: bigint; readonly raw: RawAccount | null }

/** `present` reads an account that no transaction has touched yet. */
function createHistory(present: (address: Address) => RawAccount | null) {
  const versions = new Map<Address, Version[]>()
  return {
    read(address: Address, slot: bigint): RawAccount | null {
      const known = versions.get(address)
      if (known === undefined) return present(address)
      return known.findLast((version) => version.slot <= slot)?.raw ?? null
    },
    /** `before` is the account until now; for the first change it counts from the beginning. */
    write(address: Address, slot: bigint, raw: RawAccount | null, before: RawAccount | null): void {
      const known = versions.get(address) ?? [{ slot: 0n, raw: before }]
      known.push({ slot, raw })
      versions.set(address, known)
    },
  }
}

export const SLOT_MS = 200
/** Slots after which a block is final, under each consensus. Alpenglow reports the same block as confirmed. */
export const FINAL_AFTER = { alpenglow: 2n, towerBft: 32n } as const
export type Consensus = keyof typeof FINAL_AFTER
const LIFE = 150n
const FIRST_SLOT = 10_000n
/** While nothing happens, one slot in this many has a block. */
const IDLE_BLOCK_EVERY = 120n
/** After a transaction, most of this many slots have a block. */
const BUSY_AFTER = 40n
/** Slots without a block before the first block: heights and slots differ, so code that confuses them fails. */
export const SKIPPED = 1_000n

/** The error of a transaction that did not run. */
const NOT_RUN = 'InsufficientFundsForFee'

type Waiting = {
  readonly signature: Signature
  readonly wire: Uint8Array
  readonly keys: readonly Address[]
  readonly signers: number
  readonly blockhash: Blockhash
  readonly landsAt: bigint
  readonly isSkipped: boolean
  readonly isUnpaid: boolean
}

/**
 * The fate of a new transaction: the number of slots until it lands, also in a block that is then skipped, or that it never lands.
 * `isUnpaid`: its payer cannot pay at that moment, so that it lands and does not run.
 */
export type Fate = { readonly afterSlots: bigint; readonly isSkipped?: boolean; readonly isUnpaid?: boolean } | 'lost'

export type ChainHooks = {
  fateOf(signature: Signature, lastValidSlot: bigint, tip: bigint): Fate
  onSubmitted(wire: Uint8Array): void
  onLanded(landed: Landed): void
}

export type Block = {
  readonly blockhash: Blockhash
  readonly parentSlot: bigint
  readonly parentBlockhash: Blockhash
  readonly transactions: readonly Landed[]
}

export type SimulatedChain = ReturnType<typeof createSimulatedChain>

export const slotAt = (time: number): bigint => FIRST_SLOT + BigInt(Math.floor((time - DAWN) / SLOT_MS))
export const timeOf = (slot: bigint): Date => new Date(DAWN + Number(slot - FIRST_SLOT) * SLOT_MS)
export const heightOf = (slot: bigint): bigint => slot - SKIPPED

export function createSimulatedChain(hooks: ChainHooks, consensus: Consensus = 'alpenglow') {
  const svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n)
  const history = createHistory((address) => readRaw(svm, address))
  let tip = FIRST_SLOT
  let waiting: Waiting[] = []
  const landed = new Map<Signature, Landed>()
  const bySlot: Landed[] = []
  /** What ran in blocks that were skipped. */
  const skipped = new Map<Signature, Landed>()
  /** The accounts of every transaction that was submitted. */
  const submitted = new Map<Signature, readonly Address[]>()
  /** The slots of blockhashes that were issued. */
  const hashes = new Map<Blockhash, bigint>()

  const blockhashAt = (slot: bigint): Blockhash =>
    makeBlockhash(getAddressDecoder().decode(createHash('sha256').update(`block ${slot}`).digest()))
  /**
   * Most slots are skipped while nothing happens, so that a day has few blocks. Some are skipped while much happens.
   */
  const hasBlock = (slot: bigint): boolean => {
    if (slot % IDLE_BLOCK_EVERY === 0n) return true
    const last = bySlot.findLast((one) => one.slot <= slot)?.slot
    if (last === undefined || slot > last + BUSY_AFTER) return false
    return slot === last || (slot * 7n) % 10n !== 0n
  }
  const lifetimeAt = (slot: bigint): Lifetime => {
    const blockhash = blockhashAt(slot)
    hashes.set(blockhash, slot)
    return { blockhash, lastValidBlockHeight: heightOf(slot) + LIFE }
  }

  /** Whether a transaction may land in a slot, by its blockhash. */
  const isAlive = ({ blockhash }: Pick<Waiting, 'blockhash'>, slot: bigint): boolean => {
    const born = hashes.get(blockhash)
    return born !== undefined && slot <= born + LIFE
  }

  const land = (entry: Waiting, slot: bigint): boolean => {
    if (!isAlive(entry, slot) || landed.has(entry.signature)) return false
    const before = new Map(entry.keys.map((key) => [key, readRaw(svm, key)]))
    const outcome = entry.isUnpaid ? null : svm.sendTransaction(getTransactionDecoder().decode(entry.wire))
    const after = new Map(entry.keys.map((key) => [key, readRaw(svm, key)]))
    const effects = effectsOf(entry.keys, before, after)
    // A transaction whose payer cannot pay its fee is in the block, and does not run.
    const failure = outcome instanceof FailedTransactionMetadata ? String(outcome.err()) : null
    const error = effects.fee <= 0n ? NOT_RUN : failure
    // Only changed accounts: programs are accounts too, and must not be written back.
    const changed = entry.keys.filter((key) => !isSame(before.get(key) ?? null, after.get(key) ?? null))
    const was = new Map(changed.map((key) => [key, before.get(key) ?? null]))
    const one: Landed = { ...entry, ...effects, slot, error, before: was }
    if (entry.isSkipped) {
      for (const [key, raw] of was) writeRaw(svm, key, raw)
      skipped.set(one.signature, one)
      return false
    }
    landed.set(entry.signature, one)
    bySlot.push(one)
    for (const key of changed) history.write(key, slot, after.get(key) ?? null, before.get(key) ?? null)
    hooks.onLanded(one)
    return true
  }

  return {
    svm,
    get tip() {
      return tip
    },
    consensus,
    get finalized() {
      return tip - FINAL_AFTER[consensus]
    },
    landed: (signature: Signature): Landed | null => landed.get(signature) ?? null,
    all: (): readonly Landed[] => bySlot,
    /** Returns what a transaction did in a block that was skipped: it has not happened. */
    skipped: (signature: Signature): Landed | null => skipped.get(signature) ?? null,
    /** Returns the accounts of each transaction that was submitted and is in no block. */
    allUnlanded: (): readonly (readonly Address[])[] =>
      [...submitted].flatMap(([signature, keys]) => (landed.has(signature) ? [] : [keys])),
    allSkipped: (): readonly Landed[] => [...skipped.values()],
    lifetimeAt,
    /** The block in a slot; null where the slot was skipped. */
    blockAt(slot: bigint): Block | null {
      if (!hasBlock(slot)) return null
      let parentSlot = slot - 1n
      while (!hasBlock(parentSlot)) parentSlot -= 1n
      const transactions = bySlot.filter((one) => one.slot === slot)
      return { blockhash: blockhashAt(slot), parentSlot, parentBlockhash: blockhashAt(parentSlot), transactions }
    },
    /** Slots with a block, ascending, both ends included. */
    slotsWithBlocks(first: bigint, last: bigint): readonly bigint[] {
      const slots: bigint[] = []
      for (let slot = first; slot <= last; slot += 1n) if (hasBlock(slot)) slots.push(slot)
      return slots
    },
    /** An account as of a slot. */
    accountAt: (address: Address, slot: bigint): RawAccount | null => history.read(address, slot),
    rentOf: (bytes: bigint): bigint => svm.minimumBalanceForRentExemption(bytes),

    /** Creates an account before the first slot. */
    found(address: Address, raw: RawAccount): void {
      writeRaw(svm, address, raw)
    },

    changeRent(lamportsPerByteYear: bigint): void {
      svm.setRent(new Rent(lamportsPerByteYear, 2, 50))
    },

    /** Accepts signed bytes, like a node. */
    submit(wire: Uint8Array): Signature {
      hooks.onSubmitted(wire)
      const message = messageOf(wire)
      const signature = signatureOf(wire)
      if (landed.has(signature) || waiting.some((one) => one.signature === signature)) return signature
      const blockhash = makeBlockhash(message.lifetimeToken)
      if (!isAlive({ blockhash }, tip)) return signature
      const { staticAccounts: keys, header } = message
      submitted.set(signature, keys)
      const lastValidSlot = (hashes.get(blockhash) ?? tip) + LIFE
      const fate = hooks.fateOf(signature, lastValidSlot, tip)
      if (fate === 'lost') return signature
      waiting.push({
        signature,
        wire,
        keys,
        signers: header.numSignerAccounts,
        blockhash,
        landsAt: tip + fate.afterSlots,
        isSkipped: fate.isSkipped === true,
        isUnpaid: fate.isUnpaid === true,
      })
      return signature
    },

    /** Lets slots pass. */
    advance(to: bigint): void {
      while (waiting.length > 0) {
        const next = waiting.reduce((first, one) => (one.landsAt < first.landsAt ? one : first))
        if (next.landsAt > to) break
        waiting = waiting.filter((one) => one !== next)
        if (next.landsAt > tip) tip = next.landsAt
        land(next, tip)
      }
      if (to > tip) tip = to
    },
  }
}

const messageOf = (wire: Uint8Array) =>
  getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(wire).messageBytes)
