// A checkout of a subscription as its row.

/** The hash of the token is never read: a checkout is found by it. */
export const INTENT_OMIT = { tokenHash: true } as const
