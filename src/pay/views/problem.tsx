// The page that says why there is no page, and what to do.
import type { Problem } from '#pay/page-input.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Stage, Status } from '#pay/views/parts.tsx'

export function problemTexts({ code, status }: Problem): { readonly title: TextKey; readonly text: TextKey } {
  if (code === 'portal_session_expired') return { title: 'expiredLinkTitle', text: 'expiredLinkText' }
  if (status === 429) return { title: 'tooManyTitle', text: 'tooManyText' }
  if (status >= 500) return { title: 'unavailableTitle', text: 'unavailableText' }
  return { title: 'notFoundTitle', text: 'notFoundText' }
}

export function ProblemView({ problem }: { problem: Problem }) {
  const { say, site } = usePage()
  const { title, text } = problemTexts(problem)
  const passes = problem.status === 429 || problem.status >= 500
  return (
    <Stage>
      <Status tone="attention" title={say(title)} text={say(text)} isTitle />
      {passes && (
        <a class="button plain" href="?">
          {say('reload')}
        </a>
      )}
      {!passes && problem.isOfSubscription && (
        <>
          {title === 'notFoundTitle' && <p>{say('manageInstead')}</p>}
          <a class="button primary" href={site.manage}>
            {say('getNewLink')}
          </a>
        </>
      )}
    </Stage>
  )
}
