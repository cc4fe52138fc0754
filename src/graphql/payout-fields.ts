// A payout wallet that waits, as both schemas show it. Each schema has a builder of its own, as for API keys.
import type { PayoutChange } from '#core/accounts/payout-change.ts'

type Described = { description: string }

type PayoutFields<Field> = {
  expose(name: 'destination', options: Described & { type: 'SolanaAddress'; nullable: true }): Field
  expose(name: 'requestedAt' | 'effectiveAt', options: Described & { type: 'DateTimeISO' }): Field
  string(options: Described & { nullable?: false; resolve: (change: PayoutChange) => string }): Field
}

export const pendingPayoutFields = <Field>(t: PayoutFields<Field>) => ({
  sweepDestination: t.expose('destination', {
    type: 'SolanaAddress',
    nullable: true,
    description: 'The wallet. Null when none will be set.',
  }),
  requestedBy: t.string({
    description: 'Who asked for it: the name of a member.',
    resolve: ({ requestedBy: { kind, credential } }) => credential ?? kind,
  }),
  ip: t.string({
    description: 'The network address of the request.',
    resolve: ({ requestedBy: { ip } }) => ip ?? '',
  }),
  requestedAt: t.expose('requestedAt', { type: 'DateTimeISO', description: 'When it was asked for.' }),
  effectiveAt: t.expose('effectiveAt', { type: 'DateTimeISO', description: 'When it takes effect.' }),
})
