// The businesses of the service, and how one is opened.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import {
  Button,
  Card,
  Copyable,
  Dialog,
  Empty,
  FaultNotice,
  Loading,
  Page,
  Table,
  Time,
} from '#dashboard/browser/parts/basics.tsx'
import { Choice, Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { Search, useList } from '#dashboard/browser/parts/lists.tsx'
import {
  OperatorBusinessesDocument,
  OperatorCreateBusinessDocument,
  type OperatorCreateBusinessMutation,
} from '#dashboard/operator/documents.generated.ts'
import { Address, NetworkBadge, SERVED } from '#dashboard/operator/parts.tsx'
import { BUSINESSES, businessPath } from '#dashboard/operator/paths.ts'
import { useOwnWords } from '#dashboard/operator/words.ts'

/** A list of more says so: the search finds the others. */
const MOST_SHOWN = 100

export function BusinessesPage() {
  const { say, formats } = useOwnWords()
  const { data, fault } = useRead(OperatorBusinessesDocument, {})
  const { filter, show } = useList(BUSINESSES, ['search'])
  const [isOpen, setOpen] = useState(false)
  const text = filter('search')
  const wanted = text?.toLowerCase() ?? ''
  const found = (data?.accounts ?? []).filter(
    ({ marketplaceAccountId, ...account }) =>
      marketplaceAccountId == null &&
      [account.name, account.id, account.sweepDestination ?? ''].some((one) => one.toLowerCase().includes(wanted)),
  )
  // The newest first.
  const rows = found.toReversed().slice(0, MOST_SHOWN)
  const title = say('businesses')
  return (
    <Page
      title={title}
      actions={
        <Button kind="primary" onPress={() => setOpen(true)}>
          {say('newBusiness')}
        </Button>
      }
    >
      {isOpen && <NewBusiness onClose={() => setOpen(false)} />}
      <search class="filters">
        <Search label={say('searchBusinesses')} text={text} onSearch={(search) => show({ search })} />
      </search>
      <Card>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {data !== null && rows.length === 0 && (
          <Empty title={say(text === null ? 'noBusinesses' : 'noBusinessMatch')} />
        )}
        {rows.length > 0 && (
          <Table
            label={title}
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                label: say('name'),
                cell: ({ id, name, mode, disabledAt }) => (
                  <>
                    <a href={businessPath(id)}>
                      <bdi>{name}</bdi>
                    </a>{' '}
                    <NetworkBadge network={mode} />
                    {disabledAt != null && <span class="badge bad">{say('disabled')}</span>}
                  </>
                ),
              },
              {
                label: say('wallet'),
                cell: ({ sweepDestination, mode }) =>
                  sweepDestination == null ? (
                    <span class="hint">{say('noneYet')}</span>
                  ) : (
                    <Address address={sweepDestination} network={mode} />
                  ),
              },
              { label: say('created'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
            ]}
          />
        )}
        {found.length > MOST_SHOWN && (
          <p class="hint">{say('moreBusinesses', { count: formats.number(found.length - MOST_SHOWN) })}</p>
        )}
      </Card>
    </Page>
  )
}

type Created = OperatorCreateBusinessMutation['created']

function NewBusiness({ onClose }: { onClose: () => void }) {
  const { say } = useOwnWords()
  const { route } = useLocation()
  const create = useChange(OperatorCreateBusinessDocument)
  const [created, setCreated] = useState<Created | null>(null)
  if (created !== null)
    return (
      <Dialog title={say('businessReady')} onClose={null}>
        <p>{say('businessSecrets')}</p>
        {[[say('apiKey'), created.apiKey] as const, [say('webhookSecret'), created.webhookSecret] as const].map(
          ([label, secret]) => (
            <div key={label} class="field">
              <strong>{label}</strong>
              <p class="secret">
                <Copyable text={secret} />
              </p>
            </div>
          ),
        )}
        <div class="actions">
          <Button kind="primary" onPress={() => route(businessPath(created.account.id))}>
            {say('keptBoth')}
          </Button>
        </div>
      </Dialog>
    )
  return (
    <Dialog title={say('newBusiness')} onClose={onClose}>
      <Form
        submit={say('createBusiness')}
        isBusy={create.isBusy}
        fault={create.fault}
        onCancel={onClose}
        onSubmit={async ({ text }) => {
          const mode = SERVED.find((one) => one === text('mode')) ?? 'live'
          const wallet = text('sweep_destination')
          const input = { name: text('name') ?? '', mode, sweepDestination: wallet }
          const done = await create.run({ input })
          if (done !== null) setCreated(done.created)
        }}
      >
        <Field label={say('name')} name="name" isRequired />
        {SERVED.length > 1 && (
          <Choice
            label={say('networkName')}
            name="mode"
            options={SERVED.map((network) => [network, say(`network_${network}`)] as const)}
          />
        )}
        <Field label={say('itsWallet')} name="sweep_destination" hint={say('walletLater')} maxLength={44} />
      </Form>
    </Dialog>
  )
}
