// Notices between instances when a transaction commits: a hint to read, never the data itself.

/** An intent changed; the payload is its id. */
export const INTENT_CHANGED = 'intent_changed'
/** Intents were created; the payload is their ids, separated by commas (a payload has at most 8,000 bytes). */
export const INTENTS_CREATED = 'intents_created'
/** Events wait for delivery; no payload. */
export const DELIVERIES_DUE = 'deliveries_due'
/** Transfers were planned, or planned again; the payload is the number of subjects, or empty for a few. */
export const TRANSFERS_DUE = 'transfers_due'
/** Accounts, keys or the allowlist changed; no payload. */
export const DIRECTORY_CHANGED = 'directory_changed'
/** The sandbox's clock was moved; no payload. */
export const CLOCK_MOVED = 'clock_moved'
/** A subscription or a checkout of one changed; the payload is its id. */
export const SUBSCRIPTION_CHANGED = 'subscription_changed'
/** Events were added to the log of a business; the payload is its id. */
export const EVENTS_ADDED = 'events_added'
