// An audit of all money, with its progress and what it found.
import { Button, Card, FaultNotice, Page, Table } from '#dashboard/browser/parts/basics.tsx'
import { type Finding, type Run, STEPS } from '#dashboard/operator/audit-run.ts'
import { useAudit } from '#dashboard/operator/audit-state.ts'
import { NetworkBadge, useAmounts } from '#dashboard/operator/parts.tsx'
import { useOwnWords } from '#dashboard/operator/words.ts'

export function AuditPage() {
  const { say } = useOwnWords()
  const { run, isUnderWay, start, stop } = useAudit()
  return (
    <Page title={say('audit')}>
      <Card>
        <p>{say('auditText')}</p>
        <div class="actions start">
          {isUnderWay ? (
            <Button onPress={stop}>{say('stop')}</Button>
          ) : (
            <Button kind="primary" onPress={start}>
              {say('startAudit')}
            </Button>
          )}
        </div>
        {run !== null && <Progress run={run} isUnderWay={isUnderWay} />}
        <FaultNotice fault={run?.fault ?? null} />
      </Card>
      {run !== null && run.totals.length > 0 && <Totals run={run} />}
      {run !== null && run.findings.length > 0 && <Findings findings={run.findings} />}
    </Page>
  )
}

function Progress({ run, isUnderWay }: { run: Run; isUnderWay: boolean }) {
  const { say, formats } = useOwnWords()
  const { step, done, of, records, accounts, findings } = run
  const counts = {
    addresses: say('auditAddresses', { done: formats.number(done), all: formats.number(of) }),
    billing: say('auditRecords', { count: formats.number(records) }),
    figures: say('auditFigures', { count: formats.number(accounts) }),
  }
  const at = step === null ? STEPS.length : STEPS.indexOf(step)
  const isClean = step === null && findings.length === 0
  return (
    <>
      <progress
        value={at + (step === 'addresses' && of > 0 ? done / of : 0)}
        max={STEPS.length}
        aria-label={say('audit')}
      />
      <ul class="steps">
        {STEPS.map((one, index) => (
          <li key={one} class={index < at ? 'done' : undefined} aria-current={one === step ? 'step' : undefined}>
            {counts[one]}
          </li>
        ))}
      </ul>
      <p role="status" class={isClean ? 'calm' : undefined}>
        {isClean && say('auditClean')}
        {step === null && findings.length > 0 && say('auditFound', { count: formats.number(findings.length) })}
        {step !== null && !isUnderWay && say('auditStopped')}
      </p>
    </>
  )
}

function Totals({ run: { totals, tokens } }: { run: Run }) {
  const { say, formats } = useOwnWords()
  const amount = useAmounts(tokens)
  const figures = ['ledger', 'chain', 'inFlight', 'unbooked', 'difference'] as const
  return (
    <Card title={say('auditTotals')}>
      <Table
        label={say('auditTotals')}
        rows={totals}
        keyOf={({ network, asset }) => `${network} ${asset}`}
        columns={[
          {
            label: say('asset'),
            cell: ({ network, asset }) => (
              <>
                {tokens.find((one) => one.asset === asset && one.network === network)?.ticker ?? asset}{' '}
                <NetworkBadge network={network} />
              </>
            ),
          },
          { label: say('addresses'), kind: 'number', cell: ({ addresses }) => formats.number(addresses) },
          ...figures.map((figure) => ({
            label: say(`total_${figure}`),
            kind: 'number' as const,
            cell: (total: Run['totals'][number]) => amount(String(total[figure]), total),
          })),
        ]}
      />
    </Card>
  )
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  const { say } = useOwnWords()
  return (
    <Card title={say('findings')} class="needs">
      <Table
        label={say('findings')}
        rows={findings}
        keyOf={({ network, kind, subject, text }) => [network, kind, subject, text].join(' ')}
        columns={[
          {
            label: say('what'),
            cell: ({ network, kind }) => (
              <>
                {say(`finding_${kind}`)} <NetworkBadge network={network} />
              </>
            ),
          },
          { label: say('about'), cell: ({ subject }) => <code dir="ltr">{subject}</code> },
          { label: say('why'), cell: ({ text }) => <span dir="auto">{text}</span> },
        ]}
      />
    </Card>
  )
}
