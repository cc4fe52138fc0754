// What the settings have, as links to each part.
import { useLocation } from 'preact-iso/router'
import { useMe } from '#dashboard/browser/me.ts'
import { Tabs } from '#dashboard/browser/parts/tabs.tsx'
import { AUDIT_LOG, SETTINGS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import type { TextKey } from '#dashboard/texts/texts.ts'

type Section = { readonly id: string; readonly label: TextKey; readonly permission: string | null }

/** The sections of the page, by the ids of their cards. */
const SECTIONS: readonly Section[] = [
  { id: 'wallet', label: 'wallet', permission: null },
  { id: 'brand', label: 'forBuyers', permission: 'settings-manage' },
  { id: 'defaults', label: 'paymentDefaults', permission: 'settings-manage' },
  { id: 'domains', label: 'domains', permission: 'subscriptions-view' },
  { id: 'members', label: 'members', permission: 'members-view' },
  { id: 'sessions', label: 'sessions', permission: null },
]

export function SettingsMenu() {
  const { say } = useWords()
  const { path } = useLocation()
  const { permissions } = useMe()
  const has = (permission: string | null) => permission === null || permissions.includes(permission)
  const sections = SECTIONS.filter(({ permission }) => has(permission)).map(({ id, label }) => ({
    href: `${path === SETTINGS ? '' : SETTINGS}#${id}`,
    label: say(label),
  }))
  const log = has('audit-view') ? [{ href: AUDIT_LOG, label: say('auditLog') }] : []
  return <Tabs label={say('settings')} tabs={[...sections, ...log]} />
}
