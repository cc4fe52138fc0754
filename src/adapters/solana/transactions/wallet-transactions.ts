// Makes and reads the transactions of buyers' wallets.
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signature,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from '@solana-program/token'
import sodium from 'sodium-native'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import type { VerifySignature } from '#core/billing/approval.ts'
import { bytesOfAddress } from '#core/chain/public-key.ts'
import type { WalletPayment, WalletTransactions } from '#ports/transactions.ts'
import { MAX_TRANSACTION_BYTES } from './assemble.ts'

/** Wallets set a compute budget of their own. */
export const walletTransactions: WalletTransactions = {
  compilePayment(payment) {
    const transaction = pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payment.wallet, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(payment.lifetime, message),
      (message) => appendTransactionMessageInstructions(instructionsOf(payment), message),
      compileTransaction,
    )
    return Uint8Array.from(getTransactionEncoder().encode(transaction))
  },

  readSigned(wire) {
    if (wire.length > MAX_TRANSACTION_BYTES) return null
    try {
      const { messageBytes, signatures } = getTransactionDecoder().decode(wire)
      const { staticAccounts, header } = getCompiledTransactionMessageDecoder().decode(messageBytes)
      const made = staticAccounts
        .slice(0, header.numSignerAccounts)
        .map((signer) => ({ signer, by: signatures[signer] }))
      const message = Uint8Array.from(messageBytes)
      const isWhole = made.every(({ signer, by }) => by && verifyWalletSignature(signer, message, Uint8Array.from(by)))
      const first = made[0]?.by
      return isWhole && first
        ? { signature: signature(getBase58Decoder().decode(first)), written: writtenBy(staticAccounts, header) }
        : null
    } catch {
      return null
    }
  },
}

type Header = {
  readonly numSignerAccounts: number
  readonly numReadonlySignerAccounts: number
  readonly numReadonlyNonSignerAccounts: number
}

/** Signers come first; in both parts the accounts that are only read come last. */
const writtenBy = (accounts: readonly Address[], header: Header): readonly Address[] => [
  ...accounts.slice(0, header.numSignerAccounts - header.numReadonlySignerAccounts),
  ...accounts.slice(header.numSignerAccounts, accounts.length - header.numReadonlyNonSignerAccounts),
]

/** Moves the amount, and creates the token account of the receiver where it is missing. */
function instructionsOf({ wallet, to, amount, token, reference }: WalletPayment): readonly Instruction[] {
  const payer = createNoopSigner(wallet)
  if (token === null) return [naming(reference, getTransferSolInstruction({ source: payer, destination: to, amount }))]
  const { mint, tokenProgram, decimals } = token
  const [source, destination] = [wallet, to].map((owner) => associatedTokenAddress(owner, mint, tokenProgram))
  if (source === undefined || destination === undefined) throw new RangeError('a transfer has two ends')
  return [
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: destination, owner: to, mint, tokenProgram }),
    naming(
      reference,
      getTransferCheckedInstruction(
        { source, mint, destination, authority: payer, amount, decimals },
        { programAddress: tokenProgram },
      ),
    ),
  ]
}

/** Returns a transfer that also names a key, as Solana Pay specifies it: after its accounts, and only read. */
const naming = (key: Address | null, instruction: Instruction): Instruction =>
  key === null
    ? instruction
    : { ...instruction, accounts: [...(instruction.accounts ?? []), { address: key, role: AccountRole.READONLY }] }

// Verifies the Ed25519 signatures of wallets, with libsodium: like the validators, it refuses public keys of small order,
// for which anyone can make signatures, and a second form of a signature.

/** Returns false as well for a signature that is not 64 bytes. The address must be 32 bytes in base58. */
export const verifyWalletSignature: VerifySignature = (wallet, message, signature) =>
  signature.length === sodium.crypto_sign_BYTES &&
  sodium.crypto_sign_verify_detached(Buffer.from(signature), Buffer.from(message), Buffer.from(bytesOfAddress(wallet)))
