// What has to do with payments, as links.
import { Tabs } from '#dashboard/browser/parts/tabs.tsx'
import { PAYMENTS, REFUNDS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'

const TABS = [
  [PAYMENTS, 'payments'],
  [REFUNDS, 'refunds'],
] as const

export function PaymentTabs() {
  const { say } = useWords()
  return <Tabs label={say('payments')} tabs={TABS.map(([href, label]) => ({ href, label: say(label) }))} />
}
