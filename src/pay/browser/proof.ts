// Proofs of a wallet: it signs a text of the service (Sign In With Solana).

import type { PayChallengeFragment } from '#pay/documents.generated.ts'
import { featureOf, refusing, toBase64, type Wallet, type WalletAccount, WalletCannot } from './wallets.ts'

export type Proof = { readonly nonce: string; readonly signature: string; readonly signedMessage: string }

/** Returns the answer to a challenge, by `signIn` where the wallet has it. Throws WalletRefused and WalletCannot. */
export async function prove(
  wallet: Wallet,
  account: WalletAccount,
  { nonce, message, input }: PayChallengeFragment,
): Promise<Proof> {
  const { signedMessage, signature } = await sign(wallet, account, message, input)
  return { nonce, signature: toBase64(signature), signedMessage: toBase64(signedMessage) }
}

async function sign(wallet: Wallet, account: WalletAccount, message: string, input: PayChallengeFragment['input']) {
  const signingIn = featureOf(wallet, 'solana:signIn')
  if (signingIn !== null) return await refusing(signingIn.signIn(input))
  const signing = featureOf(wallet, 'solana:signMessage')
  if (signing === null) throw new WalletCannot('the wallet signs no text')
  return await refusing(signing.signMessage({ account, message: new TextEncoder().encode(message) }))
}
