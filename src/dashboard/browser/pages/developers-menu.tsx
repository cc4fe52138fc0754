// What developers have, as links.
import { useLocation } from 'preact-iso/router'
import { DEVELOPERS, EVENTS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'

const SECTIONS = [
  [DEVELOPERS, 'keysAndWebhooks'],
  [EVENTS, 'events'],
] as const

export function DevelopersMenu() {
  const { say } = useWords()
  const { path } = useLocation()
  return (
    <nav class="tabs" aria-label={say('developers')}>
      {SECTIONS.map(([target, label]) => (
        <a key={target} href={target} aria-current={path === target ? 'page' : undefined}>
          {say(label)}
        </a>
      ))}
    </nav>
  )
}

export function DeveloperLinks() {
  const { say } = useWords()
  return (
    <p class="links">
      <a href={`${site.root}/docs`}>{say('apiReference')}</a> <a href={`${site.root}/graphql`}>GraphiQL</a>
    </p>
  )
}
