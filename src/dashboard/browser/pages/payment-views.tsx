// Names for filters of payments. They are kept in this browser, for each business.
import { useState } from 'preact/hooks'
import { useMe } from '#dashboard/browser/me.ts'
import { Button, Dialog } from '#dashboard/browser/parts/basics.tsx'
import { Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { PAYMENTS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'

type View = { readonly name: string; readonly query: string }

/** Returns what is kept; nothing when it cannot be read. */
function viewsIn(kept: string | null): readonly View[] {
  try {
    const views: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(views) ? views.filter(isView) : []
  } catch {
    return []
  }
}

const isView = (value: unknown): value is View => {
  const { name, query }: Record<string, unknown> = Object(value)
  return typeof name === 'string' && typeof query === 'string'
}

/** `query` is that of the filter that is shown. */
export function SavedViews({ query }: { query: string }) {
  const { say } = useWords()
  const { business } = useMe()
  const keptAs = `payment-views ${business.id}`
  const [views, setViews] = useState(() => viewsIn(localStorage.getItem(keptAs)))
  const [isNaming, setNaming] = useState(false)
  const keep = (changed: readonly View[]): void => {
    localStorage.setItem(keptAs, JSON.stringify(changed))
    setViews(changed)
  }
  const isSaved = query === '' || views.some((view) => view.query === query)
  if (views.length === 0 && isSaved) return null
  return (
    <nav class="views" aria-label={say('savedViews')}>
      {views.map((view) => (
        <span key={view.name} class="chip">
          <a href={`${PAYMENTS}?${view.query}`} aria-current={view.query === query ? 'page' : undefined}>
            <bdi>{view.name}</bdi>
          </a>
          <button
            type="button"
            aria-label={say('removeView', { name: view.name })}
            onClick={() => keep(views.filter((one) => one !== view))}
          >
            ×
          </button>
        </span>
      ))}
      {!isSaved && <Button onPress={() => setNaming(true)}>{say('saveView')}</Button>}
      {isNaming && (
        <Dialog title={say('saveView')} onClose={() => setNaming(false)}>
          <Form
            submit={say('save')}
            isBusy={false}
            fault={null}
            onSubmit={async ({ text }) => {
              const name = text('name') ?? ''
              keep([...views.filter((view) => view.name !== name), { name, query }])
              setNaming(false)
            }}
          >
            <Field label={say('name')} name="name" maxLength={40} hint={say('viewHint')} isRequired />
          </Form>
        </Dialog>
      )}
    </nav>
  )
}
