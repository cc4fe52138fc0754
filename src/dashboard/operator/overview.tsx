// The start page: what needs a person, and the state of the service.
import { useRead } from '#dashboard/browser/data.ts'
import { Card, Fact, Facts, FaultNotice, Loading, Page, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import {
  type CheckPartsFragment,
  type NetworkPartsFragment,
  OperatorReleasesDocument,
  OperatorStateDocument,
  type OperatorStateQuery,
} from '#dashboard/operator/documents.generated.ts'
import { Needs } from '#dashboard/operator/needs.tsx'
import {
  Address,
  type Network,
  NetworkBadge,
  SERVED,
  SOL,
  Transaction,
  useAmounts,
} from '#dashboard/operator/parts.tsx'
import { PARTS } from '#dashboard/operator/places.ts'
import { type OwnWords, useOwnWords } from '#dashboard/operator/words.ts'

export function OverviewPage() {
  const { say } = useOwnWords()
  const { data, fault } = useRead(OperatorStateDocument, {})
  return (
    <Page title={say('overview')}>
      <Needs />
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data !== null && (
        <>
          <State {...data} />
          <Queues queues={data.operatorStatus.queues} />
          <Releases />
          {SERVED.map((network) => (
            <NetworkCard
              key={network}
              network={network}
              state={data.operatorStatus.networks[network] ?? null}
              refunds={data.operatorStatus.refunds.find((one) => one.network === network) ?? null}
            />
          ))}
          <Billing billing={data.operatorStatus.billing ?? null} />
          <Workers workers={data.operatorStatus.workers} />
        </>
      )}
    </Page>
  )
}

type Status = OperatorStateQuery['operatorStatus']

const CHECKS = ['database', 'chain', 'priceFeed', 'workers'] as const
const TONES = { ok: 'good', degraded: 'waiting', down: 'bad' } as const

function Check({ check: { status, detail } }: { check: CheckPartsFragment }) {
  const { say } = useOwnWords()
  return (
    <>
      <span class={`badge ${TONES[status]}`}>{say(`health_${status}`)}</span>
      {detail != null && (
        <p class="hint" dir="auto">
          {detail}
        </p>
      )}
    </>
  )
}

function State({ health, operatorStatus: { openIntents, unfinishedTransfers } }: OperatorStateQuery) {
  const { say, formats } = useOwnWords()
  return (
    <Card title={say('state')}>
      <Facts>
        {CHECKS.map((name) => (
          <Fact key={name} label={say(`check_${name}`)}>
            <Check check={health.checks[name]} />
          </Fact>
        ))}
        <Fact label={say('openPayments')}>{formats.number(openIntents)}</Fact>
        <Fact label={say('unfinishedTransfers')}>{formats.number(unfinishedTransfers)}</Fact>
      </Facts>
    </Card>
  )
}

const CONSENSUS = { alpenglow: 'Alpenglow', tower_bft: 'TowerBFT' } as const

/** The kinds of transfers that have a name here. A newer service may have others. */
const QUEUES = ['sweep', 'refund', 'release', 'rent', 'charge', 'token_release', 'webhook', 'set_aside'] as const

function Queues({ queues }: { queues: Status['queues'] }) {
  const { say, formats } = useOwnWords()
  const nameOf = (name: string): string => {
    const known = QUEUES.find((one) => one === name)
    return known === undefined ? name : say(`queue_${known}`)
  }
  return (
    <Card title={say('queues')} id={PARTS.queues}>
      {queues.length === 0 ? (
        <p class="hint">{say('nothingWaits')}</p>
      ) : (
        <Table
          label={say('queues')}
          rows={queues}
          keyOf={({ name }) => name}
          columns={[
            { label: say('name'), cell: ({ name }) => nameOf(name) },
            { label: say('waiting'), kind: 'number', cell: ({ waiting }) => formats.number(waiting) },
            { label: say('retries'), kind: 'number', cell: ({ retries }) => formats.number(retries) },
            { label: say('oldestSince'), cell: ({ oldestSince }) => <Time iso={oldestSince} /> },
          ]}
        />
      )}
    </Card>
  )
}

