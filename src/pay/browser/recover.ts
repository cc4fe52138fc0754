// Gets a wallet the links to its subscriptions, for a signed text.
import { ask } from '#pay/browser/ask.ts'
import { prove } from '#pay/browser/proof.ts'
import type { Wallet, WalletAccount } from '#pay/browser/wallets.ts'
import { AskForLinksDocument, RecoverLinksDocument, type RecoverLinksMutation } from '#pay/documents.generated.ts'

export type Links = NonNullable<RecoverLinksMutation['links']>

/** `onAsked` is called when the wallet has the text. Throws AskError and WalletRefused. */
export async function recoverLinks(
  api: string,
  wallet: Wallet,
  account: WalletAccount,
  onAsked: () => void,
): Promise<Links> {
  const { challenge } = await ask(api, AskForLinksDocument, { wallet: account.address })
  onAsked()
  const proof = await prove(wallet, account, challenge)
  return (await ask(api, RecoverLinksDocument, { wallet: account.address, ...proof })).links
}
