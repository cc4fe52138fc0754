// What developers need: keys, webhook endpoints and their deliveries.
import { useState } from 'preact/hooks'
import { now } from '#dashboard/browser/clock.ts'
import { useChange, useIdempotencyKey, useRead } from '#dashboard/browser/data.ts'
import { useMe, usePermission } from '#dashboard/browser/me.ts'
import { DeveloperLinks, DevelopersMenu } from '#dashboard/browser/pages/developers-menu.tsx'
import {
  Button,
  Card,
  Code,
  Dialog,
  Empty,
  FaultNotice,
  Loading,
  Page,
  Table,
  Time,
} from '#dashboard/browser/parts/basics.tsx'
import { DeliveryStatus } from '#dashboard/browser/parts/deliveries.tsx'
import { Checks, Choice, Confirm, Field, Form, ShownOnce } from '#dashboard/browser/parts/forms.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import { type KeyScope, SCOPES } from '#dashboard/browser/scopes.ts'
import { site } from '#dashboard/browser/site.ts'
import {
  DashboardCreateEndpointDocument,
  DashboardCreateKeyDocument,
  DashboardDeleteEndpointDocument,
  type DashboardDeliveryFragment,
  DashboardEndpointsDocument,
  type DashboardEndpointsQuery,
  type DashboardKeyFragment,
  DashboardKeysDocument,
  DashboardRedeliverDocument,
  DashboardRevokeKeyDocument,
  DashboardRollKeyDocument,
  DashboardTestEndpointDocument,
} from '#dashboard/documents.generated.ts'

export function DevelopersPage() {
  const { say } = useWords()
  const seesKeys = usePermission('keys-manage')
  const seesWebhooks = usePermission('webhooks-manage')
  return (
    <Page title={say('developers')} actions={<DeveloperLinks />}>
      <DevelopersMenu />
      {seesKeys && <Keys />}
      {seesWebhooks && <Webhooks />}
      {!seesKeys && !seesWebhooks && <Card>{say('forbidden')}</Card>}
      {site.isSandbox && <SandboxClock />}
    </Page>
  )
}

/** The clock is that of every business of the sandbox, so that only its operator moves it. */
function SandboxClock() {
  const { say } = useWords()
  return (
    <Card title={say('sandboxClock')}>
      <p>{say('sandboxClockText')}</p>
      <Code name={say('sandboxClock')} text="npm run -s operator -- clock advance 600" />
    </Card>
  )
}

function Keys() {
  const { say } = useWords()
  const { data, fault } = useRead(DashboardKeysDocument, {})
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [working, stopped] = split(data?.apiKeys ?? [], now())
  return (
    <Card title={say('apiKeys')}>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data !== null && working.length === 0 && <Empty title={say('noKeys')}>{say('stepKeyText')}</Empty>}
      {working.length > 0 && <KeyTable label={say('apiKeys')} keys={working} onRolled={setSecret} />}
      {stopped.length > 0 && (
        <details>
          <summary>{say('stoppedKeys')}</summary>
          <KeyTable label={say('stoppedKeys')} keys={stopped} onRolled={null} />
        </details>
      )}
      {isOpen ? (
        <NewKey
          onCreated={(created) => {
            setSecret(created)
            setOpen(false)
          }}
          onCancel={() => setOpen(false)}
        />
      ) : (
        <div class="actions">
          <Button kind="primary" onPress={() => setOpen(true)}>
            {say('createKey')}
          </Button>
        </div>
      )}
      {secret !== null && (
        <ShownOnce title={say('yourKey')} text={say('keepKey')} secret={secret} onClose={() => setSecret(null)} />
      )}
    </Card>
  )
}

type Key = DashboardKeyFragment

/** Returns the keys that work, and those that have stopped. A key that was rolled may work for a while. */
function split(keys: readonly Key[], now: Date): readonly [working: readonly Key[], stopped: readonly Key[]] {
  const works = ({ revokedAt }: Key): boolean => revokedAt === null || new Date(revokedAt) > now
  return [keys.filter(works), keys.filter((key) => !works(key))]
}

type KeyTableProps = {
  readonly label: string
  readonly keys: readonly Key[]
  /** Takes the secret of the new key. Null where no key can be changed. */
  readonly onRolled: ((secret: string) => void) | null
}

