// The business itself: where its money goes, how buyers see it, who works for it.
import { useState } from 'preact/hooks'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { useMe, usePermission } from '#dashboard/browser/me.ts'
import { Button, Card, Copyable, FaultNotice, Loading, Page, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { Choice, Confirm, Field, Form, ShownOnce } from '#dashboard/browser/parts/forms.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardBusinessDocument,
  type DashboardBusinessQuery,
  DashboardChangeWalletDocument,
  DashboardEndSessionDocument,
  DashboardInviteDocument,
  DashboardKeepWalletDocument,
  DashboardMembersDocument,
  type DashboardMembersQuery,
  DashboardNewLinkDocument,
  DashboardRemoveMemberDocument,
  DashboardSessionsDocument,
  DashboardUpdateBusinessDocument,
} from '#dashboard/documents.generated.ts'

type Business = NonNullable<DashboardBusinessQuery['business']>
type Member = NonNullable<DashboardMembersQuery['members']>[number]

export function SettingsPage() {
  const { say } = useWords()
  const { data, fault } = useRead(DashboardBusinessDocument, {})
  const seesMembers = usePermission('members-view')
  return (
    <Page title={say('settings')}>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data !== null && (
        <>
          <PayoutWallet business={data.business} />
          <Appearance business={data.business} />
        </>
      )}
      {seesMembers && <Members />}
      <Sessions />
    </Page>
  )
}

function PayoutWallet({ business: { sweepDestination, pendingPayoutChange: pending } }: { business: Business }) {
  const { say, time } = useWords()
  const mayChange = usePermission('payout-manage')
  const [isOpen, setOpen] = useState(false)
  const change = useChange(DashboardChangeWalletDocument)
  const keep = useChange(DashboardKeepWalletDocument)
  return (
    <Card title={say('payoutWallet')}>
      <p>{sweepDestination === null ? say('noPayoutWallet') : <Copyable text={sweepDestination} />}</p>
      {pending !== null && (
        <div class="notice quiet">
          <p>
            {say('payoutChangeWaits', {
              wallet: pending.sweepDestination ?? '–',
              time: time(pending.effectiveAt),
              who: pending.requestedBy,
              ip: pending.ip,
            })}
          </p>
          {mayChange && (
            <Button isBusy={keep.isBusy} onPress={() => void keep.run({})}>
              {say('keepOldWallet')}
            </Button>
          )}
          <FaultNotice fault={keep.fault} />
        </div>
      )}
      {mayChange && isOpen && (
        <Form
          submit={say('changeWallet')}
          isBusy={change.isBusy}
          fault={change.fault}
          onSubmit={async ({ text }) => {
            if ((await change.run({ wallet: text('wallet') })) !== null) setOpen(false)
          }}
        >
          <Field label={say('newWallet')} name="wallet" isRequired hint={say('walletHint')} />
        </Form>
      )}
      {mayChange && !isOpen && (
        <div class="actions">
          <Button kind={sweepDestination === null ? 'primary' : 'plain'} onPress={() => setOpen(true)}>
            {say(sweepDestination === null ? 'setWallet' : 'changeWallet')}
          </Button>
        </div>
      )}
    </Card>
  )
}

function Appearance({ business }: { business: Business }) {
  const { say } = useWords()
  const mayChange = usePermission('settings-manage')
  const update = useChange(DashboardUpdateBusinessDocument)
  if (!mayChange) return null
  return (
    <Card title={say('forBuyers')}>
      <Form
        submit={say('save')}
        isBusy={update.isBusy}
        fault={update.fault}
        onSubmit={({ text }) =>
          update.run({
            input: {
              name: text('name') ?? business.name,
              label: text('label'),
              supportUrl: text('supportUrl'),
              supportEmail: text('supportEmail'),
              accentColor: text('accentColor'),
            },
          })
        }
      >
        <Field label={say('name')} name="name" value={business.name} isRequired />
        <Field label={say('label')} name="label" value={business.label} hint={say('labelHint')} />
        <Field label={say('supportPage')} name="supportUrl" inputMode="url" value={business.supportUrl} />
        <Field label={say('supportEmail')} name="supportEmail" inputMode="email" value={business.supportEmail} />
        <Field
          label={say('accentColor')}
          name="accentColor"
          value={business.accentColor}
          pattern="#[0-9a-fA-F]{6}"
          hint="#4c33c9"
        />
      </Form>
    </Card>
  )
}

