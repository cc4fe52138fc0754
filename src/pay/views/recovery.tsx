// The page on which a wallet gets links to its subscriptions.
import { useState } from 'preact/hooks'
import { type Links, recoverLinks } from '#pay/browser/links.ts'
import { connect, type Wallet } from '#pay/browser/wallets.ts'
import { type Running, useActions } from '#pay/views/actions.ts'
import { usePage } from '#pay/views/context.tsx'
import { Stage, Status } from '#pay/views/parts.tsx'
import { WalletButtons } from '#pay/views/wallet-buttons.tsx'
import { rhythmOf } from './terms.tsx'

export function RecoveryView() {
  const page = usePage()
  const { say, site } = page
  const [links, setLinks] = useState<Links | null>(null)
  const actions = useActions('notDone')
  const { latest, end } = actions

  const run = async (wallet: Wallet, running: Running): Promise<void> => {
    const account = await connect(wallet, site.chain)
    setLinks(await recoverLinks(running, wallet, account))
  }
  const of = (wallet: Wallet) => actions.action(wallet.name, (running) => run(wallet, running), 'preparing')

  return (
    <>
      <header>
        <h1 class="name">{say('recoverTitle')}</h1>
        <p class="hint">{say('recoverText')}</p>
      </header>
      <Stage>
        {links === null && (
          <WalletButtons signs="text" label="signInWith" asking={{ latest, end, secondsLeft: null, of }} isOnlyWay />
        )}
        {links?.length === 0 && (
          <Status tone="attention" title={say('noSubscriptions')} text={say('noSubscriptionsText')} />
        )}
        <ul class="assets" aria-live="polite">
          {links?.map(({ merchantName, product, tier, portalUrl }) => (
            <li key={portalUrl}>
              <a class="asset" href={portalUrl}>
                <span class="name">
                  <bdi>{merchantName}</bdi>: <bdi>{product.name}</bdi> · <bdi>{tier.name}</bdi>
                </span>
                <span class="amount">{`${page.formats.dollars(tier.priceUsdCents)} ${rhythmOf(page, tier)}`}</span>
              </a>
            </li>
          ))}
        </ul>
      </Stage>
    </>
  )
}
