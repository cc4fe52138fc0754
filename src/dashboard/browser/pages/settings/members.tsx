// Who works for the business.
import { useState } from 'preact/hooks'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Button, Card, Dialog, FaultNotice, Loading, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { Choice, Confirm, Field, Form, ShownOnce } from '#dashboard/browser/parts/forms.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardChangeRoleDocument,
  DashboardInviteDocument,
  DashboardMembersDocument,
  type DashboardMembersQuery,
  DashboardNewLinkDocument,
  DashboardRemoveMemberDocument,
} from '#dashboard/documents.generated.ts'

type Member = NonNullable<DashboardMembersQuery['members']>[number]

export function Members() {
  const { say } = useWords()
  const mayManage = usePermission('members-manage')
  const { data, fault } = useRead(DashboardMembersDocument, {})
  const [isOpen, setOpen] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  return (
    <Card id="members" title={say('members')}>
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
          onCancel={() => setOpen(false)}
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

type InviteProps = { onInvited(url: string): void; onCancel(): void }

function Invite({ onInvited, onCancel }: InviteProps) {
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
      onCancel={onCancel}
    >
      <Field label={say('name')} name="name" isRequired />
      <Field label={say('email')} name="email" inputMode="email" hint={say('emailHint')} />
      <Choice label={say('role')} name="role" options={ROLES.map((role) => [role, say(role)] as const)} />
    </Form>
  )
}

function Role({ member: { id, name, role } }: { member: Member }) {
  const { say } = useWords()
  const change = useChange(DashboardChangeRoleDocument)
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{say('changeRole')}</Button>
      {isOpen && (
        <Dialog title={say('changeRoleTitle', { name })} onClose={close}>
          <Form
            submit={say('save')}
            isBusy={change.isBusy}
            fault={change.fault}
            onSubmit={async ({ text }) => {
              const chosen = ROLES.find((one) => one === text('role')) ?? role
              if ((await change.run({ id, role: chosen })) !== null) close()
            }}
            onCancel={close}
          >
            <Choice
              label={say('role')}
              name="role"
              value={role}
              options={ROLES.map((one) => [one, say(one)] as const)}
            />
          </Form>
        </Dialog>
      )}
    </>
  )
}

function MemberActions({ member, onLink }: { member: Member; onLink: (url: string) => void }) {
  const { say } = useWords()
  const { id, name } = member
  const newLink = useChange(DashboardNewLinkDocument)
  const remove = useChange(DashboardRemoveMemberDocument)
  return (
    <div class="actions">
      <Role member={member} />
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
