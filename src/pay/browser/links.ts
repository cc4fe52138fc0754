// Gets a wallet the links to its subscriptions, for a signed text. The dashboard shares proofs, and loads no document of this.

import { AskForLinksDocument, RecoverLinksDocument, type RecoverLinksMutation } from '#pay/documents.generated.ts'
import type { Running } from '#pay/views/actions.ts'
import { prove, type Wallet, type WalletAccount } from './wallets.ts'

export type Links = NonNullable<RecoverLinksMutation['links']>

/** Throws AskError and WalletRefused. */
export async function recoverLinks(running: Running, wallet: Wallet, account: WalletAccount): Promise<Links> {
  const { challenge } = await running.ask(AskForLinksDocument, { wallet: account.address })
  running.show('confirmInWallet')
  const proof = await prove(wallet, account, challenge)
  return (await running.ask(RecoverLinksDocument, { wallet: account.address, ...proof })).links
}
