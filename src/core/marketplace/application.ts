// The application of a business to be a marketplace. Spec: "Authentication", 4.

export type ApplicationText = {
  readonly website: string
  /** What its sellers sell. */
  readonly sells: string
  /** In words: what it expects to be sold in a month. */
  readonly expectedVolume: string
}

export type Application = ApplicationText & {
  readonly accountId: string
  readonly appliedAt: Date
  /** Null while the operator has not decided. */
  readonly decidedAt: Date | null
  /** Why it was refused; null when it was not. */
  readonly reason: string | null
}

export const APPLICATION_STATES = ['pending', 'approved', 'refused'] as const
export type ApplicationState = (typeof APPLICATION_STATES)[number]

export const stateOf = ({ decidedAt, reason }: Pick<Application, 'decidedAt' | 'reason'>): ApplicationState => {
  if (decidedAt === null) return 'pending'
  return reason === null ? 'approved' : 'refused'
}