function KeyTable({ label, keys, onRolled }: KeyTableProps) {
  const { say, time } = useWords()
  return (
    <Table
      label={label}
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          label: say('name'),
          cell: ({ name, revokedAt }) => (
            <>
              <bdi>{name}</bdi>{' '}
              {revokedAt !== null && (
                <span class="badge quiet">
                  {say(onRolled === null ? 'stoppedAt' : 'keyWorksUntil', { time: time(revokedAt) })}
                </span>
              )}
            </>
          ),
        },
        { label: say('key'), cell: ({ hint }) => <code dir="ltr" class="short">{`…${hint}`}</code> },
        {
          label: say('mayDo'),
          cell: ({ scopes }) => <span class="hint">{scopes.map((scope) => say(`scope_${scope}`)).join(' · ')}</span>,
        },
        {
          label: say('lastUsed'),
          cell: ({ lastUsedAt }) => (lastUsedAt ? <Time iso={lastUsedAt} /> : say('never')),
        },
        {
          label: say('actions'),
          kind: 'actions',
          cell: (key) =>
            onRolled !== null && (
              <div class="actions" key={key.id}>
                {key.revokedAt === null && <Roll apiKey={key} onRolled={onRolled} />}
                <Revoke apiKey={key} />
              </div>
            ),
        },
      ]}
    />
  )
}

/** For how long the old key may still work, in seconds. The first is chosen unless a person chooses another. */
const OVERLAPS = [86_400, 3_600, 604_800, 0] as const

/** Gives a key a new secret. The old one works until everything that has it was changed. */
function Roll({ apiKey: { id, name }, onRolled }: { apiKey: Key; onRolled: (secret: string) => void }) {
  const { say } = useWords()
  const roll = useChange(DashboardRollKeyDocument)
  const keyOf = useIdempotencyKey()
  const [isAsked, setAsked] = useState(false)
  const close = () => setAsked(false)
  return (
    <>
      <Button onPress={() => setAsked(true)}>{say('rollKey')}</Button>
      {isAsked && (
        <Dialog title={say('rollKeyTitle', { name })} onClose={close}>
          <p>{say('rollKeyText')}</p>
          <Form
            submit={say('rollKey')}
            isBusy={roll.isBusy}
            fault={roll.fault}
            onSubmit={async ({ text }) => {
              const asked = { id, overlapSeconds: Number(text('overlap')) }
              const done = await roll.run({ ...asked, idempotencyKey: keyOf(asked) })
              if (done === null) return
              close()
              onRolled(done.rolled.apiKey)
            }}
            onCancel={close}
          >
            <Choice
              label={say('oldKey')}
              name="overlap"
              options={OVERLAPS.map((seconds) => [String(seconds), say(`overlap_${seconds}`)])}
            />
          </Form>
        </Dialog>
      )}
    </>
  )
}

type NewProps = { onCreated(secret: string): void; onCancel(): void }

function NewKey({ onCreated, onCancel }: NewProps) {
  const { say } = useWords()
  const { permissions } = useMe()
  const create = useChange(DashboardCreateKeyDocument)
  // A member gives only what the member has.
  const offered = SCOPES.filter(({ permission }) => permissions.includes(permission))
  return (
    <Form
      submit={say('createKey')}
      isBusy={create.isBusy}
      fault={create.fault}
      onSubmit={async ({ text, all }) => {
        const chosen = all('scopes')
        const scopes: KeyScope[] = offered.filter(({ scope }) => chosen.includes(scope)).map(({ scope }) => scope)
        const done = await create.run({ name: text('name'), scopes })
        if (done !== null) onCreated(done.created.apiKey)
      }}
      onCancel={onCancel}
    >
      <Field label={say('name')} name="name" maxLength={100} hint={say('keyNameHint')} isRequired />
      <Checks
        label={say('mayDo')}
        name="scopes"
        options={offered.map(({ scope, permission, isUsual }) => ({
          value: scope,
          isChecked: isUsual,
          label: (
            <>
              {say(`scope_${scope}`)}{' '}
              <code class="hint" dir="ltr">
                {permission}
              </code>
            </>
          ),
        }))}
      />
    </Form>
  )
}

