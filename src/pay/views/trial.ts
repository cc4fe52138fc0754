// What a trial means for a subscription.

type Times = {
  readonly activatedAt: string | null
  readonly trialEndsAt: string | null
  readonly currentPeriodEnd: string | null
}

/** The trial is over, and nothing was ever paid: a cancel takes effect at once. */
export const isNeverPaid = ({ activatedAt, trialEndsAt, currentPeriodEnd }: Times): boolean =>
  activatedAt === null && trialEndsAt !== null && trialEndsAt !== currentPeriodEnd
