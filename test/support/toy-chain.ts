// A small chain with one provider: slots, balances, blockhashes that expire, transactions that land once and are final
// two slots later. Its "transactions" are the plans themselves, so the planned transfer is the one that lands.

import { createHash } from 'node:crypto'
import { getAddressDecoder, getBase58Decoder } from '@solana/kit'
import { makeBlockhash, makeSignature } from '#core/chain/base58.ts'
import { type Address, type Asset, type Signature, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Chain, DepositKeys } from '#ports/chain.ts'
import type { Signer } from '#ports/transactions.ts'
import { pageOf } from './history-page.ts'
import { FEE_PAYER, signatureNo } from './payment.ts'
import { createToyExecution, TOKEN_RENT, WALLET_RENT } from './toy-execution.ts'
import { createToyLedger, tokenAccountOf } from './toy-ledger.ts'

export { TOKEN_RENT, tokenAccountOf, WALLET_RENT }

const FINAL_AFTER: bigint = 2n
const TOWER_FINAL_AFTER = 32n
const LIFE = 150n
const FEE = 10_000n
export const SLOT_MS = 200
/** Slots in a minute. */
export const MINUTE = 300n
/** Known to every provider from the beginning. */
export const KNOWN = signatureNo(1)

export const toyKeys: Pick<DepositKeys, 'tokenAccountOf'> = {
  tokenAccountOf: async (owner, mint) => tokenAccountOf(owner, mint),
}

const asText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
const fromText = (text: string): Compiled =>
  JSON.parse(text, (_, part: unknown) =>
    typeof part === 'string' && /^\d+n$/.test(part) ? BigInt(part.slice(0, -1)) : part,
  ) as Compiled
type Compiled = { readonly plan: TransactionPlan }

export type ToyChain = Pick<
  Chain,
  | 'readAccounts'
  | 'transaction'
  | 'signatures'
  | 'lifetime'
  | 'broadcast'
  | 'signatureStatuses'
  | 'proveExpired'
  | 'compile'
  | 'minimumBalance'
  | 'blockTime'
>

