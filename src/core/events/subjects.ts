// What events are about. Each room registers the types of its events and how its snapshots become payloads.

/** The version of payload shapes, in every webhook and in GET /config. */
export const API_VERSION = '2026-11-01'

export type EventSubject = {
  /** As the event's `subject.kind`. */
  readonly kind: string
  readonly types: readonly string[]
  /**
   * Returns the payload of a snapshot. Throws RangeError on a shape that this version does not know. `chain` is the chain of
   * the event's network, as `walletChainOf` names it.
   */
  render(data: unknown, chain: string): object
}

export type EventSubjects = {
  /** Every type that a deployment can emit, in the order of registration. Spec: "Events". */
  readonly types: readonly string[]
  /** Returns the payload of an event. Throws RangeError for a subject or a type that is not registered. */
  render(event: { readonly subjectKind: string; readonly type: string; readonly data: unknown }, chain: string): object
}

/** Throws when two subjects have one name, or one type. */
export function registerEventSubjects(subjects: readonly EventSubject[]): EventSubjects {
  const byKind = new Map(subjects.map((subject) => [subject.kind, subject]))
  const types = subjects.flatMap((subject) => subject.types)
  if (byKind.size !== subjects.length || new Set(types).size !== types.length)
    throw new Error('two subjects of events, or two of their types, have one name')
  return {
    types,
    render({ subjectKind, type, data }, chain) {
      const subject = byKind.get(subjectKind)
      if (subject === undefined || !subject.types.includes(type))
        throw new RangeError(`no payload is known for events of type ${type} about a ${subjectKind}`)
      return subject.render(data, chain)
    },
  }
}

/** The test of an endpoint: what the operator sends to see that a business receives webhooks. */
export const WEBHOOK_TEST = 'webhook.test'

/** Events about an account itself. */
export const ACCOUNT_EVENTS: EventSubject = {
  kind: 'account',
  types: [WEBHOOK_TEST],
  render: () => ({ message: 'This is a test: your endpoint works.' }),
}
