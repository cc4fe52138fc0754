// One button for each wallet of this browser.
import type { Wallet } from '#pay/browser/wallets.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Button, Notice } from '#pay/views/parts.tsx'
import { useWallets } from '#pay/views/use-wallets.ts'

type Props = {
  /** What a button does, with `{wallet}`. */
  readonly label: TextKey
  /** What is under way; null when nothing is. */
  readonly step: TextKey | null
  readonly fault: TextKey | null
  /** How long a transaction in the dialog of a wallet can still be signed. */
  readonly secondsLeft?: number | null
  readonly onChoose: (wallet: Wallet) => void
  /** What to do without a wallet. */
  readonly none?: TextKey
}

export function WalletButtons({ label, step, fault, secondsLeft = null, onChoose, none }: Props) {
  const { say, formats } = usePage()
  const wallets = useWallets()
  return (
    <div class="wallets" aria-live="polite">
      {wallets?.map((wallet) => (
        <Button key={wallet.name} disabled={step !== null} onPress={() => onChoose(wallet)}>
          <img src={wallet.icon} alt="" width="20" height="20" />
          {say(step ?? label, { wallet: wallet.name })}
        </Button>
      ))}
      {secondsLeft !== null && (
        <p class="row" role="timer">
          <span>{say('timeLeft')}</span>
          <span class="clock">{formats.countdown(secondsLeft)}</span>
        </p>
      )}
      {step === 'notKnownYet' && <Notice>{say('notKnownText')}</Notice>}
      {wallets?.length === 0 && none && <Notice>{say(none)}</Notice>}
      {fault !== null && <Notice>{say(fault)}</Notice>}
    </div>
  )
}