/** What was released lately: by whom, where to, when, and how far it is. */
function Releases() {
  const { say } = useOwnWords()
  const { data, fault } = useRead(OperatorReleasesDocument, {})
  const amount = useAmounts(data?.tokens ?? [])
  const releases = data?.releases ?? []
  if (fault === null && releases.length === 0) return null
  const byOf = (by: string): string => (by === 'business' ? say('business') : say('operator'))
  return (
    <Card title={say('releasedLately')}>
      <FaultNotice fault={fault} />
      {releases.length > 0 && (
        <Table
          label={say('releasedLately')}
          rows={releases}
          keyOf={({ transferId }) => transferId}
          columns={[
            {
              label: say('payment'),
              cell: ({ intentIndex, network }) => (
                <>
                  <strong dir="ltr">#{intentIndex}</strong> <NetworkBadge network={network} />
                </>
              ),
            },
            {
              label: say('amount'),
              kind: 'number',
              cell: ({ amount: units, asset, network }) => amount(units, { asset, network }),
            },
            { label: say('to'), cell: ({ to, network }) => <Address address={to} network={network} /> },
            {
              label: say('by'),
              cell: ({ releasedBy, reason }) => (
                <>
                  {byOf(releasedBy)}
                  <p class="hint">
                    <span dir="auto">{reason}</span>
                  </p>
                </>
              ),
            },
            { label: say('time'), cell: ({ releasedAt }) => <Time iso={releasedAt} /> },
            {
              label: say('transaction'),
              cell: ({ signature, status, problem, network }) =>
                signature == null ? (
                  <>
                    <span class={`badge ${status === 'done' ? 'good' : 'waiting'}`}>{say(`transfer_${status}`)}</span>
                    {problem != null && (
                      <p class="hint">
                        <span dir="auto">{problem}</span>
                      </p>
                    )}
                  </>
                ) : (
                  <Transaction signature={signature} network={network} />
                ),
            },
          ]}
        />
      )}
    </Card>
  )
}

type NetworkCardProps = {
  readonly network: Network
  readonly state: NetworkPartsFragment | null
  readonly refunds: Status['refunds'][number] | null
}

function NetworkCard({ network, state, refunds }: NetworkCardProps) {
  const words = useOwnWords()
  const { say, formats } = words
  const title = say('networkOf', { network: say(`network_${network}`) })
  if (state === null)
    return (
      <Card title={title} class="needs">
        <p>{say('networkUnknown')}</p>
      </Card>
    )
  const { consensus, slotMs, finalAfterSlots, deposits } = state
  return (
    <Card title={title}>
      <Facts>
        <Fact label={say('feePayer')}>
          <Address address={state.feePayer} network={network} />
        </Fact>
        <Fact label={say('balance')}>{formats.amount(state.feePayerLamports, SOL)}</Fact>
        <Fact label={say('newestSlot')}>
          <span dir="ltr">{formats.number(Number(state.slot))}</span> ·{' '}
          {say('ago', { seconds: formats.number(Math.round(state.lagSeconds)) })}
        </Fact>
        <Fact label={say('consensus')}>{consensus == null ? say('consensusUnknown') : CONSENSUS[consensus]}</Fact>
        <Fact label={say('slotTime')}>
          {slotMs == null ? say('notMeasured') : <span dir="ltr">{formats.number(Math.round(slotMs))} ms</span>}
        </Fact>
        <Fact label={say('finalAfter')}>{formats.number(finalAfterSlots)}</Fact>
        {refunds !== null && (
          <>
            <Fact label={say('refundsOfHour')}>{ofBudget(words, refunds.lastHour, refunds.perHour)}</Fact>
            <Fact label={say('refundsOfDay')}>{ofBudget(words, refunds.lastDay, refunds.perDay)}</Fact>
          </>
        )}
      </Facts>
      <h3>{say('providers')}</h3>
      <Providers label={`${title} · ${say('providers')}`} providers={state.providers} />
      <h3>{say('deposits')}</h3>
      {deposits == null ? <p class="hint">{say('depositsUnknown')}</p> : <Deposits deposits={deposits} />}
    </Card>
  )
}

type ProvidersProps = { readonly label: string; readonly providers: NetworkPartsFragment['providers'] }

