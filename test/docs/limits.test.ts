// docs/limits.md states the limits that the code has.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseConfig } from '#config/config.ts'
import { MAX_A_MINUTE } from '#core/billing/proof/challenge.ts'
import {
  MORE_SIGNED_FOR_A_PAID,
  MOST_SIGNED_OF_WALLET,
  MOST_UNSIGNED,
  MOST_UNSIGNED_OF_WALLET,
} from '#core/billing/sponsoring.ts'
import { EXPIRES_IN } from '#core/billing/subscription-intent.ts'
import { INTERVAL_LIMITS } from '#core/billing/tier.ts'
import { MAX_CHANGES } from '#core/events/change-limit.ts'
import { MAX_WEBHOOK_URL_LENGTH } from '#core/events/url.ts'
import { MAX_COSTLY_PIXELS, MAX_DECODED_SIDE, MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS } from '#core/images/image.ts'
import { MAX_SEARCH } from '#core/payments/payment-search.ts'
import { MAX_BUCKETS } from '#core/stats/calendar.ts'
import { ONE_PAYOUT_ACCOUNT_IN_MS } from '#core/transfers/payout-creation.ts'
import { DOCUMENT_LIMITS, DOCUMENT_MEMORY } from '#graphql/documents/limits.ts'
import { HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { MAX_PAGE, MAX_PAGE_BELOW } from '#graphql/page.ts'
import { DEFAULT_STREAM_LIMITS } from '#graphql/payments/live/streams.ts'
import { LOOKUP_LIMITS } from '#graphql/proofs.ts'
import { UPLOAD_LIMITS } from '#graphql/uploads.ts'
import { DEFAULT_TIMEOUTS } from '#server/listening.ts'
import { DEFAULT_WEBSOCKET_LIMITS } from '#server/websocket/limits.ts'

const page = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8')
const row = (what: string): string => page.split('\n').find((line) => line.startsWith(`| ${what} |`)) ?? ''
const shown = (count: number): string => count.toLocaleString('en')
const KB = 1_024
const MB = 1_024 * KB

const rate = DEFAULT_RATE_LIMITS
const documents = DOCUMENT_LIMITS
const heavy = HEAVY_WORK_LIMITS
const streams = DEFAULT_STREAM_LIMITS
const sockets = DEFAULT_WEBSOCKET_LIMITS
const { connectionAllowance: own, addressAllowance: all } = sockets

test.each([
  ['a live API key', `${rate.liveKeyPerSecond} a second`],
  ['a test API key', `${rate.testKeyPerSecond} a second`],
  ['a client secret', `${rate.clientSecretPerSecond} a second`],
  ['a token of a subscription checkout or portal', `${rate.checkoutTokenPerMinute} a minute`],
  ['texts of a wallet', `${MAX_A_MINUTE} a minute`],
  ['texts for the recovery of links, of an address', `${rate.recoveryTextsPerMinuteOfAddress} a minute`],
  ['recoveries of links of a wallet', `${rate.recoveriesPerMinuteOfWallet} a minute`],
  ['unsigned approves of a checkout', `${MOST_UNSIGNED} an hour`],
  ['unsigned approves of a wallet', `${MOST_UNSIGNED_OF_WALLET} an hour`],
  ['signed approves of a wallet', `${MOST_SIGNED_OF_WALLET} in 24 hours`],
  ['signed approves of a wallet', `${MORE_SIGNED_FOR_A_PAID} more for each of its subscriptions`],
  ['images of a business', `${rate.imagesPerMinute} a minute`],
  ['an image', `${MAX_IMAGE_BYTES / MB} MB, and ${shown(MAX_IMAGE_PIXELS)} pixels`],
  ['an interlaced PNG, a progressive JPEG, an image with 16 bits for a channel', `${shown(MAX_COSTLY_PIXELS)} pixels`],
  ['a side of an image', `${shown(MAX_DECODED_SIDE)} pixels`],
  [
    'requests with such bodies at once',
    `${UPLOAD_LIMITS.atOncePerCaller} of each business, ${UPLOAD_LIMITS.atOnce} in all`,
  ],
  ['an address without a key', `${rate.publicAddressPerMinute} a minute`],
  ['wrong keys, secrets and wallet proofs from an address', `${rate.publicAddressPerMinute} a minute`],
  [
    'lookups of unproved credentials at once',
    `${LOOKUP_LIMITS.atOncePerCaller} of an address, ${LOOKUP_LIMITS.atOnce} in all`,
  ],
  ['new GraphQL documents of a live key', `${rate.newDocumentsPerSecondOfLiveKey} a second`],
  ['new GraphQL documents of a test key', `${rate.newDocumentsPerSecondOfTestKey} a second`],
  ['new GraphQL documents of an address', `${rate.newDocumentsPerMinuteOfAddress} a minute`],
  ['bytes of a document', `${documents.bytes / KB} KB`],
  ['tokens', shown(documents.tokens)],
  ['depth', shown(documents.depth)],
  ['fields, those of a fragment wherever it is spread', shown(documents.fields)],
  ['fields with a response name that is taken already', shown(documents.repeatedFields)],
  ['aliases', shown(documents.aliases)],
  ['directives', shown(documents.directives)],
  ['points of one operation', shown(documents.points)],
  ['points of one mutation', shown(documents.mutationPoints)],
  ['entries of a page', shown(MAX_PAGE)],
  ['entries of a list below each payment or seller of a page', shown(MAX_PAGE_BELOW)],
  ['memory for documents seen before', `${DOCUMENT_MEMORY.valid / MB} MB valid, ${DOCUMENT_MEMORY.refused / MB} MB`],
  ['heavy reads at once', `${heavy.atOnce}, and ${heavy.atOncePerCaller} of each business`],
  ['a turn of a heavy read', `${heavy.turnMs / 1_000} second`],
  ['heavy reads that wait', `${heavy.waitingPerCaller} of each business, ${heavy.waiting} in all`],
  ['heavy reads that wait', `429 after ${heavy.refusalPauseMs} ms`],
  ['time for the headers of a request', `${DEFAULT_TIMEOUTS.headersTimeout / 1_000} seconds`],
  ['time for a whole request', `${DEFAULT_TIMEOUTS.requestTimeout / 1_000} seconds`],
  ['idle connection', `${DEFAULT_TIMEOUTS.keepAliveTimeout / 1_000} seconds`],
  ['a client that takes no byte of its reply', `${DEFAULT_TIMEOUTS.writeTimeout / 1_000} seconds`],
  ['streams opened by the keys of one business', shown(streams.account)],
  ['streams of the event log of one business, and of the payments of its sellers', shown(streams.feed)],
  ['streams of the buyers of one business', shown(streams.buyers)],
  ['streams of one payment', shown(streams.intent)],
  ['streams of buyers from one address', shown(streams.address)],
  ['streams of all buyers', shown(streams.everyBuyer)],
  ['streams in all', shown(streams.total)],
  ['websockets', `${shown(sockets.maxConnections)}, and ${sockets.maxConnectionsPerAddress} from one address`],
  ['websockets of the keys of one business from one address', shown(sockets.maxConnectionsPerAddress)],
  ['websockets without a key', shown(sockets.maxConnectionsWithoutKey)],
  ['a websocket without a key and without an operation', `${sockets.idleTimeoutMs / 1_000} seconds`],
  ['operations of one websocket', `${sockets.maxOperationsPerConnection} that run`],
  ['operations of one address that are being prepared', shown(sockets.maxPreparingPerAddress)],
  ['one message', `${sockets.maxMessageBytes / KB} KB`],
  ['messages before `connection_ack`', shown(sockets.maxMessagesBeforeAck)],
  ['messages of one websocket', `${shown(own.messages)} or ${own.bytes / MB} MB in ${own.windowMs / 1_000} seconds`],
  ['messages of one address', `${shown(all.messages)} or ${all.bytes / MB} MB in ${all.windowMs / 1_000} seconds`],
  ['unread data of one websocket', `${sockets.maxBufferedBytes / MB} MB`],
  ['unread data of one address', `${sockets.maxBufferedBytesPerAddress / MB} MB`],
  ['`connection_init`', `within ${sockets.initTimeoutMs / 1_000} seconds`],
  ['a ping without an answer', `${sockets.heartbeatMs / 1_000} seconds`],
  ['the closing handshake', `${sockets.closeTimeoutMs / 1_000} seconds`],
  ['price of a tier for a period', `${parseConfig({}).subscriptions?.minPriceUsdCents} to`],
  ['price of a tier for a period', `${shown(Number(parseConfig({}).subscriptions?.maxPriceUsdCents))} US cents`],
  [
    'time until a checkout expires',
    `${EXPIRES_IN.min} to ${shown(EXPIRES_IN.max)} seconds, ${shown(EXPIRES_IN.default)} by`,
  ],
  ['intervals of a period', `${INTERVAL_LIMITS.day} days, ${INTERVAL_LIMITS.week} weeks`],
  ['intervals of a period', `${INTERVAL_LIMITS.month} months, ${INTERVAL_LIMITS.year} year`],
  ['token selections of one payment', `${MAX_CHANGES} in 5 minutes`],
  ['a sweep whose transactions have failed more than 5 times', 'a pause of a minute'],
  ['token accounts of a business that the fee payer pays for', `in ${ONE_PAYOUT_ACCOUNT_IN_MS / 86_400_000} days`],
  ['changes of one subscription by its subscriber', `${MAX_CHANGES} in 5 minutes`],
  ['search of payments', `${MAX_SEARCH} characters`],
  ['buckets of a timeseries', shown(MAX_BUCKETS)],
  ['URL of a webhook', `${shown(MAX_WEBHOOK_URL_LENGTH)} characters`],
  ['live subscriptions of one wallet', shown(parseConfig({}).subscriptions?.perWallet ?? 0)],
  [
    'what the subscriptions of one business may cost the fee payer in 24 hours',
    `${shown(Number(parseConfig({}).subscriptions?.sponsorLamportsPerBusiness))} lamports`,
  ],
  [
    'what approves may cost the fee payer in 24 hours',
    `${shown(Number(parseConfig({}).subscriptions?.sponsorLamportsPerDay))} lamports`,
  ],
])('the limit of %s is stated as it is: %s', (what, limit) => {
  expect(row(what)).toContain(limit)
})
