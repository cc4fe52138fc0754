// The types of what is on a chain, shared by every room. The chain itself is behind ports.
import type { Address, Blockhash, Signature } from '@solana/kit'
import type { BaseUnits, Lamports } from '#core/money/amounts.ts'

export type { Address, Blockhash, Signature }

/** The two networks that a deployment serves: where live accounts and where test accounts settle. */
export const NETWORKS = ['live', 'test'] as const
export type Network = (typeof NETWORKS)[number]

/** SOL, or the mint of a token. */
export const SOL = 'SOL'
export type Asset = typeof SOL | Address

/** The wrapped-SOL mint: how SOL is written where the interface wants a mint. */
export const WRAPPED_SOL_MINT = 'So11111111111111111111111111111111111111112'
export const SOL_DECIMALS = 9

/** How a cluster makes blocks final: by certificates of votes, or by votes on many later blocks. */
export type Consensus = 'alpenglow' | 'tower_bft'

/** The state of one account that we watch. `token` is set when it is a token account. */
export type AccountState = {
  readonly lamports: Lamports
  /** The program that owns the account: the system program for a wallet. */
  readonly ownerProgram: Address
  readonly token: {
    readonly mint: Address
    readonly owner: Address
    readonly amount: BaseUnits
    readonly frozen: boolean
    /** Fees that a transfer-fee mint keeps back in this account, in base units; they block closing it. */
    readonly withheld: BaseUnits
    /** The wallet that may move tokens besides the owner, and how many base units; null for none. */
    readonly delegation: { readonly delegate: Address; readonly allowance: BaseUnits } | null
    /** The wallet that may close the account in place of the owner; null for the owner. */
    readonly closeAuthority: Address | null
  } | null
}

/** One account's balance of one asset, before and after one transaction. */
export type BalanceChange = {
  /** The account that contains it: the wallet for SOL, the token account for a token. */
  readonly account: Address
  /** The owner: the wallet itself for SOL, the owner of the token account for a token. */
  readonly owner: Address
  readonly asset: Asset
  readonly before: BaseUnits
  readonly after: BaseUnits
}

/** A transaction as it landed, read from the chain: its real effect, not its intended one. */
export type ObservedTransaction = {
  readonly signature: Signature
  readonly slot: bigint
  readonly blockTime: Date | null
  /** Set when the transaction failed: it moved nothing but its fee, and not even that when it `didNotRun`. */
  readonly error: string | null
  /** In lamports, taken from `feePayer`; `changes` include it. */
  readonly fee: Lamports
  readonly feePayer: Address
  readonly signers: readonly Address[]
  /** Every account that it names, the signers first. */
  readonly accounts: readonly Address[]
  /** The texts of its memo instructions, in their order. */
  readonly memos: readonly string[]
  /** Every account whose balance of an asset changed; unchanged ones are left out. */
  readonly changes: readonly BalanceChange[]
}

/**
 * Returns whether a transaction is in a block without having run, because its fee payer could not pay (SIMD-0290). It has no
 * effect, no fee and no logs. It never runs later: a chain takes each transaction once.
 */
export const didNotRun = ({ error, fee }: Pick<ObservedTransaction, 'error' | 'fee'>): boolean =>
  error !== null && fee === 0n

export type SignatureStatus = {
  readonly slot: bigint
  /** One that is not final may still vanish. */
  readonly final: boolean
  readonly error: string | null
  /** Why one that a provider reports as final does not count as final: another provider contradicts. Null for no such doubt. */
  readonly doubt: string | null
}

/** A transaction that one provider reports as final; `provider` is null where it is not known which one. */
export type ReportedFinal = Pick<ObservedTransaction, 'signature' | 'slot' | 'error'> & {
  readonly provider: number | null
}

/** Until when a signed transaction may still land. Only a proof ends it. docs/money.md, "Proof of expiry". */
export type Lifetime = {
  readonly blockhash: Blockhash
  readonly lastValidBlockHeight: bigint
}

/** What the chain says of a mint: everything that the allowlist judges. */
export type MintFacts = {
  readonly mint: Address
  readonly tokenProgram: Address
  readonly decimals: number
  /** Kebab-case names of the Token-2022 extensions, e.g. `transfer-hook`; empty for the classic program. */
  readonly extensions: readonly string[]
  /**
   * The extensions that act on transfers now: a transfer hook with a program, a fee above 0 now or at a later epoch, new accounts
   * that start frozen, and a pause.
   */
  readonly active: readonly string[]
}
