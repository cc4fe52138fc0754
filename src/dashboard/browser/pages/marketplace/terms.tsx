// How a payment for a seller is divided, and who changes that.
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { MarketplaceFrame } from '#dashboard/browser/pages/marketplace/frame.tsx'
import { Card, Copyable, FaultNotice, Loading } from '#dashboard/browser/parts/basics.tsx'
import { Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { bpsOf, PERCENT, percentIn } from '#dashboard/browser/parts/money.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardFeesDocument,
  type DashboardFeesQuery,
  type DashboardMarketplaceFragment,
  DashboardUpdateTermsDocument,
} from '#dashboard/documents.generated.ts'

type Config = DashboardFeesQuery['config']
type Props = { readonly marketplace: DashboardMarketplaceFragment }

export function TermsPage() {
  const { data, fault } = useRead(DashboardFeesDocument, {})
  return (
    <MarketplaceFrame>
      {(marketplace) =>
        data === null ? (
          fault === null ? (
            <Loading />
          ) : (
            <FaultNotice fault={fault} />
          )
        ) : (
          <>
            <Split marketplace={marketplace} config={data.config} />
            <DefaultFee marketplace={marketplace} config={data.config} />
            <FeeWallet marketplace={marketplace} ownWallet={data.business.sweepDestination} />
          </>
        )
      }
    </MarketplaceFrame>
  )
}

const HUNDRED_DOLLARS = 10_000

/** Shows whom a payment of $100 goes to, at the default fee. */
function Split({ marketplace: { defaultFeeBps }, config: { platformFeeBps } }: Props & { config: Config }) {
  const { say, formats, percent } = useWords()
  const rest = HUNDRED_DOLLARS - defaultFeeBps - platformFeeBps
  const parts = [
    { role: 'seller', bps: rest, label: say('toSeller') },
    { role: 'marketplace', bps: defaultFeeBps, label: say('toYou') },
    { role: 'platform', bps: platformFeeBps, label: say('toPlatform') },
  ]
  const before = (at: number): number => parts.slice(0, at).reduce((sum, { bps }) => sum + bps, 0) / 100
  return (
    <Card title={say('splitTitle', { amount: formats.dollars(HUNDRED_DOLLARS) })}>
      <svg class="shares" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ role, bps }, at) => (
          <rect key={role} class={role} x={before(at)} y="0" width={bps / 100} height="4" />
        ))}
      </svg>
      <ul class="parts">
        {parts.map(({ role, bps, label }) => (
          <li key={role}>
            <span class="leg">
              <svg viewBox="0 0 8 8" class="dot" aria-hidden="true">
                <circle class={role} cx="4" cy="4" r="4" />
              </svg>
              {label}
            </span>
            <span class="number">
              {formats.dollars(bps)} · {percent(bps)}
            </span>
          </li>
        ))}
      </ul>
      <p class="hint">{say('splitText')}</p>
    </Card>
  )
}

function DefaultFee({ marketplace: { defaultFeeBps, status }, config }: Props & { config: Config }) {
  const { say, percent } = useWords()
  const mayManage = usePermission('marketplace-manage') && status === 'active'
  const update = useChange(DashboardUpdateTermsDocument)
  if (!mayManage) return null
  return (
    <Card title={say('defaultFee')}>
      <Form
        submit={say('save')}
        isBusy={update.isBusy}
        fault={update.fault}
        onSubmit={({ text }) => update.run({ input: { defaultFeeBps: bpsOf(text('defaultFeeBps')) ?? defaultFeeBps } })}
      >
        <Field
          label={say('yourFeePercent')}
          name="defaultFeeBps"
          value={percentIn(defaultFeeBps)}
          pattern={PERCENT}
          inputMode="decimal"
          isRequired
          hint={say('defaultFeeHint', { most: percent(config.maxMarketplaceFeeBps) })}
        />
      </Form>
    </Card>
  )
}

type FeeWalletProps = Props & { readonly ownWallet: string | null }

function FeeWallet({ marketplace: { feeWallet, status }, ownWallet }: FeeWalletProps) {
  const { say } = useWords()
  const mayManage = usePermission('marketplace-manage')
  const mayChange = usePermission('payout-manage') && mayManage && status === 'active'
  const update = useChange(DashboardUpdateTermsDocument)
  return (
    <Card title={say('feeWallet')}>
      {feeWallet !== null && (
        <p>
          <Copyable text={feeWallet} />
        </p>
      )}
      {feeWallet === null && <p>{say(ownWallet === null ? 'noFeeWallet' : 'feesToOwnWallet')}</p>}
      {mayChange && (
        <Form
          submit={say('changeWallet')}
          isBusy={update.isBusy}
          fault={update.fault}
          onSubmit={({ text }) => update.run({ input: { feeWallet: text('feeWallet') } })}
        >
          <Field label={say('newWallet')} name="feeWallet" value={feeWallet} hint={say('feeWalletHint')} />
        </Form>
      )}
    </Card>
  )
}
