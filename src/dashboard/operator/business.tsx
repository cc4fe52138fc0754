// A business: its wallet, its people and its keys.
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import {
  Button,
  Card,
  Copyable,
  Dialog,
  Empty,
  Fact,
  Facts,
  FaultNotice,
  Loading,
  Page,
  Table,
  Time,
} from '#dashboard/browser/parts/basics.tsx'
import { Choice, Confirm, Field, Form, ShownOnce } from '#dashboard/browser/parts/forms.tsx'
import {
  OperatorBusinessDocument,
  type OperatorBusinessQuery,
  OperatorChangeBusinessDocument,
  OperatorCreateKeyDocument,
  OperatorDisableDocument,
  OperatorEnableDocument,
  OperatorInviteDocument,
  OperatorKeepWalletDocument,
  OperatorNewLinkDocument,
  OperatorRemoveMemberDocument,
  OperatorRevokeKeyDocument,
} from '#dashboard/operator/documents.generated.ts'
import { Address, NetworkBadge } from '#dashboard/operator/parts.tsx'
import { BUSINESSES } from '#dashboard/operator/paths.ts'
import { useOwnWords } from '#dashboard/operator/words.ts'

type Account = OperatorBusinessQuery['account']
type Member = OperatorBusinessQuery['members'][number]

export function BusinessPage() {
  const { say } = useOwnWords()
  const { params } = useRoute()
  const { data, fault } = useRead(OperatorBusinessDocument, { id: params.id ?? '' })
  if (data === null)
    return (
      <Page title={say('business')}>
        {fault === null && <Loading />}
        {fault?.code === 'invalid_request' ? <p>{say('noBusinessMatch')}</p> : <FaultNotice fault={fault} />}
        <a href={BUSINESSES}>{say('businesses')}</a>
      </Page>
    )
  const { account, members, keys } = data
  return (
    <Page title={account.name} actions={<NetworkBadge network={account.mode} />}>
      <Card>
        <Facts>
          <Fact label="Id">
            <Copyable text={account.id} />
          </Fact>
          <Fact label={say('label')}>
            <bdi>{account.label ?? '–'}</bdi>
          </Fact>
          <Fact label={say('created')}>
            <Time iso={account.createdAt} />
          </Fact>
        </Facts>
        <Standing account={account} />
      </Card>
      <Wallet account={account} />
      <Members id={account.id} members={members.filter(({ removedAt }) => removedAt == null)} />
      <Keys id={account.id} keys={keys} />
    </Page>
  )
}

/** Whether it is disabled, and the change of that. */
function Standing({ account: { id, name, disabledAt, disabledReason } }: { account: Account }) {
  const { say, time } = useOwnWords()
  const [isOpen, setOpen] = useState(false)
  const disable = useChange(OperatorDisableDocument)
  const enable = useChange(OperatorEnableDocument)
  if (disabledAt != null)
    return (
      <div class="notice quiet">
        <p>{say('disabledSince', { time: time(disabledAt), reason: disabledReason ?? '–' })}</p>
        <Button isBusy={enable.isBusy} onPress={() => void enable.run({ id })}>
          {say('enable')}
        </Button>
        <FaultNotice fault={enable.fault} />
      </div>
    )
  return (
    <div class="actions">
      <Button onPress={() => setOpen(true)}>{say('disable')}</Button>
      {isOpen && (
        <Dialog title={say('disableTitle', { business: name })} onClose={() => setOpen(false)}>
          <p>{say('disableText')}</p>
          <Form
            submit={say('disable')}
            isBusy={disable.isBusy}
            fault={disable.fault}
            onCancel={() => setOpen(false)}
            onSubmit={async ({ text }) => {
              const done = await disable.run({ id, reason: text('reason') ?? '' })
              if (done !== null) setOpen(false)
            }}
          >
            <Field label={say('why')} name="reason" hint={say('disableHint')} maxLength={500} isRequired />
          </Form>
        </Dialog>
      )}
    </div>
  )
}

function Wallet({ account }: { account: Account }) {
  const { say, time } = useOwnWords()
  const [isOpen, setOpen] = useState(false)
  const change = useChange(OperatorChangeBusinessDocument)
  const keep = useChange(OperatorKeepWalletDocument)
  const { id, mode, sweepDestination, pendingPayoutChange: pending } = account
  return (
    <Card title={say('itsWallet')}>
      {sweepDestination == null ? (
        <p class="hint">{say('noPayoutWallet')}</p>
      ) : (
        <p>
          <Address address={sweepDestination} network={mode} isWhole />
        </p>
      )}
      {pending != null && (
        <div class="notice quiet">
          <p>
            {say('payoutChangeWaits', {
              time: time(pending.effectiveAt),
              wallet: pending.sweepDestination ?? '–',
              who: pending.requestedBy,
              ip: pending.ip,
            })}
          </p>
          <Button isBusy={keep.isBusy} onPress={() => void keep.run({ id })}>
            {say('keepOldWallet')}
          </Button>
          <FaultNotice fault={keep.fault} />
        </div>
      )}
      {isOpen ? (
        <Form
          submit={say('changeWallet')}
          isBusy={change.isBusy}
          fault={change.fault}
          onCancel={() => setOpen(false)}
          onSubmit={async ({ text }) => {
            const done = await change.run({ id, input: { sweepDestination: text('sweep_destination') } })
            if (done !== null) setOpen(false)
          }}
        >
          <Field
            label={say('newWallet')}
            name="sweep_destination"
            hint={say('walletAtOnce')}
            maxLength={44}
            isRequired
          />
        </Form>
      ) : (
        <div class="actions">
          <Button onPress={() => setOpen(true)}>{say('changeWallet')}</Button>
        </div>
      )}
    </Card>
  )
}

