// What buyers see of the business, and at once how their page looks with it.

import { useState } from 'preact/hooks'
import lazy, { ErrorBoundary } from 'preact-iso/lazy'
import { useChange } from '#dashboard/browser/data.ts'
import type { Fault } from '#dashboard/browser/fault.ts'
import { Button, Card, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { ColorField, Field, FileField, Form, type Given } from '#dashboard/browser/parts/forms.tsx'
import { IMAGE_FORMATS, imageDataOf, readImage } from '#dashboard/browser/parts/images.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { type DashboardBusinessFragment, DashboardUpdateBrandDocument } from '#dashboard/documents.generated.ts'

const Preview = lazy(async () => (await import('#dashboard/browser/pages/settings/preview.tsx')).Preview)

/** Another logo: a URL with its data, or null for none. */
type NewLogo = { readonly url: string | null }

export function Brand({ business }: { business: DashboardBusinessFragment }) {
  const { say } = useWords()
  const update = useChange(DashboardUpdateBrandDocument)
  const [entered, setEntered] = useState<Given | null>(null)
  const [newLogo, setNewLogo] = useState<NewLogo | null>(null)
  const [logoFault, setLogoFault] = useState<Fault | null>(null)
  const shown = brandIn(business, entered)
  const logoUrl = newLogo === null ? business.logoUrl : newLogo.url

  const takeLogo = async (file: File): Promise<void> => {
    const read = await readImage(file)
    setLogoFault('fault' in read ? read.fault : null)
    if ('url' in read) setNewLogo(read)
  }
  return (
    <Card id="brand" title={say('forBuyers')}>
      <div class="split">
        <Form
          submit={say('save')}
          isBusy={update.isBusy}
          fault={update.fault}
          onEntered={setEntered}
          onSubmit={async (given) => {
            const logo = newLogo?.url ? imageDataOf(newLogo.url) : null
            const input = brandIn(business, given)
            const saved = await update.run({ input, changesLogo: newLogo !== null, logo })
            if (saved !== null) setNewLogo(null)
            return saved
          }}
        >
          <Field label={say('name')} name="name" value={business.name} isRequired />
          <Field label={say('label')} name="label" value={business.label} hint={say('labelHint')} />
          <FileField label={say('logo')} accept={IMAGE_FORMATS} hint={say('logoHint')} onFile={takeLogo} />
          {logoUrl !== null && (
            <div class="actions start">
              <Button onPress={() => setNewLogo({ url: null })}>{say('removeLogo')}</Button>
            </div>
          )}
          <FaultNotice fault={logoFault} />
          <ColorField
            label={say('accentColor')}
            name="accentColor"
            value={business.accentColor}
            hint={say('accentColorHint')}
          />
          <Field label={say('supportPage')} name="supportUrl" inputMode="url" value={business.supportUrl} />
          <Field label={say('supportEmail')} name="supportEmail" inputMode="email" value={business.supportEmail} />
        </Form>
        <ErrorBoundary>
          <Preview
            name={shown.label ?? shown.name}
            logoUrl={logoUrl}
            accentColor={shown.accentColor}
            supportUrl={shown.supportUrl}
            supportEmail={shown.supportEmail}
            acceptedAssets={business.acceptedAssets}
          />
        </ErrorBoundary>
      </div>
    </Card>
  )
}

/** Returns what was entered; what is stored before anything was. */
function brandIn(business: DashboardBusinessFragment, given: Given | null) {
  if (given === null) {
    const { name, label, supportUrl, supportEmail, accentColor } = business
    return { name, label, supportUrl, supportEmail, accentColor }
  }
  const { text } = given
  return {
    name: text('name') ?? business.name,
    label: text('label'),
    supportUrl: text('supportUrl'),
    supportEmail: text('supportEmail'),
    accentColor: text('accentColor'),
  }
}
