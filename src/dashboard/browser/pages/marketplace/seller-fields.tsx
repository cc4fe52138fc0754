// What a person enters about a seller, and how it is shown.
import type { ComponentChildren } from 'preact'
import { Field, type Given, TextField } from '#dashboard/browser/parts/forms.tsx'
import { bpsOf, PERCENT, percentIn } from '#dashboard/browser/parts/money.ts'
import { useWords, type Words } from '#dashboard/browser/say.tsx'
import type { DashboardMarketplaceFragment, DashboardSellerFragment } from '#dashboard/documents.generated.ts'

type Props = {
  readonly marketplace: DashboardMarketplaceFragment
  /** Null for a new one. */
  readonly seller: DashboardSellerFragment | null
  /** What is wrong with the external id. */
  readonly idError?: ComponentChildren
}

export function SellerFields({ marketplace, seller, idError }: Props) {
  const { say, percent } = useWords()
  const fee = seller?.marketplaceFeeBps ?? null
  return (
    <>
      <Field label={say('name')} name="name" value={seller?.name} isRequired maxLength={200} />
      <Field label={say('label')} name="label" value={seller?.label} maxLength={200} hint={say('labelHint')} />
      {seller === null && (
        <Field label={say('externalId')} name="externalId" maxLength={255} hint={say('sellerIdHint')} error={idError} />
      )}
      <Field
        label={say('sellerWallet')}
        name="sweepDestination"
        value={seller?.sweepDestination}
        hint={say('sellerWalletHint')}
      />
      <Field
        label={say('yourFeePercent')}
        name="marketplaceFeeBps"
        value={fee === null ? null : percentIn(fee)}
        pattern={PERCENT}
        inputMode="decimal"
        hint={say('sellerFeeHint', { fee: percent(marketplace.defaultFeeBps) })}
      />
      <TextField label={say('description')} name="description" value={seller?.description} />
    </>
  )
}

/** Returns what was entered. */
export const sellerIn = ({ text }: Given) => ({
  name: text('name') ?? '',
  label: text('label'),
  sweepDestination: text('sweepDestination'),
  marketplaceFeeBps: bpsOf(text('marketplaceFeeBps')),
  description: text('description'),
})

/** Returns the fee of a seller in words. */
export const feeOf = (
  { percent, say }: Words,
  { marketplaceFeeBps }: Pick<DashboardSellerFragment, 'marketplaceFeeBps'>,
  { defaultFeeBps }: Pick<DashboardMarketplaceFragment, 'defaultFeeBps'>,
): string =>
  marketplaceFeeBps === null ? say('usualFee', { fee: percent(defaultFeeBps) }) : percent(marketplaceFeeBps)

type StatusProps = { readonly seller: Pick<DashboardSellerFragment, 'status' | 'sweepDestination'> }

/** A seller without a wallet accepts no payment, whatever its status is. */
export function SellerStatus({ seller: { status, sweepDestination } }: StatusProps) {
  const { say } = useWords()
  if (status === 'active' && sweepDestination === null)
    return <span class="badge waiting">{say('sellerWithoutWallet')}</span>
  return <span class={`badge ${status === 'active' ? 'good' : 'quiet'}`}>{say(status)}</span>
}
