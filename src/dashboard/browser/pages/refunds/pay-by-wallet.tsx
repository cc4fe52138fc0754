// Pays a refund with a wallet of this browser, which signs and sends the transaction.
import { useEffect, useState } from 'preact/hooks'
import { readOnce } from '#dashboard/browser/data.ts'
import type { Fault } from '#dashboard/browser/fault.ts'
import { Button, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { useChain } from '#dashboard/browser/parts/chain.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardRefundTransactionDocument } from '#dashboard/documents.generated.ts'
import {
  accountIn,
  featureOf,
  fromBase64,
  sendTransaction,
  type Wallet,
  WalletRefused,
  watchWallets,
} from '#pay/browser/wallets.ts'

type Given = { readonly id: string; readonly payer: string }

/** What came of an attempt. `unknown`: the wallet may have sent it. */
type Outcome =
  | { readonly is: 'sent' | 'unknown' | 'refused' | 'other_account' }
  | { readonly is: 'no_offer'; readonly reason: string }
  | { readonly is: 'fault'; readonly fault: Fault }

const WORDS = {
  sent: 'refundSent',
  unknown: 'refundMaybeSent',
  refused: 'wallet_refused',
  other_account: 'refundOtherAccount',
} as const

export function PayByWallet({ id, payer }: Given) {
  const { say } = useWords()
  const chain = useChain()
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  const [busy, setBusy] = useState<string | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  useEffect(() => watchWallets(chain, 'transaction', setWallets), [chain])
  const sending = wallets.filter((wallet) => featureOf(wallet, 'solana:signAndSendTransaction') !== null)
  if (sending.length === 0) return null
  const pay = async (wallet: Wallet): Promise<void> => {
    setBusy(wallet.name)
    setOutcome(null)
    setOutcome(await paid(wallet, chain, { id, payer }))
    setBusy(null)
  }
  return (
    <>
      {sending.map((wallet) => (
        <Button
          key={wallet.name}
          isBusy={busy === wallet.name}
          isDisabled={busy !== null}
          onPress={() => void pay(wallet)}
        >
          <img src={wallet.icon} alt="" width="20" height="20" />
          {say('payWithWallet', { wallet: wallet.name })}
        </Button>
      ))}
      <p class="sent" role="status">
        {outcome !== null &&
          outcome.is !== 'fault' &&
          (outcome.is === 'no_offer' ? outcome.reason : say(WORDS[outcome.is]))}
      </p>
      <FaultNotice fault={outcome?.is === 'fault' ? outcome.fault : null} />
    </>
  )
}

/** The account is chosen before the transaction is made, which can land for half a minute. */
async function paid(wallet: Wallet, chain: string, { id, payer }: Given): Promise<Outcome> {
  try {
    const account = await accountIn(wallet, chain, payer)
    if (account === null) return { is: 'other_account' }
    const asked = await readOnce(DashboardRefundTransactionDocument, { id })
    if ('fault' in asked) return { is: 'fault', fault: asked.fault }
    const { transaction, reason } = asked.data.offer
    if (transaction === null) return { is: 'no_offer', reason: reason ?? '' }
    const { sent } = await sendTransaction(wallet, account, fromBase64(transaction), chain)
    return { is: sent === 'yes' ? 'sent' : 'unknown' }
  } catch (error) {
    return { is: error instanceof WalletRefused ? 'refused' : 'unknown' }
  }
}
