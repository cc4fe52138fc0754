// The client of a Solana payments service, for Node and for browsers.
export { SolanaPayments } from './client.ts'
export { type ClientErrorCode, SolanaPaymentsError } from './errors.ts'
export type { FollowOptions, LoggedEvent } from './follow.ts'
export type * from './generated/api.ts'
export type { List } from './list.ts'
export type { ClientOptions, CreateOptions, RequestOptions, SellerOptions } from './options.ts'
export type { WaitOptions } from './wait.ts'
export { verifyWebhook, type WebhookHeaders } from './webhooks.ts'
