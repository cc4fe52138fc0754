// What developers have, as links.
import { Tabs } from '#dashboard/browser/parts/tabs.tsx'
import { DEVELOPERS, EVENTS, REQUESTS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'

const SECTIONS = [
  [DEVELOPERS, 'keysAndWebhooks'],
  [EVENTS, 'events'],
  [REQUESTS, 'requests'],
] as const

export function DevelopersMenu() {
  const { say } = useWords()
  return <Tabs label={say('developers')} tabs={SECTIONS.map(([href, label]) => ({ href, label: say(label) }))} />
}

export function DeveloperLinks() {
  const { say } = useWords()
  return (
    <p class="links">
      <a href={`${site.root}/docs`}>{say('apiReference')}</a> <a href={`${site.root}/graphql`}>GraphiQL</a>
    </p>
  )
}