/** `start` is the time of its first slot, which is number 1,000. */
export function createToyChain(start = new Date(400_000)) {
  let slot = 1_000n
  const ledger = createToyLedger()
  const { landed, balance } = ledger
  const rent = { wallet: WALLET_RENT, tokenAccount: TOKEN_RENT }
  const execution = createToyExecution(ledger, FEE, rent)
  /** The fate of each transaction, in the order in which they are first sent. All later transactions land. */
  const fates: ('lands' | 'is lost' | 'fails' | 'does not run' | 'rent doubles' | 'rent halves')[] = []
  const fateOf = new Map<Signature, (typeof fates)[number]>()
  let broadcasts = 0
  let prunedBelow = 0n
  let finalAfter = FINAL_AFTER

  const final = (): bigint => slot - finalAfter
  /** The rent changes between two blocks, before the one in which a transaction lands. */
  const changeRent = (next: (lamports: bigint) => bigint): void => {
    rent.wallet = next(rent.wallet)
    rent.tokenAccount = next(rent.tokenAccount)
  }
  const timeOf = (at: bigint): Date => new Date(start.getTime() + Number(at - 1_000n) * SLOT_MS)

  const chain: ToyChain = {
    async readAccounts(accounts) {
      return { slot: final(), states: accounts.map((account) => ledger.state(account, final())) }
    },
    async signatures(account, { before = null, until = null }) {
      const listed = [...landed]
        .filter(([, one]) => one.slot <= final() && one.changes.some((change) => change.account === account))
        .map(([signature, { slot: landedAt, error }]) => ({
          signature,
          slot: landedAt,
          failed: error !== null,
        }))
        .reverse()
      return pageOf(listed, { before, until })
    },
    async transaction(signature) {
      const one = landed.get(signature)
      return one === undefined || one.slot > final() ? null : ledger.observed(signature, one, timeOf(one.slot))
    },
    async blockTime() {
      return { slot: final(), time: timeOf(final()) }
    },
    async minimumBalance(bytes) {
      return makeLamports(bytes === 0 ? rent.wallet : rent.tokenAccount)
    },
    async lifetime() {
      return { blockhash: blockhashOf(slot), lastValidBlockHeight: slot + LIFE }
    },
    async compile(plan) {
      return { message: new TextEncoder().encode(asText({ plan })), fee: makeLamports(FEE) }
    },
    async broadcast(wire) {
      broadcasts += 1
      const { plan } = fromText(new TextDecoder().decode(wire))
      const signature = signatureOf(wire)
      if (landed.has(signature) || slot > plan.lifetime.lastValidBlockHeight) return
      const fate = fateOf.get(signature) ?? fates.shift() ?? 'lands'
      fateOf.set(signature, fate)
      if (fate === 'is lost') return
      slot += 1n
      if (fate === 'rent doubles') changeRent((lamports) => lamports * 2n)
      if (fate === 'rent halves') changeRent((lamports) => lamports / 2n)
      const isRun = fate !== 'fails' && fate !== 'does not run'
      const outcome = isRun ? execution.run(plan, slot) : execution.failure(fate === 'fails' ? 'bad luck' : null)
      const fee = fate === 'does not run' ? 0n : FEE
      const paidBy = { fee, feePayer: FEE_PAYER, signers: [FEE_PAYER, plan.source] }
      landed.set(signature, { slot, plan, ...paidBy, ...outcome })
    },
    async signatureStatuses(signatures) {
      return signatures.map((signature) => {
        const one = landed.get(signature)
        if (one === undefined) return null
        return { slot: one.slot, final: one.slot <= final(), error: one.error, doubt: null }
      })
    },
    async proveExpired({ signature, lifetime, knownSignature }) {
      if (landed.has(signature)) return { expired: false, because: 'landed', detail: 'it exists' }
      const known = landed.get(knownSignature)?.slot ?? 0n
      if (known < prunedBelow)
        return { expired: false, because: 'unproven', detail: 'does not know the required transaction' }
      const height = final()
      if (height <= lifetime.lastValidBlockHeight + 1n)
        return { expired: false, because: 'not_yet', detail: 'too early' }
      return { expired: true, providers: 1 }
    },
  }

  return {
    chain,
    fates,
    mints: ledger.mints,
    frozen: ledger.frozen,
    programs: ledger.programs,
    pass(slots: bigint) {
      slot += slots
    },
    fund(account: Address, amount: bigint, asset: Asset = SOL, owner: Address = account) {
      ledger.fund(account, amount, asset, owner)
    },
    /**
     * A person pays a wallet with a transaction of their own, and creates the token account if it does not exist;
     * `signed` by them or not.
     */
    pay(from: Address, to: Address, asset: Asset, amount: bigint, signed = true): Signature {
      slot += 1n
      const signature = signatureNo(2_000 + landed.size)
      landed.set(signature, { slot, error: null, ...execution.payment({ from, to, asset, amount, signed, at: slot }) })
      return signature
    },
    /** A block is final after 32 slots, as under TowerBFT. */
    runTowerBft() {
      finalAfter = TOWER_FINAL_AFTER
    },
    /** Its provider forgets the history of all earlier slots. */
    prune(slots: bigint) {
      prunedBelow = slot - slots
    },
    balance: (account: Address, asset: Asset = SOL) => balance(account, asset, slot),
    /** The transactions that the service sent. */
    landed: () => [...landed.values()].filter(({ plan }) => plan !== null),
    broadcasts: () => broadcasts,
    /** The time of its newest slot. */
    now: () => timeOf(slot),
  }
}

/** Cached, because Base58 is slow and many runs use the same names. */
function remembered<T>(make: (hash: Buffer) => T): (hash: Buffer) => T {
  const made = new Map<string, T>()
  return (hash) => {
    const name = hash.toString('latin1')
    const known = made.get(name)
    if (known !== undefined) return known
    if (made.size > 10_000) made.clear()
    const one = make(hash)
    made.set(name, one)
    return one
  }
}
const signatureFrom = remembered((hash) => makeSignature(getBase58Decoder().decode(hash)))
const signatureOf = (wire: Uint8Array): Signature => signatureFrom(createHash('sha512').update(wire).digest())
const blockhashFrom = remembered((hash) => makeBlockhash(getAddressDecoder().decode(hash)))
const blockhashOf = (slot: bigint) => blockhashFrom(createHash('sha256').update(`block ${slot}`).digest())

/** Signs the planned message only; the same message gives the same bytes. */
export const toySigner: Signer = {
  async sign(plan, message) {
    const said = fromText(new TextDecoder().decode(message))
    if (asText(said.plan) !== asText(plan)) return { refused: 'The message is not the plan’s.' }
    return { wire: message, signature: signatureOf(message) }
  },
  sponsor: async () => ({ refused: 'The toy chain has no approves.' }),
}