const ROLES = ['owner', 'developer', 'finance', 'viewer'] as const

function Members({ id, members }: { id: string; members: readonly Member[] }) {
  const { say } = useOwnWords()
  const [isOpen, setOpen] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  const invite = useChange(OperatorInviteDocument)
  return (
    <Card title={say('members')}>
      {members.length === 0 ? (
        <Empty title={say('noMembers')} />
      ) : (
        <Table
          label={say('members')}
          rows={members}
          keyOf={(member) => member.id}
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
            { label: say('lastUsed'), cell: ({ logins }) => <LastUsed logins={logins} /> },
            {
              label: say('actions'),
              kind: 'actions',
              cell: (member) => <MemberActions key={member.id} member={member} onLink={setLink} />,
            },
          ]}
        />
      )}
      {isOpen ? (
        <Form
          submit={say('invite')}
          isBusy={invite.isBusy}
          fault={invite.fault}
          onCancel={() => setOpen(false)}
          onSubmit={async ({ text }) => {
            const role = ROLES.find((one) => one === text('role')) ?? 'viewer'
            const done = await invite.run({ accountId: id, name: text('name') ?? '', email: text('email'), role })
            if (done === null) return
            setLink(done.invited.url)
            setOpen(false)
          }}
        >
          <Field label={say('name')} name="name" isRequired />
          <Field label={say('email')} name="email" inputMode="email" hint={say('emailHint')} />
          <Choice label={say('role')} name="role" options={ROLES.map((role) => [role, say(role)] as const)} />
        </Form>
      ) : (
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

function LastUsed({ logins }: Pick<Member, 'logins'>) {
  const { say } = useOwnWords()
  const last = logins
    .map(({ createdAt, lastUsedAt }) => lastUsedAt ?? createdAt)
    .toSorted()
    .at(-1)
  return last === undefined ? <span>{say('invited')}</span> : <Time iso={last} />
}

function MemberActions({ member: { id, name }, onLink }: { member: Member; onLink: (url: string) => void }) {
  const { say } = useOwnWords()
  const newLink = useChange(OperatorNewLinkDocument)
  const remove = useChange(OperatorRemoveMemberDocument)
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

function Keys({ id, keys }: { id: string; keys: OperatorBusinessQuery['keys'] }) {
  const { say, time } = useOwnWords()
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const create = useChange(OperatorCreateKeyDocument)
  return (
    <Card title={say('apiKeys')}>
      {keys.length === 0 ? (
        <Empty title={say('noKeys')} />
      ) : (
        <Table
          label={say('apiKeys')}
          rows={keys}
          keyOf={(key) => key.id}
          columns={[
            {
              label: say('key'),
              cell: ({ name, hint }) => (
                <>
                  <bdi>{name}</bdi> <code dir="ltr">…{hint}</code>
                </>
              ),
            },
            { label: say('created'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
            {
              label: say('lastUsed'),
              cell: ({ lastUsedAt }) => (lastUsedAt == null ? say('never') : <Time iso={lastUsedAt} />),
            },
            {
              label: say('actions'),
              kind: 'actions',
              cell: (key) =>
                key.revokedAt == null ? (
                  <RevokeKey key={key.id} id={key.id} name={key.name} />
                ) : (
                  <span class="hint">{say('stoppedAt', { time: time(key.revokedAt) })}</span>
                ),
            },
          ]}
        />
      )}
      {isOpen ? (
        <Form
          submit={say('createKey')}
          isBusy={create.isBusy}
          fault={create.fault}
          onCancel={() => setOpen(false)}
          onSubmit={async ({ text }) => {
            const done = await create.run({ accountId: id, name: text('name') })
            if (done === null) return
            setSecret(done.created.apiKey)
            setOpen(false)
          }}
        >
          <Field label={say('name')} name="name" hint={say('keyNameHint')} />
        </Form>
      ) : (
        <div class="actions">
          <Button onPress={() => setOpen(true)}>{say('createKey')}</Button>
        </div>
      )}
      {secret !== null && (
        <ShownOnce title={say('apiKey')} text={say('keepKey')} secret={secret} onClose={() => setSecret(null)} />
      )}
    </Card>
  )
}

function RevokeKey({ id, name }: { id: string; name: string }) {
  const { say } = useOwnWords()
  const revoke = useChange(OperatorRevokeKeyDocument)
  return (
    <Confirm
      label={say('revoke')}
      question={say('revokeQuestion', { name })}
      isBusy={revoke.isBusy}
      fault={revoke.fault}
      onConfirm={() => revoke.run({ id })}
    />
  )
}