function Providers({ label, providers }: ProvidersProps) {
  const { say, formats } = useOwnWords()
  return (
    <Table
      label={label}
      rows={providers}
      keyOf={({ number }) => String(number)}
      columns={[
        { label: say('provider'), cell: ({ number }) => <span dir="ltr">#{number}</span> },
        {
          label: say('status'),
          cell: ({ isResting }) => (
            <span class={`badge ${isResting ? 'bad' : 'good'}`}>{say(isResting ? 'providerRests' : 'health_ok')}</span>
          ),
        },
        {
          label: say('latency'),
          kind: 'number',
          cell: ({ latencyMs }) =>
            latencyMs == null ? '–' : <span dir="ltr">{formats.number(Math.round(latencyMs))} ms</span>,
        },
        { label: say('failures'), kind: 'number', cell: ({ failures }) => formats.number(failures) },
      ]}
    />
  )
}

function Deposits({ deposits }: { deposits: NonNullable<NetworkPartsFragment['deposits']> }) {
  const { say, formats } = useOwnWords()
  const { source, reason, since, readToSlot, noticedAccounts, watchedAccounts } = deposits
  // Without an address that is watched, every one of them has notices.
  const isNoticed = source === 'polling' && (noticedAccounts > 0 || watchedAccounts === 0)
  const calls = (count: number) => say('callsCount', { count: formats.number(count) })
  return (
    <>
      <p>
        <strong>{say(isNoticed ? 'deposits_notices' : `deposits_${source}`)}</strong>
      </p>
      <p class="hint">
        <span dir="auto">{reason}</span>
      </p>
      <Facts>
        <Fact label={say('callsNotices')}>{calls(deposits.noticeCallsPerMinute)}</Fact>
        <Fact label={say('callsPolling')}>{calls(deposits.pollingCallsPerMinute)}</Fact>
        <Fact label={say('callsBlocks')}>{calls(deposits.blockCallsPerMinute)}</Fact>
        <Fact label={say('accountsNoticed')}>
          {say('accountsOf', { count: formats.number(noticedAccounts), all: formats.number(watchedAccounts) })}
        </Fact>
        <Fact label={say('since')}>
          <Time iso={since} />
        </Fact>
        {readToSlot != null && (
          <Fact label={say('readTo')}>
            <span dir="ltr">{formats.number(Number(readToSlot))}</span>
          </Fact>
        )}
      </Facts>
    </>
  )
}

/** Returns lamports that were spent of a budget. What came back can be more than that. */
const ofBudget = ({ say, formats }: OwnWords, spent: string, budget: string): string =>
  say('ofBudget', {
    spent: formats.amount(spent.startsWith('-') ? '0' : spent, SOL),
    budget: formats.amount(budget, SOL),
  })

function Billing({ billing }: { billing: NonNullable<Status['billing']> | null }) {
  const words = useOwnWords()
  const { say, formats } = words
  if (billing === null)
    return (
      <Card title={say('billing')}>
        <p class="hint">{say('billingOff')}</p>
      </Card>
    )
  const { problems, subscriptions, delegations, chargesDue, chargesInFlight, oldestChargeSince } = billing
  const { sponsorSpent, sponsorBudget, mint, delegate } = billing
  return (
    <Card title={say('billing')}>
      {problems.map((problem) => (
        <p key={problem} class="notice" dir="auto">
          {problem}
        </p>
      ))}
      <Facts>
        <Fact label={say('subscriptions')}>
          {subscriptions.map(({ status, count }) => `${formats.number(count)} ${say(status)}`).join(' · ') || '–'}
        </Fact>
        <Fact label={say('allowances')}>
          {delegations
            .map(({ status, count }) => `${formats.number(count)} ${say(`delegation_${status}`)}`)
            .join(' · ') || '–'}
        </Fact>
        <Fact label={say('charges')}>
          {say('chargesNow', { due: formats.number(chargesDue), inFlight: formats.number(chargesInFlight) })}
        </Fact>
        {oldestChargeSince != null && (
          <Fact label={say('oldestCharge')}>
            <Time iso={oldestChargeSince} />
          </Fact>
        )}
        <Fact label={say('approves')}>{ofBudget(words, sponsorSpent, sponsorBudget)}</Fact>
        <Fact label={say('stablecoin')}>
          <Address address={mint} network="live" />
        </Fact>
        <Fact label={say('delegate')}>
          <Address address={delegate} network="live" />
        </Fact>
      </Facts>
    </Card>
  )
}

function Workers({ workers }: { workers: Status['workers'] }) {
  const { say } = useOwnWords()
  const title = say('processes')
  return (
    <Card title={title} class={workers.length === 0 ? 'needs' : ''}>
      {workers.length === 0 ? (
        <p>{say('noProcess')}</p>
      ) : (
        <Table
          label={title}
          rows={workers}
          keyOf={({ id }) => id}
          columns={[
            { label: 'Id', cell: ({ id }) => <code dir="ltr">{id}</code> },
            { label: say('role'), cell: ({ role }) => role },
            { label: say('started'), cell: ({ startedAt }) => <Time iso={startedAt} /> },
            { label: say('lastReport'), cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} isExact /> },
          ]}
        />
      )}
    </Card>
  )
}