function Revoke({ apiKey: { id, name } }: { apiKey: DashboardKeyFragment }) {
  const { say } = useWords()
  const revoke = useChange(DashboardRevokeKeyDocument)
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

type Endpoint = NonNullable<DashboardEndpointsQuery['endpoints']>['edges'][number]['node']

function Webhooks() {
  const { say } = useWords()
  const { data, fault } = useRead(DashboardEndpointsDocument, {})
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const endpoints = data?.endpoints.edges.map(({ node }) => node)
  return (
    <>
      <Card title={say('webhookEndpoints')}>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {endpoints?.length === 0 && <Empty title={say('noEndpoints')}>{say('stepWebhookText')}</Empty>}
        {endpoints !== undefined && endpoints.length > 0 && (
          <Table
            label={say('webhookEndpoints')}
            rows={endpoints}
            keyOf={({ uuid }) => uuid}
            columns={[
              { label: 'URL', cell: ({ url }) => <code dir="ltr">{url}</code> },
              {
                label: say('status'),
                cell: ({ enabled, disabledReason }) => (
                  <span class={`badge ${enabled ? 'good' : 'bad'}`} title={disabledReason ?? undefined}>
                    {say(enabled ? 'enabled' : 'disabled')}
                  </span>
                ),
              },
              {
                label: say('actions'),
                kind: 'actions',
                cell: (endpoint) => <EndpointActions key={endpoint.uuid} endpoint={endpoint} />,
              },
            ]}
          />
        )}
        {isOpen ? (
          <NewEndpoint
            onCreated={(created) => {
              setSecret(created)
              setOpen(false)
            }}
            onCancel={() => setOpen(false)}
          />
        ) : (
          <div class="actions">
            <Button kind="primary" onPress={() => setOpen(true)}>
              {say('addEndpoint')}
            </Button>
          </div>
        )}
        {secret !== null && (
          <ShownOnce
            title={say('yourSecret')}
            text={say('keepSecret')}
            secret={secret}
            onClose={() => setSecret(null)}
          />
        )}
      </Card>
      {data !== null && <Deliveries deliveries={data.deliveries.edges.map(({ node }) => node)} />}
    </>
  )
}

function NewEndpoint({ onCreated, onCancel }: NewProps) {
  const { say } = useWords()
  const create = useChange(DashboardCreateEndpointDocument)
  return (
    <Form
      submit={say('addEndpoint')}
      isBusy={create.isBusy}
      fault={create.fault}
      onSubmit={async ({ text }) => {
        const done = await create.run({ input: { url: text('url') ?? '', description: text('description') } })
        if (done !== null) onCreated(done.created.secret)
      }}
      onCancel={onCancel}
    >
      <Field label="URL" name="url" inputMode="url" isRequired hint={say('endpointHint')} />
      <Field label={say('description')} name="description" maxLength={200} />
    </Form>
  )
}

function EndpointActions({ endpoint: { uuid, url } }: { endpoint: Endpoint }) {
  const { say } = useWords()
  const test = useChange(DashboardTestEndpointDocument)
  const remove = useChange(DashboardDeleteEndpointDocument)
  return (
    <div class="actions">
      <Button isBusy={test.isBusy} onPress={() => void test.run({ id: uuid })}>
        {say('sendTest')}
      </Button>
      <Confirm
        label={say('remove')}
        question={say('removeEndpointQuestion', { url })}
        isBusy={remove.isBusy}
        fault={remove.fault}
        onConfirm={() => remove.run({ id: uuid })}
      />
      <FaultNotice fault={test.fault} />
    </div>
  )
}

function Deliveries({ deliveries }: { deliveries: readonly DashboardDeliveryFragment[] }) {
  const { say } = useWords()
  if (deliveries.length === 0) return null
  return (
    <Card title={say('latestDeliveries')}>
      <Table
        label={say('latestDeliveries')}
        rows={deliveries}
        keyOf={({ uuid }) => uuid}
        columns={[
          { label: say('event'), cell: ({ type }) => <code dir="ltr">{type}</code> },
          {
            label: say('status'),
            cell: (delivery) => <DeliveryStatus delivery={delivery} />,
          },
          { label: say('tries'), kind: 'number', cell: ({ attemptCount }) => attemptCount },
          { label: say('created'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
          {
            label: say('actions'),
            kind: 'actions',
            cell: (delivery) => <Redeliver key={delivery.uuid} id={delivery.uuid} />,
          },
        ]}
      />
    </Card>
  )
}

function Redeliver({ id }: { id: string }) {
  const { say } = useWords()
  const redeliver = useChange(DashboardRedeliverDocument)
  return (
    <>
      <Button isBusy={redeliver.isBusy} onPress={() => void redeliver.run({ id })}>
        {say('sendAgain')}
      </Button>
      <FaultNotice fault={redeliver.fault} />
    </>
  )
}
