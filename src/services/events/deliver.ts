// Sends webhooks that are due: claim, send, record. No database transaction is open while a receiver answers. After a crash
// between sending and recording the webhook is sent again, with the same webhook-id.
import type { Network } from '#core/chain/types.ts'
import type { DeliveryOutcome, LeasedDelivery } from '#core/events/delivery.ts'
import { signingVersions } from '#core/events/endpoint.ts'
import { renderEnvelope } from '#core/events/envelope.ts'
import { judgeAttempt, type WebhookAnswer } from '#core/events/retry-schedule.ts'
import type { Clock } from '#ports/clock.ts'
import type { DeliveryClaim, DeliveryStore, WebhookSecrets, WebhookSender } from '#ports/events.ts'
import type { Random } from '#ports/random.ts'
import { signWebhook } from '#services/events/signature.ts'
import { DEAD_AFTER_MS } from '#services/platform/health.ts'
import { EVENT_SUBJECTS } from './event-log.ts'

export type DeliveryLimits = {
  /** The most requests at the same time, of all calls of one deliverer together. */
  readonly inFlight: number
  /** The most requests at the same time to one endpoint: a slow endpoint occupies no more. */
  readonly perEndpoint: number
  /** An endpoint whose last attempts failed, as many as this, has one request at a time until one succeeds. */
  readonly failuresInRow: number
  /** How long such an endpoint rests after each failure, so that it costs the others no time. */
  readonly restMs: number
  /** The most deliveries that one call takes. */
  readonly perRun: number
  /** How long the lease of a living worker lasts; well above the deadline of a request. */
  readonly leaseMs: number
}

export const DELIVERY_LIMITS: DeliveryLimits = {
  inFlight: 128,
  perEndpoint: 4,
  failuresInRow: 5,
  restMs: 200,
  perRun: 1_000,
  leaseMs: 45_000,
}

const USER_AGENT = 'solana-payments-webhooks/1'

export type DeliveryRun = {
  /** How many requests were made. */
  readonly sent: number
  /** Whether to call again immediately: it took as many as one call may, and more may be due. */
  readonly again: boolean
}

export type Deliverer = {
  /**
   * Sends deliveries that are due, and those that fall due meanwhile, and returns when its own requests are over. It may be
   * called again while an earlier call still waits for a slow receiver, and should be when new deliveries are due: the
   * calls share the limits. They claim in turns: `onTurn` is called when the turn of this call comes, and until then new
   * deliveries need no other call. Rejects with the first failure of the store, after its requests are over.
   */
  runOnce(onTurn?: () => void): Promise<DeliveryRun>
}

export type DelivererNeeds = {
  /** The id under which this worker beats. */
  readonly worker: string
  readonly store: DeliveryStore
  readonly sender: WebhookSender
  readonly secrets: WebhookSecrets
  /** Returns the chain of a network, as `walletChainOf` names it; empty for a network that is not configured. */
  readonly chainName: (network: Network) => string
  readonly clock: Clock
  /** Real time, even when `clock` can be moved: receivers compare the timestamp of a signature with their own clock. */
  readonly wallClock: Clock
  readonly random: Pick<Random, 'fraction'>
}

export function createDeliverer(needs: DelivererNeeds, limits: DeliveryLimits = DELIVERY_LIMITS): Deliverer {
  const { store } = needs
  const failures = createFailures(needs.wallClock, limits)
  const claims = createClaims({ ...needs, troubled: failures.troubled }, limits)

  async function deliver({ lease, ...delivery }: LeasedDelivery): Promise<boolean> {
    try {
      const outcome = await attempt(needs, delivery)
      await store.record(lease, outcome)
      if (outcome.attempt !== null) failures.note(delivery.endpoint.id, outcome.verdict.status === 'succeeded')
      return outcome.attempt !== null
    } finally {
      claims.giveBack()
    }
  }

  return {
    async runOnce(onTurn = () => {}) {
      const underWay = new Set<Promise<void>>()
      const failures: unknown[] = []
      let taken = 0
      let sent = 0
      for (;;) {
        // What ends during the claim may let another one begin, so only a claim without company shows the end.
        const isAlone = underWay.size === 0
        // After a failure nothing more is claimed; running requests are finished.
        const take = () => claims.take(limits.perRun - taken, onTurn).catch(noteIn(failures))
        const claimed = failures.length > 0 ? [] : await take()
        taken += claimed.length
        for (const delivery of claimed) {
          const one: Promise<void> = deliver(delivery)
            .then((wasAttempted) => {
              if (wasAttempted) sent += 1
            })
            .catch(noteIn(failures))
            .then(() => {
              underWay.delete(one)
            })
          underWay.add(one)
        }
        if (isAlone && claimed.length === 0) break
        if (underWay.size > 0) await Promise.race(underWay)
      }
      if (failures.length > 0) throw failures[0]
      return { sent, again: taken >= limits.perRun }
    },
  }
}

const noteIn =
  (failures: unknown[]) =>
  (failure: unknown): [] => {
    failures.push(failure)
    return []
  }

