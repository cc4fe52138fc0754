// What a payment has unless it says otherwise.
import { useChange } from '#dashboard/browser/data.ts'
import { AssetChecks, useTokens } from '#dashboard/browser/parts/assets.tsx'
import { Card } from '#dashboard/browser/parts/basics.tsx'
import { Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { bpsOf, PERCENT, percentIn } from '#dashboard/browser/parts/money.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { type DashboardBusinessFragment, DashboardUpdateDefaultsDocument } from '#dashboard/documents.generated.ts'

export function Defaults({ business }: { business: DashboardBusinessFragment }) {
  const { say } = useWords()
  const tokens = useTokens()
  const update = useChange(DashboardUpdateDefaultsDocument)
  return (
    <Card id="defaults" title={say('paymentDefaults')}>
      <p class="hint">{say('paymentDefaultsText')}</p>
      {tokens.length > 0 && (
        <Form
          submit={say('save')}
          isBusy={update.isBusy}
          fault={update.fault}
          onSubmit={({ text, all }) =>
            update.run({
              input: {
                acceptedAssets: [...all('acceptedAssets')],
                successUrl: text('successUrl'),
                cancelUrl: text('cancelUrl'),
                underpaymentToleranceBps: bpsOf(text('underpaymentToleranceBps')),
              },
            })
          }
        >
          <AssetChecks
            tokens={tokens}
            hint={say('noDefaultTokens')}
            isChecked={(asset) => business.acceptedAssets.includes(asset)}
          />
          <Field
            label={say('successPage')}
            name="successUrl"
            inputMode="url"
            value={business.successUrl}
            hint={say('successPageHint')}
          />
          <Field
            label={say('cancelPage')}
            name="cancelUrl"
            inputMode="url"
            value={business.cancelUrl}
            hint={say('cancelPageHint')}
          />
          <Field
            label={say('tolerance')}
            name="underpaymentToleranceBps"
            inputMode="decimal"
            pattern={PERCENT}
            value={percentIn(business.underpaymentToleranceBps)}
            hint={say('toleranceHint')}
          />
        </Form>
      )}
    </Card>
  )
}
