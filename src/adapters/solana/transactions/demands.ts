// What the signer demands of a message: instructions, signers and a lifetime.
import type { Address } from '@solana/kit'
import type { Lifetime } from '#core/chain/types.ts'

/** One instruction of a message; `writable` marks the accounts that it may change. */
export type Found = { readonly program: Address; readonly accounts: readonly Address[]; readonly data: Uint8Array }
export type Demanded = Found & { readonly writable: readonly Address[] }

/** Any of `mayComeFirst`, each at most once and in order, then all of `mustFollow`, and no other instruction. */
export type Demands = { readonly mayComeFirst: readonly Demanded[]; readonly mustFollow: readonly Demanded[] }

/** All that a message may do. The first signer is the fee payer. */
export type Expected = {
  readonly lifetime: Lifetime
  readonly signers: readonly Address[]
  readonly demands: Demands
}

export class MessageMismatch extends Error {
  constructor(what: string) {
    super(`The signer refuses: ${what}.`)
    this.name = 'MessageMismatch'
  }
}