function Members() {
  const { say } = useWords()
  const mayManage = usePermission('members-manage')
  const { data, fault } = useRead(DashboardMembersDocument, {})
  const [isOpen, setOpen] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  return (
    <Card title={say('members')}>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data !== null && (
        <Table
          label={say('members')}
          rows={data.members}
          keyOf={({ id }) => id}
          columns={[
            {
              label: say('name'),
              cell: ({ name, email }) => (
                <>
                  <bdi>{name}</bdi> <bdi class="hint">{email}</bdi>
                </>
              ),
            },
            { label: say('role'), cell: ({ role }) => say(role) },
            {
              label: say('lastUsed'),
              cell: ({ logins }) => {
                const last = logins
                  .map(({ createdAt, lastUsedAt }) => lastUsedAt ?? createdAt)
                  .toSorted()
                  .at(-1)
                return last === undefined ? say('invited') : <Time iso={last} />
              },
            },
            ...(mayManage
              ? [
                  {
                    label: say('actions'),
                    kind: 'actions' as const,
                    cell: (member: Member) => <MemberActions key={member.id} member={member} onLink={setLink} />,
                  },
                ]
              : []),
          ]}
        />
      )}
      {mayManage && isOpen && (
        <Invite
          onInvited={(url) => {
            setLink(url)
            setOpen(false)
          }}
        />
      )}
      {mayManage && !isOpen && (
        <div class="actions">
          <Button onPress={() => setOpen(true)}>{say('invite')}</Button>
        </div>
      )}
      {link !== null && (
        <ShownOnce title={say('inviteLink')} text={say('inviteLinkText')} secret={link} onClose={() => setLink(null)} />
      )}
    </Card>
  )
}

const ROLES = ['owner', 'developer', 'finance', 'viewer'] as const

function Invite({ onInvited }: { onInvited: (url: string) => void }) {
  const { say } = useWords()
  const invite = useChange(DashboardInviteDocument)
  return (
    <Form
      submit={say('invite')}
      isBusy={invite.isBusy}
      fault={invite.fault}
      onSubmit={async ({ text }) => {
        const role = ROLES.find((one) => one === text('role')) ?? 'viewer'
        const done = await invite.run({ name: text('name') ?? '', email: text('email'), role })
        if (done !== null) onInvited(done.invited.url)
      }}
    >
      <Field label={say('name')} name="name" isRequired />
      <Field label={say('email')} name="email" inputMode="email" hint={say('emailHint')} />
      <Choice label={say('role')} name="role" options={ROLES.map((role) => [role, say(role)] as const)} />
    </Form>
  )
}

function MemberActions({ member: { id, name }, onLink }: { member: Member; onLink: (url: string) => void }) {
  const { say } = useWords()
  const newLink = useChange(DashboardNewLinkDocument)
  const remove = useChange(DashboardRemoveMemberDocument)
  return (
    <div class="actions">
      <Button
        isBusy={newLink.isBusy}
        onPress={() => void newLink.run({ id }).then((done) => done !== null && onLink(done.invited.url))}
      >
        {say('newLink')}
      </Button>
      <Confirm
        label={say('remove')}
        question={say('removeMemberQuestion', { name })}
        isBusy={remove.isBusy}
        fault={remove.fault}
        onConfirm={() => remove.run({ id })}
      />
      <FaultNotice fault={newLink.fault} />
    </div>
  )
}

function Sessions() {
  const { say } = useWords()
  const { member } = useMe()
  const { data } = useRead(DashboardSessionsDocument, {})
  const end = useChange(DashboardEndSessionDocument)
  const own = data?.sessions.filter(({ memberId }) => memberId === member.id)
  if (data === null || own === undefined) return null
  const here = data.me.session.id
  return (
    <Card title={say('yourSessions')}>
      <Table
        label={say('yourSessions')}
        rows={own}
        keyOf={({ id }) => id}
        columns={[
          {
            label: say('browser'),
            cell: ({ userAgent }) => (
              <bdi class="cut" title={userAgent}>
                {userAgent}
              </bdi>
            ),
          },
          { label: say('network'), cell: ({ ip }) => <code dir="ltr">{ip}</code> },
          { label: say('lastUsed'), cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} /> },
          {
            label: say('actions'),
            kind: 'actions',
            cell: ({ id }) =>
              id === here ? (
                say('thisSession')
              ) : (
                <Button onPress={() => void end.run({ id })}>{say('endSession')}</Button>
              ),
          },
        ]}
      />
      <FaultNotice fault={end.fault} />
    </Card>
  )
}
