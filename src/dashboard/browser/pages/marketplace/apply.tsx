// How a business becomes a marketplace: it applies, and the operator decides.
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Card, Fact, Facts, FaultNotice, Loading, Time } from '#dashboard/browser/parts/basics.tsx'
import { Field, Form, TextField } from '#dashboard/browser/parts/forms.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardApplicationDocument,
  type DashboardApplicationQuery,
  DashboardApplyDocument,
} from '#dashboard/documents.generated.ts'

type Application = NonNullable<NonNullable<DashboardApplicationQuery['business']>['marketplaceApplication']>

export function Apply() {
  const { say } = useWords()
  const mayApply = usePermission('settings-manage')
  const { data, fault } = useRead(DashboardApplicationDocument, {})
  if (data === null) return fault === null ? <Loading /> : <FaultNotice fault={fault} />
  const { marketplaceApplication: last } = data.business
  return (
    <>
      {last !== null && <LastApplication application={last} />}
      {last?.state !== 'pending' && (
        <Card title={say(last === null ? 'applyTitle' : 'applyAgain')}>
          <p>{say('applyText')}</p>
          {mayApply ? <Application last={last} /> : <p class="hint">{say('mayNotApply')}</p>}
        </Card>
      )}
    </>
  )
}

const TONES = { pending: 'waiting', approved: 'good', refused: 'bad' } as const

function LastApplication({ application }: { application: Application }) {
  const { say } = useWords()
  const { state, website, sells, expectedVolume, reason, appliedAt, decidedAt } = application
  return (
    <Card title={say('yourApplication')}>
      <p>
        <span class={`badge ${TONES[state]}`}>{say(`application_${state}`)}</span>
      </p>
      {reason !== null && (
        <p>
          <strong>{say('reason')}:</strong> <bdi>{reason}</bdi>
        </p>
      )}
      <Facts>
        <Fact label={say('website')}>
          <bdi>{website}</bdi>
        </Fact>
        <Fact label={say('sells')}>
          <bdi>{sells}</bdi>
        </Fact>
        <Fact label={say('expectedVolume')}>
          <bdi>{expectedVolume}</bdi>
        </Fact>
        <Fact label={say('appliedAt')}>
          <Time iso={appliedAt} />
        </Fact>
        {decidedAt !== null && (
          <Fact label={say('decidedAt')}>
            <Time iso={decidedAt} />
          </Fact>
        )}
      </Facts>
    </Card>
  )
}

/** Begins with what the last application said. */
function Application({ last }: { last: Application | null }) {
  const { say } = useWords()
  const apply = useChange(DashboardApplyDocument)
  return (
    <Form
      submit={say('apply')}
      isBusy={apply.isBusy}
      fault={apply.fault}
      onSubmit={({ text }) =>
        apply.run({
          input: {
            website: text('website') ?? '',
            sells: text('sells') ?? '',
            expectedVolume: text('expectedVolume') ?? '',
          },
        })
      }
    >
      <Field
        label={say('website')}
        name="website"
        inputMode="url"
        value={last?.website}
        isRequired
        hint="https://bazaar.example"
      />
      <TextField label={say('sells')} name="sells" value={last?.sells} isRequired hint={say('sellsHint')} />
      <Field
        label={say('expectedVolume')}
        name="expectedVolume"
        value={last?.expectedVolume}
        maxLength={500}
        isRequired
        hint={say('expectedVolumeHint')}
      />
    </Form>
  )
}
