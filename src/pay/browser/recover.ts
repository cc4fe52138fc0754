// Gets a wallet the links to its subscriptions, for a signed text.
import { prove } from '#pay/browser/proof.ts'
import type { Wallet, WalletAccount } from '#pay/browser/wallets.ts'
import { AskForLinksDocument, RecoverLinksDocument, type RecoverLinksMutation } from '#pay/documents.generated.ts'
import type { Running } from '#pay/views/actions.ts'

export type Links = NonNullable<RecoverLinksMutation['links']>

/** Throws AskError and WalletRefused. */
export async function recoverLinks(running: Running, wallet: Wallet, account: WalletAccount): Promise<Links> {
  const { challenge } = await running.ask(AskForLinksDocument, { wallet: account.address })
  running.show('confirmInWallet')
  const proof = await prove(wallet, account, challenge)
  return (await running.ask(RecoverLinksDocument, { wallet: account.address, ...proof })).links
}
