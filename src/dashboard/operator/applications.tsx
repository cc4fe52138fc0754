// Applications of businesses to be a marketplace.
import { useState } from 'preact/hooks'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import {
  Button,
  Card,
  Dialog,
  Empty,
  Fact,
  Facts,
  FaultNotice,
  Loading,
  Page,
  Time,
} from '#dashboard/browser/parts/basics.tsx'
import { Field, Form, TextField } from '#dashboard/browser/parts/forms.tsx'
import { Filter, useList } from '#dashboard/browser/parts/lists.tsx'
import { bpsOf } from '#dashboard/browser/parts/money.ts'
import {
  OperatorApplicationsDocument,
  type OperatorApplicationsQuery,
  OperatorApproveDocument,
  OperatorRefuseDocument,
} from '#dashboard/operator/documents.generated.ts'
import { useKeptFocus } from '#dashboard/operator/parts.tsx'
import { APPLICATIONS, businessPath } from '#dashboard/operator/paths.ts'
import { useOwnWords } from '#dashboard/operator/words.ts'

type Application = OperatorApplicationsQuery['marketplaceApplications'][number]

const TONES = { pending: 'waiting', approved: 'good', refused: 'quiet' } as const

export function ApplicationsPage() {
  const { say } = useOwnWords()
  const { filter, show } = useList(APPLICATIONS, ['which'])
  const isAll = filter('which') === 'all'
  const { data, fault } = useRead(OperatorApplicationsDocument, { pending: !isAll })
  useKeptFocus(data?.marketplaceApplications.length ?? 0)
  return (
    <Page title={say('applications')}>
      <search class="filters">
        <Filter
          label={say('status')}
          value={filter('which')}
          all={say('application_pending')}
          options={[['all', say('all')]]}
          onChoose={(which) => show({ which })}
        />
      </search>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data?.marketplaceApplications.length === 0 && (
        <Card>
          <Empty title={say('noApplications')} />
        </Card>
      )}
      {data?.marketplaceApplications.map((application) => (
        <ApplicationCard key={application.accountId} application={application} />
      ))}
    </Page>
  )
}

function ApplicationCard({ application }: { application: Application }) {
  const { say } = useOwnWords()
  const [decision, setDecision] = useState<'approve' | 'refuse' | null>(null)
  const { accountId, account, website, sells, expectedVolume, appliedAt, state, reason } = application
  const close = () => setDecision(null)
  return (
    <Card>
      <div class="head">
        <h2>
          <a href={businessPath(accountId)}>
            <bdi>{account.name}</bdi>
          </a>
        </h2>
        <span class={`badge ${TONES[state]}`}>{say(`application_${state}`)}</span>
      </div>
      <Facts>
        <Fact label={say('website')}>
          <bdi>{website}</bdi>
        </Fact>
        <Fact label={say('expectedVolume')}>
          <span dir="auto">{expectedVolume}</span>
        </Fact>
        <Fact label={say('appliedAt')}>
          <Time iso={appliedAt} />
        </Fact>
        <Fact label={say('sells')}>
          <span dir="auto">{sells}</span>
        </Fact>
        {reason != null && (
          <Fact label={say('reason')}>
            <span dir="auto">{reason}</span>
          </Fact>
        )}
      </Facts>
      {state === 'pending' && (
        <div class="actions">
          <Button onPress={() => setDecision('refuse')}>{say('decline')}</Button>
          <Button kind="primary" onPress={() => setDecision('approve')}>
            {say('approve')}
          </Button>
        </div>
      )}
      {decision === 'approve' && <Approve application={application} onClose={close} />}
      {decision === 'refuse' && <Refuse application={application} onClose={close} />}
    </Card>
  )
}

type DecisionProps = { readonly application: Application; readonly onClose: () => void }

function Approve({ application: { accountId, account }, onClose }: DecisionProps) {
  const { say } = useOwnWords()
  const approve = useChange(OperatorApproveDocument)
  return (
    <Dialog title={say('approveTitle', { business: account.name })} onClose={onClose}>
      <Form
        submit={say('approve')}
        isBusy={approve.isBusy}
        fault={approve.fault}
        onCancel={onClose}
        onSubmit={async ({ text }) => {
          const [fee, limit] = [text('default_fee_bps'), text('seller_limit')]
          const terms = {
            ...(fee !== null && { defaultFeeBps: bpsOf(fee) ?? -1 }),
            ...(limit !== null && { sellerLimit: Number(limit) }),
          }
          if ((await approve.run({ accountId, terms })) === null) return
          onClose()
        }}
      >
        <Field
          label={say('feePercent')}
          name="default_fee_bps"
          hint={say('feePercentHint')}
          inputMode="decimal"
          pattern="\d{1,2}([.,]\d{1,2})?"
        />
        <Field
          label={say('sellerLimit')}
          name="seller_limit"
          hint={say('sellerLimitHint')}
          inputMode="numeric"
          pattern="\d{1,7}"
        />
      </Form>
    </Dialog>
  )
}

function Refuse({ application: { accountId, account }, onClose }: DecisionProps) {
  const { say } = useOwnWords()
  const refuse = useChange(OperatorRefuseDocument)
  return (
    <Dialog title={say('declineTitle', { business: account.name })} onClose={onClose}>
      <Form
        submit={say('decline')}
        isBusy={refuse.isBusy}
        fault={refuse.fault}
        onCancel={onClose}
        onSubmit={async ({ text }) => {
          if ((await refuse.run({ accountId, reason: text('reason') ?? '' })) === null) return
          onClose()
        }}
      >
        <TextField label={say('reason')} name="reason" hint={say('declineHint')} isRequired />
      </Form>
    </Dialog>
  )
}
