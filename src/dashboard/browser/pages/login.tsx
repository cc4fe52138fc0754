// The way in: by a login, or by a link that sets one up.
import { useEffect } from 'preact/hooks'
import { useRead } from '#dashboard/browser/data.ts'
import { FaultNotice, Loading } from '#dashboard/browser/parts/basics.tsx'
import { OutsideLanguage } from '#dashboard/browser/parts/frame.tsx'
import { WaysIn } from '#dashboard/browser/parts/ways-in.tsx'
import { HOME } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardLinkDocument } from '#dashboard/documents.generated.ts'

export function LogInPage() {
  const { say } = useWords()
  const title = say('logInTitle')
  useTitle(title)
  return (
    <main class="card entrance">
      <h1>{title}</h1>
      <p>{say('logInText')}</p>
      <WaysIn purpose={{ kind: 'log_in' }} onDone={() => location.reload()} />
    </main>
  )
}

export function JoinPage() {
  // Behind `#` no server sees it. It stays in the address, so that a reload finds it until it is used.
  const link = location.hash.slice(1)
  const { data, fault } = useRead(DashboardLinkDocument, { token: link })
  const isGone = link === '' || fault?.code === 'login_link_not_found'
  return (
    <>
      <main class="card entrance">
        {isGone ? (
          <Gone />
        ) : fault === null && data === null ? (
          <Loading />
        ) : data !== null ? (
          <Invited link={link} invitation={data.link} />
        ) : (
          <FaultNotice fault={fault} />
        )}
      </main>
      <OutsideLanguage />
    </>
  )
}

type Invitation = {
  readonly member: { readonly name: string; readonly role: 'owner' | 'developer' | 'finance' | 'viewer' }
  readonly business: { readonly name: string }
}

function Invited({ link, invitation: { member, business } }: { link: string; invitation: Invitation }) {
  const { say } = useWords()
  const title = say('joinTitle', { business: business.name })
  useTitle(title)
  return (
    <>
      <h1>{title}</h1>
      <p>{say('joinText', { name: member.name, role: say(member.role) })}</p>
      <WaysIn purpose={{ kind: 'add_login', link }} onDone={() => location.replace(HOME)} />
    </>
  )
}

function Gone() {
  const { say } = useWords()
  useTitle(say('linkGoneTitle'))
  return (
    <>
      <h1>{say('linkGoneTitle')}</h1>
      <p>{say('linkGoneText')}</p>
      <p>
        <a href={HOME}>{say('logInTitle')}</a>
      </p>
    </>
  )
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = title
  }, [title])
}
