// The ways in which a person shows who it is.
import { useEffect, useState } from 'preact/hooks'
import { useRead } from '#dashboard/browser/data.ts'
import type { Fault } from '#dashboard/browser/fault.ts'
import { byPasskey, byWallet, type Outcome, type Purpose } from '#dashboard/browser/login.ts'
import { Button, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { hasPasskeys } from '#dashboard/browser/passkeys.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'
import { DashboardLoginMethodsDocument } from '#dashboard/documents.generated.ts'
import { type Wallet, watchWallets } from '#pay/browser/wallets.ts'

type Choice = Extract<Outcome, { kind: 'choose' }>

export function WaysIn({ purpose, onDone }: { purpose: Purpose; onDone: () => void }) {
  const { say } = useWords()
  const { data } = useRead(DashboardLoginMethodsDocument, {})
  const wallets = useWallets()
  const [busy, setBusy] = useState<string | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  const [choice, setChoice] = useState<Choice | null>(null)

  const run = async (name: string, way: () => Promise<Outcome>): Promise<void> => {
    setBusy(name)
    setFault(null)
    const outcome = await way()
    setBusy(null)
    if (outcome.kind === 'refused') setFault(outcome.fault)
    else if (outcome.kind === 'choose') setChoice(outcome)
    else onDone()
  }

  if (choice !== null)
    return (
      <div class="ways">
        <h2>{say('chooseBusiness')}</h2>
        {choice.businesses.map(({ id, name }) => (
          <Button key={id} isBusy={busy === id} onPress={() => void run(id, () => choice.choose(id))}>
            <bdi>{name}</bdi>
          </Button>
        ))}
        <FaultNotice fault={fault} />
      </div>
    )
  const methods = data?.loginMethods
  // Until it is known, neither way is shown.
  const passkeys =
    methods === undefined
      ? null
      : !methods.passkeys
        ? 'passkeys_unavailable'
        : hasPasskeys()
          ? 'work'
          : 'noPasskeysHere'
  return (
    <div class="ways">
      {passkeys === 'work' && (
        <>
          <Button
            kind="primary"
            isBusy={busy === 'passkey'}
            onPress={() => void run('passkey', () => byPasskey(purpose))}
          >
            {say('withPasskey')}
          </Button>
          <p class="hint">{say('passkeyHint')}</p>
        </>
      )}
      {wallets.map((wallet) => (
        <Button
          key={wallet.name}
          isBusy={busy === wallet.name}
          onPress={() => void run(wallet.name, () => byWallet(purpose, wallet))}
        >
          <img src={wallet.icon} alt="" width="20" height="20" />
          {say('withWallet', { wallet: wallet.name })}
        </Button>
      ))}
      {wallets.length === 0 && <p class="hint">{say('noWallets')}</p>}
      <FaultNotice fault={fault} />
      {passkeys !== null && passkeys !== 'work' && <p class="hint">{say(passkeys)}</p>}
    </div>
  )
}

/** Returns the wallets of this browser that sign texts. */
function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  useEffect(() => watchWallets(site.chains.live ?? '', 'text', setWallets), [])
  return wallets
}
