// A payment link without code.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { type BuyerLink, keepLink } from '#dashboard/browser/links.ts'
import { useMe } from '#dashboard/browser/me.ts'
import { Button, Card, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { LinkToBuyer } from '#dashboard/browser/parts/buyer-link.tsx'
import { Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { centsOf } from '#dashboard/browser/parts/money.ts'
import { paymentPath } from '#dashboard/browser/paths.ts'
import { randomKey } from '#dashboard/browser/random.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardCreatePaymentDocument, DashboardTokensDocument } from '#dashboard/documents.generated.ts'

type Created = { readonly link: BuyerLink; readonly id: string }

export function NewPaymentPage() {
  const { say } = useWords()
  const [created, setCreated] = useState<Created | null>(null)
  return (
    <Page title={say('newPayment')}>
      {created === null ? <Terms onCreated={setCreated} /> : <Link created={created} />}
    </Page>
  )
}

function Terms({ onCreated }: { onCreated: (created: Created) => void }) {
  const { say } = useWords()
  const { business } = useMe()
  const { data } = useRead(DashboardTokensDocument, {})
  const create = useChange(DashboardCreatePaymentDocument)
  // Sent again after an answer that was lost, it creates nothing twice.
  const [idempotencyKey] = useState(randomKey)
  if (data === null) return <Loading />
  const tokens = data.allowedTokens.filter(({ network }) => network === business.mode)
  return (
    <Card>
      <Form
        submit={say('createLink')}
        isBusy={create.isBusy}
        fault={create.fault}
        onSubmit={async ({ text, all }) => {
          const amountUsdCents = centsOf(text('amount'))
          if (amountUsdCents === null) return
          const terms = { amountUsdCents, acceptedAssets: [...all('asset')] }
          const details = { reference: text('reference'), description: text('description') }
          const done = await create.run({ input: { ...terms, ...details }, idempotencyKey })
          if (!done?.created.checkoutUrl || !done.created.clientSecret) return
          const { checkoutUrl: url, clientSecret, intent } = done.created
          keepLink(intent.uuid, { url, clientSecret })
          onCreated({ link: { url, clientSecret }, id: intent.uuid })
        }}
      >
        <Field
          label={say('amountInDollars')}
          name="amount"
          isRequired
          pattern="\d{1,9}([.,]\d{1,2})?"
          inputMode="decimal"
          hint={say('amountHint')}
        />
        <fieldset>
          <legend>{say('payableIn')}</legend>
          {tokens.map(({ asset, name, ticker }) => (
            <label key={asset} class="check">
              <input type="checkbox" name="asset" value={asset} defaultChecked />
              <bdi>{name}</bdi> <span class="hint">{ticker}</span>
            </label>
          ))}
        </fieldset>
        <Field label={say('reference')} name="reference" maxLength={100} hint={say('referenceHint')} />
        <Field label={say('description')} name="description" maxLength={500} hint={say('descriptionHint')} />
      </Form>
    </Card>
  )
}

function Link({ created: { link, id } }: { created: Created }) {
  const { say } = useWords()
  const { route } = useLocation()
  return (
    <Card title={say('linkReady')}>
      <p>{say('linkReadyText')}</p>
      <LinkToBuyer link={link} />
      <div class="actions">
        <Button onPress={() => route(paymentPath(id))}>{say('seePayment')}</Button>
      </div>
    </Card>
  )
}
