// The login of the operator's dashboard: the token is entered once, and a cookie takes its place.
import { ServiceError } from '#core/errors.ts'
import { builder } from './builder.ts'

const OperatorSession = builder.objectRef<{ readonly expiresAt: Date }>('OperatorSession').implement({
  description: 'A session of the dashboard, whose secret is in the cookie of the answer.',
  fields: (t) => ({
    expiresAt: t.expose('expiresAt', { type: 'DateTimeISO', description: 'When it ends.' }),
  }),
})

builder.mutationFields((t) => ({
  beginOperatorSession: t.field({
    type: OperatorSession,
    description:
      'Begins a session, on the page of the dashboard. The request has the token: no session begins another.',
    resolve: (_root, _args, { sessions, sent, browser }) => {
      if (typeof sent !== 'string') throw new ServiceError('unauthenticated', { credential: 'operator token' })
      if (browser === undefined) throw new ServiceError('own_pages_only')
      const { secret, expiresAt } = sessions.begin()
      browser.keep(secret)
      return { expiresAt }
    },
  }),
  endOperatorSession: t.boolean({
    description: 'Removes the cookie of the session; false for a request that is not of the dashboard.',
    resolve: (_root, _args, { browser }) => {
      browser?.forget()
      return browser !== undefined
    },
  }),
}))
