// Applications to be a marketplace as both schemas show them. Each schema has a builder of its own: a function takes what it
// needs of the builder of fields, and gives the fields to either schema.
import { type Application, type ApplicationState, stateOf } from '#core/marketplace/application.ts'

export const APPLICATION = 'An application of a business to be a marketplace, on which the operator decides.'

export const APPLICATION_STATE = {
  description: 'What the operator has decided.',
  values: {
    pending: { description: 'Nothing yet.' },
    approved: { description: 'The business is a marketplace.' },
    refused: { description: 'Refused, for the reason that the application shows. The business can apply again.' },
  },
} as const

type Described = { description: string }

type ApplicationFields<State, Field> = {
  exposeString(name: 'website' | 'sells' | 'expectedVolume', options: Described): Field
  exposeString(name: 'reason', options: Described & { nullable: true }): Field
  expose(name: 'appliedAt', options: Described & { type: 'DateTimeISO' }): Field
  expose(name: 'decidedAt', options: Described & { type: 'DateTimeISO'; nullable: true }): Field
  field(options: Described & { type: State; resolve: (application: Application) => ApplicationState }): Field
}

export const applicationFields = <State, Field>(t: ApplicationFields<State, Field>, state: State) => ({
  state: t.field({ type: state, description: 'What the operator has decided.', resolve: stateOf }),
  website: t.exposeString('website', { description: 'Where it sells.' }),
  sells: t.exposeString('sells', { description: 'What its sellers sell.' }),
  expectedVolume: t.exposeString('expectedVolume', { description: 'What it expects to be sold in a month.' }),
  reason: t.exposeString('reason', { nullable: true, description: 'Why it was refused. Null when it was not.' }),
  appliedAt: t.expose('appliedAt', { type: 'DateTimeISO', description: 'The time of the application.' }),
  decidedAt: t.expose('decidedAt', {
    type: 'DateTimeISO',
    nullable: true,
    description: 'The time of the decision. Null while there is none.',
  }),
})
