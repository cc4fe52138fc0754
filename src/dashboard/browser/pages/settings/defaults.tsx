// What a payment has unless it says otherwise.
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { useMe } from '#dashboard/browser/me.ts'
import { Card } from '#dashboard/browser/parts/basics.tsx'
import { Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  type DashboardBusinessFragment,
  DashboardTokensDocument,
  DashboardUpdateDefaultsDocument,
} from '#dashboard/documents.generated.ts'

export function Defaults({ business }: { business: DashboardBusinessFragment }) {
  const { say } = useWords()
  const { business: mine } = useMe()
  const { data } = useRead(DashboardTokensDocument, {})
  const update = useChange(DashboardUpdateDefaultsDocument)
  const tokens = data?.allowedTokens.filter(({ network }) => network === mine.mode)
  return (
    <Card id="defaults" title={say('paymentDefaults')}>
      <p class="hint">{say('paymentDefaultsText')}</p>
      {tokens !== undefined && (
        <Form
          submit={say('save')}
          isBusy={update.isBusy}
          fault={update.fault}
          onSubmit={({ text, all }) =>
            update.run({
              input: {
                acceptedAssets: [...all('asset')],
                successUrl: text('successUrl'),
                cancelUrl: text('cancelUrl'),
              },
            })
          }
        >
          <fieldset>
            <legend>{say('payableIn')}</legend>
            {tokens.map(({ asset, name, ticker }) => (
              <label key={asset} class="check">
                <input
                  type="checkbox"
                  name="asset"
                  value={asset}
                  defaultChecked={business.acceptedAssets.includes(asset)}
                />
                <bdi>{name}</bdi> <span class="hint">{ticker}</span>
              </label>
            ))}
            <p class="hint">{say('noDefaultTokens')}</p>
          </fieldset>
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
        </Form>
      )}
    </Card>
  )
}
