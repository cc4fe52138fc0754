// A chain of one provider in a few lines: slots, balances, blockhashes that expire, transactions that land once and are
// final 32 slots later. Its "transactions" are the plans themselves, so that what lands is what was planned.
import { createHash } from 'node:crypto'
import { getAddressDecoder, getBase58Decoder } from '@solana/kit'
import { makeAddress, makeBlockhash, makeSignature } from '#core/chain/base58.ts'
import {
  type AccountState,
  type Address,
  type Asset,
  type Commitment,
  type Lifetime,
  type ObservedTransaction,
  type Signature,
  type SignatureStatus,
  SOL,
} from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Chain, DepositKeys } from '#ports/chain.ts'
import type { Signer } from '#ports/signer.ts'
import { MINT } from './example-intent.ts'
import { FEE_PAYER, signatureNo, TOKEN_PROGRAM } from './payment.ts'

const FINAL_AFTER = 32n
const LIFE = 150n
const FEE = 10_000n
export const WALLET_RENT = 890_880n
export const TOKEN_RENT = 2_039_280n
const SYSTEM = makeAddress('11111111111111111111111111111111')
/** Known to every provider from the beginning. */
export const KNOWN = signatureNo(1)

type Change = { readonly account: Address; readonly owner: Address; readonly asset: Asset; readonly delta: bigint }
type Landed = {
  readonly slot: bigint
  readonly error: string | null
  readonly changes: readonly Change[]
  readonly plan: TransactionPlan
}

export const tokenAccountOf = (owner: Address, mint: Address): Address =>
  getAddressDecoder().decode(createHash('sha256').update(`${owner} ${mint}`).digest())
export const toyKeys: Pick<DepositKeys, 'tokenAccountOf'> = {
  tokenAccountOf: async (owner, mint) => tokenAccountOf(owner, mint),
}

const asText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
const fromText = (text: string): Compiled =>
  JSON.parse(text, (_, part: unknown) =>
    typeof part === 'string' && /^\d+n$/.test(part) ? BigInt(part.slice(0, -1)) : part,
  ) as Compiled
type Compiled = { readonly plan: TransactionPlan; readonly lifetime: Lifetime }

export type ToyChain = Pick<
  Chain,
  | 'readAccounts'
  | 'transaction'
  | 'signaturesFor'
  | 'lifetime'
  | 'broadcast'
  | 'signatureStatuses'
  | 'proveDead'
  | 'compile'
  | 'minimumBalance'
  | 'blockTime'
>

