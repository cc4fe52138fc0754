// What owners, issuers and businesses do to token accounts of the settlement token, by real transactions.
import { sign } from 'node:crypto'
import { createNoopSigner, type Instruction } from '@solana/kit'
import {
  getApproveCheckedInstruction,
  getRevokeInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import type { Address } from '#core/chain/types.ts'
import { delegationIn, holdingOf } from '../chain/raw.ts'
import {
  closeHolding,
  freeze,
  holdingPlace,
  openHolding,
  payToken,
  signedTransaction,
  thaw,
  type Wallet,
} from '../chain/wallets.ts'
import type { Stage } from '../stage.ts'
import { virtualNow } from '../virtual-time.ts'
import type { Ground } from '../world.ts'
import { type BillingStage, PLENTY } from './billing-stage.ts'

/** The state of a token account, and the byte that has it. */
const FROZEN = 2
const STATE_AT = 108

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(
  { chain, scheduler, stir, trace, catchUp }: Ground,
  { issuer }: Pick<Stage, 'issuer'>,
  { mint, delegate }: BillingStage,
) {
  const place = (owner: Address): Address => holdingPlace(owner, mint)
  const balance = (owner: Address): bigint => holdingOf(chain.accountAt(place(owner), chain.tip))?.amount ?? 0n

  /** Sends a transaction until it is final, like a wallet; gives up after two minutes. */
  const send = async (signers: readonly Wallet[], instructions: readonly Instruction[]): Promise<void> => {
    catchUp()
    const wire = signedTransaction(signers, instructions, chain.lifetimeAt(chain.tip))
    const signature = chain.submit(wire)
    stir()
    for (let looked = 0; looked < 20; looked += 1) {
      await scheduler.at(virtualNow() + 6_000, 'a wallet looks')
      catchUp()
      const landed = chain.landed(signature)
      if (landed !== null && landed.slot <= chain.finalized) return
      if (landed === null) chain.submit(wire)
    }
  }

  const approve = (owner: Wallet, to: Address, amount: bigint): Instruction =>
    getApproveCheckedInstruction(
      {
        source: place(owner.address),
        mint: mint.mint,
        delegate: to,
        owner: createNoopSigner(owner.address),
        amount,
        decimals: mint.decimals,
      },
      { programAddress: mint.program },
    )

  return {
    exists: (owner: Address): boolean => chain.accountAt(place(owner), chain.tip) !== null,
    revoke: (owner: Wallet) =>
      send(
        [owner],
        [
          getRevokeInstruction(
            { source: place(owner.address), owner: createNoopSigner(owner.address) },
            { programAddress: mint.program },
          ),
        ],
      ),
    giveToAnother: (owner: Wallet, other: Address) => send([owner], [approve(owner, other, 1_000_000n)]),
    /** The allowance of the service. */
    allowance(owner: Address): bigint {
      const given = delegationIn(chain.accountAt(place(owner), chain.tip))
      return given.delegate === delegate ? given.amount : 0n
    },
    /** Sets the allowance of the service. */
    allow: (owner: Wallet, amount: bigint) => send([owner], [approve(owner, delegate, amount)]),
    /** Pays everything to the issuer. */
    async empty(owner: Wallet): Promise<void> {
      const amount = balance(owner.address)
      if (amount > 0n) await send([owner], payToken(owner, issuer.address, mint, amount))
    },
    /** The issuer has what owners have paid it. */
    async refill(owner: Wallet): Promise<void> {
      const amount = [balance(issuer.address), PLENTY].reduce((least, one) => (one < least ? one : least))
      const transfer = getTransferCheckedInstruction(
        {
          source: place(issuer.address),
          mint: mint.mint,
          destination: place(owner.address),
          authority: createNoopSigner(issuer.address),
          amount,
          decimals: mint.decimals,
        },
        { programAddress: mint.program },
      )
      await send([issuer], [openHolding(issuer, owner.address, mint), transfer])
    },
    async close(owner: Wallet): Promise<void> {
      await send([owner], closeHolding(owner, issuer.address, mint, balance(owner.address)))
    },
    freeze: (owner: Address) => send([issuer], [freeze(issuer, place(owner), mint)]),
    thaw: (owner: Address) => send([issuer], [thaw(issuer, place(owner), mint)]),
    /** Ends what stops payouts: accounts of businesses that the chain shows as frozen or closed work again. */
    async heal(owners: readonly Address[]): Promise<void> {
      for (const owner of owners) {
        const account = chain.accountAt(place(owner), chain.tip)
        if (account === null) await send([issuer], [openHolding(issuer, owner, mint)])
        else if (account.data[STATE_AT] === FROZEN) await send([issuer], [thaw(issuer, place(owner), mint)])
      }
      trace.note('the payout accounts work again')
    },
  }
}

/** Returns a sponsored transaction with the signature of its owner: its signatures come first, the fee payer's before. */
export function signedByOwner(owner: Wallet, transaction: Uint8Array): Uint8Array {
  const message = transaction.subarray(129)
  return Uint8Array.of(...transaction.subarray(0, 65), ...sign(null, message, owner.key), ...message)
}
