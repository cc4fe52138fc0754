// How the money of a payment was divided: a bar for the eye, and the same as a table.
import { Card, Copyable, Table } from '#dashboard/browser/parts/basics.tsx'
import { Transaction } from '#dashboard/browser/parts/chain.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import type { DashboardPaymentDetailQuery } from '#dashboard/documents.generated.ts'

type Leg = NonNullable<DashboardPaymentDetailQuery['payment']>['settledLegs'][number]

export function Money({ legs }: { legs: readonly Leg[] }) {
  const { say, formats } = useWords()
  if (legs.length === 0) return null
  const total = legs.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  /** In percent, with four decimals: a network fee is small. */
  const share = ({ amount }: Leg): number => (total === 0n ? 0 : Number((BigInt(amount) * 1_000_000n) / total) / 10_000)
  return (
    <Card title={say('whereItWent')}>
      <svg class="shares" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {legs.map((leg, at) => (
          <rect
            key={`${leg.role}${leg.signature}${leg.destination}`}
            class={leg.role}
            x={legs.slice(0, at).reduce((sum, before) => sum + share(before), 0)}
            y="0"
            width={share(leg)}
            height="4"
          />
        ))}
      </svg>
      <Table
        label={say('whereItWent')}
        rows={legs}
        keyOf={({ role, signature, destination }) => `${role} ${signature} ${destination}`}
        columns={[
          {
            label: say('to'),
            cell: ({ role, destination }) => (
              <span class="leg">
                <svg viewBox="0 0 8 8" class="dot" aria-hidden="true">
                  <circle class={role} cx="4" cy="4" r="4" />
                </svg>
                {say(role)} <Copyable text={destination} isLong />
              </span>
            ),
          },
          { label: say('amount'), kind: 'number', cell: (leg) => formats.amount(leg.amount, leg) },
          { label: say('share'), kind: 'number', cell: (leg) => formats.percent(share(leg)) },
          { label: say('transaction'), cell: ({ signature }) => <Transaction signature={signature} /> },
        ]}
      />
    </Card>
  )
}
