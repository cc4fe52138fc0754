// A payment link without code.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useChange, useIdempotencyKey } from '#dashboard/browser/data.ts'
import { type BuyerLink, keepLink } from '#dashboard/browser/links.ts'
import { AssetChecks, useTokens } from '#dashboard/browser/parts/assets.tsx'
import { Button, Card, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { LinkToBuyer } from '#dashboard/browser/parts/buyer-link.tsx'
import { Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { centsOf } from '#dashboard/browser/parts/money.ts'
import { paymentPath } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardCreatePaymentDocument } from '#dashboard/documents.generated.ts'

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
  const tokens = useTokens()
  const create = useChange(DashboardCreatePaymentDocument)
  const keyOf = useIdempotencyKey()
  /** The payment that has the reference already. */
  const [known, setKnown] = useState<string | null>(null)
  if (tokens.length === 0) return <Loading />
  return (
    <Card>
      <p class="hint">{say('linkLife')}</p>
      <Form
        submit={say('createLink')}
        isBusy={create.isBusy}
        fault={create.fault}
        onSubmit={async ({ text, all }) => {
          const amountUsdCents = centsOf(text('amountUsdCents'))
          if (amountUsdCents === null) return
          setKnown(null)
          const terms = { amountUsdCents, acceptedAssets: [...all('acceptedAssets')] }
          const input = { ...terms, reference: text('reference'), description: text('description') }
          const done = await create.run({ input, idempotencyKey: keyOf(input) })
          if (done === null) return
          const { checkoutUrl: url, clientSecret, intent } = done.created
          if (url === null || clientSecret === null) return setKnown(intent.uuid)
          const link = { url, clientSecret, expiresAt: intent.expiresAt }
          keepLink(intent.uuid, link)
          onCreated({ link, id: intent.uuid })
        }}
        onEntered={() => setKnown(null)}
      >
        <Field
          label={say('amountInDollars')}
          name="amountUsdCents"
          isRequired
          pattern="\d{1,9}([.,]\d{1,2})?"
          inputMode="decimal"
          hint={say('amountHint')}
        />
        <AssetChecks tokens={tokens} isChecked={() => true} />
        <Field
          label={say('reference')}
          name="reference"
          maxLength={100}
          hint={say('referenceHint')}
          error={
            known !== null && (
              <>
                {say('referenceIsUsed')} <a href={paymentPath(known)}>{say('seeItsPayment')}</a>
              </>
            )
          }
        />
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
