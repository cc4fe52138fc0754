// One button for each wallet of this browser.
import { useEffect, useState } from 'preact/hooks'
import { type Signable, type Wallet, watchWallets } from '#pay/browser/wallets.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import type { Action, Actions, Attempt } from '#pay/views/actions.ts'
import { usePage } from '#pay/views/context.tsx'
import { OnPhone, WalletApps } from '#pay/views/elsewhere.tsx'
import { Button, Notice } from '#pay/views/parts.tsx'
import { Course, Press } from '#pay/views/press.tsx'

/** Returns the wallets of this browser; null until the page runs in a browser. */
export function useWallets(signable: Signable): readonly Wallet[] | null {
  const { site } = usePage()
  const [wallets, setWallets] = useState<readonly Wallet[] | null>(null)
  useEffect(() => watchWallets(site.chain, signable, setWallets), [site.chain, signable])
  return wallets
}

/** What the wallets of a page are asked for. */
export type Asking = Pick<Actions, 'latest' | 'end'> & {
  /** How long a transaction in the dialog of a wallet can still be signed; null where the page shows it in another place. */
  readonly secondsLeft: number | null
  of(wallet: Wallet): Action
}

type Props = {
  /** What a wallet must be able to sign. */
  readonly signs: Signable
  /** What a button does, with `{wallet}`. */
  readonly label: TextKey
  readonly asking: Asking
  /** Nothing on the page can be done without a wallet. */
  readonly isOnlyWay?: boolean
}

export function WalletButtons({ signs, label, asking, isOnlyWay = false }: Props) {
  const { say } = usePage()
  const wallets = useWallets(signs)
  const hasNone = wallets?.length === 0
  const { latest } = asking
  // The wallet of an attempt may be gone.
  const isShown = wallets?.some((wallet) => asking.of(wallet).attempt !== null)
  return (
    <div class="wallets">
      {wallets?.map((wallet) => (
        <WalletButton key={wallet.name} wallet={wallet} label={label} asking={asking} />
      ))}
      {!isShown && <Course attempt={latest} />}
      {hasNone && isOnlyWay && <p>{say('noWallet')}</p>}
      {wallets !== null && <WalletApps isNeeded={hasNone} />}
      {wallets !== null && isOnlyWay && <OnPhone isNeeded={hasNone} />}
    </div>
  )
}

function WalletButton({ wallet, label, asking }: Pick<Props, 'label' | 'asking'> & { wallet: Wallet }) {
  const { say, formats } = usePage()
  const action = asking.of(wallet)
  const { attempt } = action
  return (
    <div class="wallet">
      <Press action={action}>
        <img src={wallet.icon} alt="" width="20" height="20" />
        {say(attempt?.step ?? label, { wallet: wallet.name })}
      </Press>
      {attempt?.step && asking.secondsLeft !== null && (
        <p class="row" role="timer">
          <span>{say('timeLeft')}</span>
          <span class="clock">{formats.countdown(asking.secondsLeft)}</span>
        </p>
      )}
      {attempt?.step === 'notKnownYet' && <Notice>{say('notKnownText')}</Notice>}
      {isWaitedFor(attempt) && (
        <Button kind="plain" onPress={() => asking.end('stoppedWaiting')}>
          {say('stopWaiting')}
        </Button>
      )}
    </div>
  )
}

/** The wallet has not answered yet, or the service has not: nothing was signed that could be sent. */
const isWaitedFor = (attempt: Attempt | null): boolean =>
  attempt?.step === 'preparing' || attempt?.step === 'confirmInWallet'