/** The endpoints whose last attempts by this worker failed: most of what is sent to them is work for nothing. */
function createFailures({ now }: Clock, { failuresInRow, restMs }: DeliveryLimits) {
  const inRow = new Map<string, { readonly failures: number; readonly lastAt: number }>()
  return {
    note(endpointId: string, isSuccess: boolean): void {
      const failures = isSuccess ? 0 : (inRow.get(endpointId)?.failures ?? 0) + 1
      inRow.delete(endpointId)
      if (failures > 0) inRow.set(endpointId, { failures, lastAt: now().getTime() })
      // The endpoint that failed the longest time ago may be deleted since.
      const [oldest] = inRow.keys()
      if (inRow.size > MOST_FAILING && oldest !== undefined) inRow.delete(oldest)
    },
    /** Returns the endpoints that have failed so often in a row: those that rest now, and the others. */
    troubled(): Pick<DeliveryClaim, 'failing' | 'resting'> {
      const at = now().getTime()
      // After the clock was put back no endpoint rests.
      const rests = (lastAt: number) => Math.abs(at - lastAt) < restMs
      const many = [...inRow].filter(([, { failures }]) => failures >= failuresInRow)
      const idsOf = (isResting: boolean) =>
        many.flatMap(([id, { lastAt }]) => (rests(lastAt) === isResting ? [id] : []))
      return { failing: idsOf(false), resting: idsOf(true) }
    },
  }
}

const MOST_FAILING = 1_000

type ClaimNeeds = Pick<DelivererNeeds, 'store' | 'clock' | 'worker'> &
  Pick<ReturnType<typeof createFailures>, 'troubled'>

/** Claims one after the other: each claim counts the deliveries of the last one, and sees what fell due meanwhile. */
function createClaims({ store, clock, worker, troubled }: ClaimNeeds, limits: DeliveryLimits) {
  let inFlight = 0
  let last: Promise<unknown> = Promise.resolve()

  async function claim(atMost: number): Promise<readonly LeasedDelivery[]> {
    const limit = Math.min(limits.inFlight - inFlight, atMost)
    if (limit <= 0) return []
    const { leaseMs, perEndpoint } = limits
    const now = clock.now()
    const claimed = await store.claim({
      now,
      leaseMs,
      perEndpoint,
      ...troubled(),
      limit,
      worker,
      deadAfterMs: DEAD_AFTER_MS,
    })
    inFlight += claimed.length
    return claimed
  }

  return {
    take(atMost: number, onTurn: () => void): Promise<readonly LeasedDelivery[]> {
      const claiming = last.then(() => {
        onTurn()
        return claim(atMost)
      })
      last = claiming.catch(() => {})
      return claiming
    },
    giveBack() {
      inFlight -= 1
    },
  }
}

type Unleased = Omit<LeasedDelivery, 'lease'>

async function attempt(needs: DelivererNeeds, delivery: Unleased): Promise<DeliveryOutcome> {
  const { clock, random, wallClock } = needs
  const startedAt = clock.now()
  if (delivery.endpoint.isDisabled) {
    const error = 'the endpoint is disabled'
    const verdict = { status: 'failed', disablesEndpoint: false, statusCode: null, error } as const
    return { verdict, attempt: null, at: startedAt }
  }
  const began = wallClock.now().getTime()
  const { requestHeaders, answer } = await post(needs, delivery)
  const durationMs = wallClock.now().getTime() - began
  const now = clock.now()
  const circumstances = { attempt: delivery.attempts + 1, now, fraction: random.fraction() }
  const response = answer.kind === 'answered' ? { headers: answer.headers, body: answer.body } : null
  return {
    verdict: judgeAttempt(answer, circumstances),
    attempt: { startedAt, durationMs, requestHeaders, response },
    at: now,
  }
}

type Exchange = { readonly requestHeaders: Readonly<Record<string, string>>; readonly answer: WebhookAnswer }

async function post(needs: DelivererNeeds, { event, endpoint }: Unleased): Promise<Exchange> {
  const body = render(needs, event)
  if (body === null) {
    const reason = 'this version of the service cannot render the event'
    return { requestHeaders: {}, answer: { kind: 'unanswered', reason } }
  }
  const versions = signingVersions(endpoint.secretState, needs.clock.now())
  const secrets = versions.map((version) => needs.secrets.secret(endpoint.id, version))
  const signed = signWebhook({ id: event.id, body }, secrets, needs.wallClock.now())
  const requestHeaders = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...signed }
  return { requestHeaders, answer: await needs.sender.send({ url: endpoint.url, headers: requestHeaders, body }) }
}

/** Returns null for an event type that only a newer version knows: an instance of it may make the next attempt. */
function render({ chainName }: Pick<DelivererNeeds, 'chainName'>, event: LeasedDelivery['event']): string | null {
  try {
    return JSON.stringify(renderEnvelope(event, EVENT_SUBJECTS, chainName(event.network)))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
