// The history of a toy chain: every balance is the sum of the transactions that landed, so it is known at any slot.
import { createHash } from 'node:crypto'
import { getAddressDecoder } from '@solana/kit'
import { makeAddress } from '#core/chain/base58.ts'
import {
  type AccountState,
  type Address,
  type Asset,
  type ObservedTransaction,
  type Signature,
  SOL,
} from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import { MINT } from './example-intent.ts'
import { TOKEN_PROGRAM } from './payment.ts'

const SYSTEM = makeAddress('11111111111111111111111111111111')

export type Change = {
  readonly account: Address
  readonly owner: Address
  readonly asset: Asset
  readonly delta: bigint
}
export type Landed = {
  readonly slot: bigint
  readonly error: string | null
  readonly changes: readonly Change[]
  /** Transfer fees that the mint withholds in an account, or that were withdrawn from it. */
  readonly withheld: readonly { readonly account: Address; readonly delta: bigint }[]
  readonly fee: bigint
  readonly feePayer: Address
  readonly signers: readonly Address[]
  /** Null for the transactions of people. */
  readonly plan: TransactionPlan | null
}

/** A mint's program, and the share of each transfer that it withholds in the receiving account. */
export type ToyMint = { readonly program: Address; readonly feeBps: bigint }

const tokenAccounts = new Map<string, Address>()
/** Invented, but always the same. */
export function tokenAccountOf(owner: Address, mint: Address): Address {
  const name = `${owner} ${mint}`
  const known = tokenAccounts.get(name)
  if (known !== undefined) return known
  const made = getAddressDecoder().decode(createHash('sha256').update(name).digest())
  tokenAccounts.set(name, made)
  return made
}

export function createToyLedger() {
  const genesis = new Map<string, { account: Address; owner: Address; asset: Asset; amount: bigint }>()
  const landed = new Map<Signature, Landed>()
  const mints = new Map<Asset, ToyMint>([[MINT, { program: TOKEN_PROGRAM, feeBps: 0n }]])
  const frozen = new Set<Address>()
  const programs = new Map<Address, Address>()

  const balance = (account: Address, asset: Asset, upTo: bigint): bigint => {
    let amount = genesis.get(`${account} ${asset}`)?.amount ?? 0n
    for (const one of landed.values())
      if (one.slot <= upTo)
        for (const change of one.changes)
          if (change.account === account && change.asset === asset) amount += change.delta
    return amount
  }
  const withheld = (account: Address, upTo: bigint): bigint => {
    let amount = 0n
    for (const one of landed.values())
      if (one.slot <= upTo) for (const kept of one.withheld) if (kept.account === account) amount += kept.delta
    return amount
  }
  const tokenOf = (account: Address): { owner: Address; mint: Address } | null => {
    for (const { account: known, owner, asset } of genesis.values())
      if (known === account && asset !== SOL) return { owner, mint: asset }
    for (const { changes } of landed.values())
      for (const { account: known, owner, asset } of changes)
        if (known === account && asset !== SOL) return { owner, mint: asset }
    return null
  }

  return {
    landed,
    balance,
    withheld,
    mints,
    frozen,
    /** Wallets that a program owns. No refund goes there. */
    programs,
    fund(account: Address, amount: bigint, asset: Asset, owner: Address) {
      const key = `${account} ${asset}`
      genesis.set(key, { account, owner, asset, amount: (genesis.get(key)?.amount ?? 0n) + amount })
    },
    state(account: Address, upTo: bigint): AccountState | null {
      const lamports = balance(account, SOL, upTo)
      if (lamports === 0n) return null
      const token = tokenOf(account)
      if (token === null) {
        return { lamports: makeLamports(lamports), ownerProgram: programs.get(account) ?? SYSTEM, token: null }
      }
      return {
        lamports: makeLamports(lamports),
        ownerProgram: mints.get(token.mint)?.program ?? TOKEN_PROGRAM,
        token: {
          ...token,
          amount: makeBaseUnits(balance(account, token.mint, upTo)),
          frozen: frozen.has(account),
          withheld: makeBaseUnits(withheld(account, upTo)),
          delegation: null,
          closeAuthority: null,
        },
      }
    },
    observed: (signature: Signature, one: Landed, blockTime: Date | null): ObservedTransaction => ({
      signature,
      slot: one.slot,
      blockTime,
      error: one.error,
      fee: makeLamports(one.fee),
      feePayer: one.feePayer,
      signers: one.signers,
      memos: [],
      changes: one.changes.map(({ delta, ...place }) => ({
        ...place,
        before: makeBaseUnits(balance(place.account, place.asset, one.slot - 1n)),
        after: makeBaseUnits(balance(place.account, place.asset, one.slot - 1n) + delta),
      })),
    }),
  }
}
export type ToyLedger = ReturnType<typeof createToyLedger>