export function createToyChain() {
  let slot = 1_000n
  const genesis = new Map<string, { account: Address; owner: Address; asset: Asset; amount: bigint }>()
  const landed = new Map<Signature, Landed>()
  /** What becomes of each transaction, in the order in which they are first sent; afterwards everything lands. */
  const weather: ('lands' | 'is lost' | 'fails')[] = []
  const fates = new Map<Signature, (typeof weather)[number]>()
  let broadcasts = 0

  const at = (commitment: Commitment): bigint => (commitment === 'finalized' ? slot - FINAL_AFTER : slot)
  const balance = (account: Address, asset: Asset, upTo: bigint): bigint => {
    let amount = genesis.get(`${account} ${asset}`)?.amount ?? 0n
    for (const one of landed.values())
      if (one.slot <= upTo)
        for (const change of one.changes)
          if (change.account === account && change.asset === asset) amount += change.delta
    return amount
  }
  const tokenOwner = (account: Address): Address | null => {
    for (const entry of genesis.values()) if (entry.account === account && entry.asset !== SOL) return entry.owner
    for (const { changes } of landed.values())
      for (const change of changes) if (change.account === account && change.asset !== SOL) return change.owner
    return null
  }
  const state = (account: Address, upTo: bigint): AccountState | null => {
    const lamports = balance(account, SOL, upTo)
    if (lamports === 0n) return null
    const owner = tokenOwner(account)
    if (owner === null) return { lamports: makeLamports(lamports), ownerProgram: SYSTEM, token: null }
    const amount = makeBaseUnits(balance(account, MINT, upTo))
    const token = { mint: MINT, owner, amount, frozen: false, withheld: makeBaseUnits(0n) }
    return { lamports: makeLamports(lamports), ownerProgram: TOKEN_PROGRAM, token }
  }

  /** What a plan would do now, or why it fails. */
  const execute = (plan: TransactionPlan): { error: string | null; changes: Change[] } => {
    const fee: Change = { account: FEE_PAYER, owner: FEE_PAYER, asset: SOL, delta: -FEE }
    const fails = (error: string) => ({ error, changes: [fee] })
    if (plan.kind === 'close') {
      const account = tokenAccountOf(plan.source, plan.token.mint)
      if (balance(account, plan.token.mint, slot) > 0n) return fails('not empty')
      const rent = balance(account, SOL, slot)
      if (rent === 0n) return fails('no such account')
      return {
        error: null,
        changes: [
          { account, owner: account, asset: SOL, delta: -rent },
          { ...fee, delta: rent - FEE },
        ],
      }
    }
    const total = plan.legs.reduce((sum, { amount }) => sum + amount, 0n)
    const place = (owner: Address): Address => (plan.asset === SOL ? owner : tokenAccountOf(owner, plan.asset))
    const left = balance(place(plan.source), plan.asset, slot) - total
    if (left < 0n) return fails('insufficient funds')
    if (plan.asset === SOL && left > 0n && left < WALLET_RENT) return fails('insufficient funds for rent')
    const sums = new Map<string, Change>()
    const move = (change: Change) => {
      const key = `${change.account} ${change.asset}`
      sums.set(key, { ...change, delta: (sums.get(key)?.delta ?? 0n) + change.delta })
    }
    move(fee)
    for (const { destination, amount } of plan.legs) {
      move({ account: place(plan.source), owner: plan.source, asset: plan.asset, delta: -amount })
      move({ account: place(destination), owner: destination, asset: plan.asset, delta: amount })
      if (plan.asset === SOL || balance(place(destination), SOL, slot) > 0n || sums.has(`${place(destination)} SOL`))
        continue
      move({ ...fee, delta: -TOKEN_RENT })
      move({ account: place(destination), owner: place(destination), asset: SOL, delta: TOKEN_RENT })
    }
    return { error: null, changes: [...sums.values()].filter(({ delta }) => delta !== 0n) }
  }

  const observed = (signature: Signature, one: Landed): ObservedTransaction => ({
    signature,
    slot: one.slot,
    blockTime: null,
    error: one.error,
    fee: makeLamports(FEE),
    feePayer: FEE_PAYER,
    signers: [FEE_PAYER, one.plan.source],
    changes: one.changes.map(({ delta, ...place }) => ({
      ...place,
      before: makeBaseUnits(balance(place.account, place.asset, one.slot - 1n)),
      after: makeBaseUnits(balance(place.account, place.asset, one.slot - 1n) + delta),
    })),
  })

  const chain: ToyChain = {
    async readAccounts(accounts, commitment) {
      return { slot: at(commitment), states: accounts.map((account) => state(account, at(commitment))) }
    },
    async signaturesFor() {
      return []
    },
    async transaction(signature, commitment) {
      const one = landed.get(signature)
      return one === undefined || one.slot > at(commitment) ? null : observed(signature, one)
    },
    async blockTime(commitment) {
      return { slot: at(commitment), time: new Date(Number(at(commitment)) * 400) }
    },
    async minimumBalance(bytes) {
      return makeLamports(bytes === 0 ? WALLET_RENT : TOKEN_RENT)
    },
    async lifetime() {
      const hash = createHash('sha256').update(`block ${slot}`).digest()
      return { blockhash: makeBlockhash(getAddressDecoder().decode(hash)), lastValidBlockHeight: slot + LIFE }
    },
    async compile(plan, lifetime) {
      return { message: new TextEncoder().encode(asText({ plan, lifetime })) }
    },
    async broadcast(wire) {
      broadcasts += 1
      const { plan, lifetime } = fromText(new TextDecoder().decode(wire))
      const signature = signatureOf(wire)
      if (landed.has(signature) || slot > lifetime.lastValidBlockHeight) return
      const fate = fates.get(signature) ?? weather.shift() ?? 'lands'
      fates.set(signature, fate)
      if (fate === 'is lost') return
      slot += 1n
      const outcome = execute(plan)
      const failed = {
        error: 'bad luck',
        changes: [{ account: FEE_PAYER, owner: FEE_PAYER, asset: SOL, delta: -FEE }] as const,
      }
      landed.set(signature, { slot, plan, ...(fate === 'fails' ? failed : outcome) })
    },
    async signatureStatuses(signatures) {
      return signatures.map((signature): SignatureStatus | null => {
        const one = landed.get(signature)
        if (one === undefined) return null
        const level = one.slot <= at('finalized') ? 'finalized' : one.slot < slot ? 'confirmed' : 'processed'
        return { slot: one.slot, level, error: one.error }
      })
    },
    async proveDead({ signature, lastValidBlockHeight }) {
      if (landed.has(signature)) return { dead: false, because: 'landed', detail: 'it is there' }
      const height = at('finalized')
      if (height <= lastValidBlockHeight + FINAL_AFTER) return { dead: false, because: 'not_yet', detail: 'too early' }
      return { dead: true, finalizedBlockHeight: height, providers: 1 }
    },
  }

  return {
    chain,
    weather,
    pass(slots: bigint) {
      slot += slots
    },
    fund(account: Address, amount: bigint, asset: Asset = SOL, owner: Address = account) {
      const key = `${account} ${asset}`
      genesis.set(key, { account, owner, asset, amount: (genesis.get(key)?.amount ?? 0n) + amount })
    },
    balance: (account: Address, asset: Asset = SOL) => balance(account, asset, slot),
    landed: () => [...landed.values()],
    broadcasts: () => broadcasts,
  }
}

const signatureOf = (wire: Uint8Array): Signature =>
  makeSignature(getBase58Decoder().decode(createHash('sha512').update(wire).digest()))

/** Signs what the plan says and nothing else; the same message gives the same bytes. */
export const toySigner: Signer = {
  async sign(plan, message) {
    const said = fromText(new TextDecoder().decode(message))
    if (asText(said.plan) !== asText(plan)) throw new Error('the message is not the plan’s')
    return { wire: message, signature: signatureOf(message) }
  },
}
