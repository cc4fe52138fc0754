// Gives money and moves time on the embedded chain, over RPC. Money moves by real transactions, so that history, supply and
// balances agree. Rejects with ChainStalled when the chain makes no progress.
import {
  type Address,
  createDefaultRpcTransport,
  createRpc,
  createSolanaRpc,
  createSolanaRpcApi,
  DEFAULT_RPC_CONFIG,
  fetchEncodedAccount,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  type Signature,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT,
  type SolanaRpcApi,
} from '@solana/kit'
import { getCreateAssociatedTokenIdempotentInstructionAsync, getMintToCheckedInstruction } from '@solana-program/token'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { decodeMint } from '#adapters/solana/rpc/token-data.ts'
import { sendTransaction, untilFinal, withDeadline } from './send-transaction.ts'

// Names why the chain refused a transaction, when the request is the reason.

/** `other` is a refusal of another kind; null is no refusal of the chain at all. */
export type ChainRefusal = 'below_rent' | 'too_much' | 'other'

/**
 * What the system program and both token programs give for a balance that is too small, and for a supply that would
 * overflow.
 */
const TOO_MUCH: ReadonlySet<unknown> = new Set([1, 14])

export function refusalOf(error: unknown): ChainRefusal | null {
  if (!isSolanaError(error)) return null
  const { cause } = error
  if (isSolanaError(cause, SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT)) return 'below_rent'
  if (isSolanaError(cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM) && TOO_MUCH.has(cause.context.code))
    return 'too_much'
  return 'other'
}

/** Resolves when the address has so many lamports more. */
export const fundSol = (rpcUrl: string, to: Address, amount: bigint): Promise<Signature> =>
  untilFinal(rpcUrl, (abortSignal) =>
    createSolanaRpc(rpcUrl).requestAirdrop(to, lamports(amount)).send({ abortSignal }),
  )

export type TokenFunding = {
  /** Who may mint, and pays for the transaction. */
  readonly authority: KeyPairSigner
  readonly owner: Address
  readonly mint: Address
  /** In base units. */
  readonly amount: bigint
}

/** Mints to the owner's associated token account, which is made if need be. Resolves when it is final. */
export async function fundToken(rpcUrl: string, { authority, owner, mint, amount }: TokenFunding): Promise<Signature> {
  const account = await withDeadline((abortSignal) =>
    fetchEncodedAccount(createSolanaRpc(rpcUrl), mint, { abortSignal }),
  )
  const facts = account.exists ? decodeMint(mint, account.programAddress, Uint8Array.from(account.data)) : null
  if (facts === null) throw new Error(`${mint} is not a mint on this chain`)
  const { tokenProgram, decimals } = facts
  const token = associatedTokenAddress(owner, mint, tokenProgram)
  return sendTransaction(rpcUrl, authority, [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: authority, owner, mint, tokenProgram }),
    getMintToCheckedInstruction(
      { mint, token, mintAuthority: authority, amount, decimals },
      { programAddress: tokenProgram },
    ),
  ])
}

/** Returns whether the chain is a Surfpool: every one offers `surfnet_timeTravel`. */
export async function offersTimeTravel(rpcUrl: string): Promise<boolean> {
  const version = await withDeadline((abortSignal) => createSolanaRpc(rpcUrl).getVersion().send({ abortSignal }))
  return 'surfnet-version' in version
}

type TimeTravelApi = { surfnet_timeTravel(to: { readonly absoluteTimestamp: number }): unknown }

/** Moves the chain's clock to `to`, or a little beyond; one that is there already stays. Resolves to its new time. */
export async function moveChainClock(rpcUrl: string, to: Date): Promise<Date> {
  const transport = createDefaultRpcTransport({ url: rpcUrl })
  const rpc = createRpc({ api: createSolanaRpcApi<SolanaRpcApi & TimeTravelApi>(DEFAULT_RPC_CONFIG), transport })
  return await withDeadline(async (abortSignal) => {
    await rpc.surfnet_timeTravel({ absoluteTimestamp: to.getTime() }).send({ abortSignal })
    const slot = await rpc.getSlot({ commitment: 'processed' }).send({ abortSignal })
    return new Date(Number(await rpc.getBlockTime(slot).send({ abortSignal })) * 1000)
  })
}
