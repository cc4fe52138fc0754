// The filters of the list of payments.
import { useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { type FilterChange, type PaymentFilter, PERIODS, STATUSES } from '#dashboard/browser/pages/payment-filter.ts'
import { useTokens } from '#dashboard/browser/parts/assets.tsx'
import { Filter } from '#dashboard/browser/parts/lists.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardPaymentSellersDocument } from '#dashboard/documents.generated.ts'
import { shortened } from '#pay/views/formats.ts'

type Props = { readonly filter: PaymentFilter; onChange(change: FilterChange): void }

export function PaymentFilters({ filter, onChange }: Props) {
  const { say } = useWords()
  const tokens = useTokens()
  const isListed = tokens.some(({ asset }) => asset === filter.asset)
  const unlisted = filter.asset === '' || isListed ? [] : [[filter.asset, shortened(filter.asset)] as const]
  return (
    <search class="filters">
      <input
        key={filter.search}
        class="wide"
        type="search"
        maxLength={100}
        defaultValue={filter.search}
        aria-label={say('searchPayments')}
        placeholder={say('searchPayments')}
        onChange={({ currentTarget }) => onChange({ search: currentTarget.value.trim() })}
      />
      <Filter
        label={say('status')}
        value={filter.status}
        options={STATUSES.map((status) => [status, say(status)])}
        onChoose={(status) => onChange({ status })}
      />
      <Filter
        label={say('createdWhen')}
        value={filter.period}
        options={PERIODS.map((period) => [period, say(period)])}
        onChoose={(period) => onChange({ period })}
      />
      <Filter
        label={say('asset')}
        value={filter.asset || null}
        options={[...tokens.map(({ asset, ticker }) => [asset, ticker] as const), ...unlisted]}
        onChoose={(asset) => onChange({ asset })}
      />
      <Sellers filter={filter} onChange={onChange} />
      <input
        key={`metadata ${filter.metadata}`}
        type="text"
        defaultValue={filter.metadata}
        pattern=".*=.*"
        title={say('metadataHint')}
        aria-label={say('metadataHint')}
        placeholder={say('metadataHint')}
        onChange={({ currentTarget }) => onChange({ metadata: currentTarget.value.trim() })}
      />
      {filter.period === 'chosenDays' && (
        <fieldset class="days">
          <legend class="hidden">{say('createdWhen')}</legend>
          {(['from', 'to'] as const).map((bound) => (
            <label key={bound}>
              {say(bound === 'from' ? 'fromDay' : 'toDay')}{' '}
              <input
                type="date"
                value={filter[bound]}
                onChange={({ currentTarget }) => onChange({ [bound]: currentTarget.value })}
              />
            </label>
          ))}
        </fieldset>
      )}
    </search>
  )
}

/** The sellers of a marketplace, as many as a page has. A business that is none is refused, and has no such choice. */
function Sellers({ filter: { seller }, onChange }: Props) {
  const { say } = useWords()
  const maySee = usePermission('marketplace-view')
  const { data } = useRead(DashboardPaymentSellersDocument, {}, { pause: !maySee })
  const sellers = data?.sellers.edges.map(({ node: { uuid, name } }) => [uuid, name] as const) ?? []
  if (sellers.length === 0 && seller === '') return null
  const isKnown = seller === '' || sellers.some(([uuid]) => uuid === seller)
  return (
    <Filter
      label={say('paymentSeller')}
      value={seller || null}
      options={isKnown ? sellers : [[seller, seller], ...sellers]}
      onChoose={(chosen) => onChange({ seller: chosen })}
    />
  )
}
