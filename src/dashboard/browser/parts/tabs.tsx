// Links to the pages next to this one, and to the parts of it.
import { useLocation } from 'preact-iso/router'

export type Tab = { readonly href: string; readonly label: string }

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const { path } = useLocation()
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, label: text }) => (
        <a key={href} href={href} aria-current={href === path ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  )
}
