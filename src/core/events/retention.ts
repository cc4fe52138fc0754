/**
 * How long a delivery is kept after it ended, and an event after it was staged, in milliseconds. An event is kept for as
 * long as a delivery of it is. docs/contract.md, "Events and webhooks".
 */
export const RETENTION_MS = 60 * 24 * 60 * 60 * 1_000
