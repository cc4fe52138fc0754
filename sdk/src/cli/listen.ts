// Forwards the events of a business to a program of the developer, as signed webhooks.
import { createHash, createHmac } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { SolanaPaymentsError } from '../errors.ts'
import type { Event } from '../generated/api.ts'
import { pause } from '../pause.ts'
import { CommandError, type Context, text, texts } from './context.ts'
import { asJson } from './output.ts'

/** A program that answers with a failure gets an event three times. One that does not answer at all is waited for. */
const TRIES = 3
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 5_000
/** As long as the service waits for an endpoint. */
const ANSWER_MS = 15_000

export async function listen(context: Context): Promise<void> {
  const { client, values, output, signal, url } = context
  const target = text(values, 'forward-to')
  if (target !== undefined && !URL.canParse(target))
    throw new CommandError('--forward-to is a URL, such as http://localhost:8080/hooks.')
  const forward = target === undefined ? null : new Forward(target, secretOf(context), context)
  const chosen = text(values, 'event')
  if (chosen !== undefined) return await forwardAgain(context, forward, chosen)
  const types = new Set(texts(values, 'types'))
  const place = new StoredCursor(url, context.key, target ?? '')
  const stored = values.new === true ? undefined : await place.read()
  const given = text(values, 'after')
  const follow = async (after: string | undefined): Promise<void> => {
    const onConnection = (error: unknown) => output.say(connectionLine(context, error, after))
    for await (const { cursor, event } of client.followEvents({ after, signal, onConnection })) {
      if (types.size === 0 || types.has(event.type)) await (forward?.send(event) ?? shown(context, event, ''))
      await place.write(cursor)
    }
  }
  try {
    await follow(given ?? stored ?? (await newestCursor(context, place)))
  } catch (error) {
    if (given !== undefined || stored === undefined || !isRefusedCursor(error)) throw error
    output.say('The service does not know the last event that was handled: it has another database by now.')
    await follow(await newestCursor(context, place))
  }
}

type Newest = { readonly events: { readonly pageInfo: { readonly endCursor: string | null } } }

/** Returns the place of the newest event, and stores it: what happens before the next start is then forwarded by it. */
async function newestCursor({ client, signal }: Context, place: StoredCursor): Promise<string | undefined> {
  const { events } = await client.graphql<Newest>('{ events(last: 1) { pageInfo { endCursor } } }', {}, { signal })
  const { endCursor } = events.pageInfo
  if (endCursor !== null) await place.write(endCursor)
  return endCursor ?? undefined
}

function connectionLine({ url }: Context, error: unknown, after: string | undefined): string {
  if (error !== null)
    return `Lost ${url}: ${error instanceof Error ? error.message : error}. It is asked again until it answers.`
  return `Ready at ${url}${after === undefined ? '' : ', from the last event that was handled'}. Ctrl-C stops it.`
}

async function forwardAgain({ client, signal }: Context, forward: Forward | null, id: string): Promise<void> {
  if (forward === null) throw new CommandError('--event needs --forward-to.')
  await forward.send(await client.events.get(id, { signal }))
}

/** The secret derives from the key, so that it stays the same on every machine that has the key. */
const secretOf = ({ values, key }: Context): string =>
  text(values, 'secret') ?? `whsec_${createHmac('sha256', key).update('solana-payments listen').digest('base64')}`

const time = (): string => new Date().toTimeString().slice(0, 8)

const shown = ({ output }: Pick<Context, 'output'>, event: Event, result: string): void =>
  output.isJson
    ? console.log(asJson(event))
    : output.say(`${time()}  ${event.type.padEnd(28)}  ${result.padEnd(12)}  ${event.id}`)

class Forward {
  readonly #target: string
  readonly #webhook: Webhook
  readonly #context: Context

  constructor(target: string, secret: string, context: Context) {
    this.#target = target
    this.#webhook = new Webhook(secret)
    this.#context = context
    context.output.say(`Forwards to ${target}`)
    context.output.say(`Webhook secret of your program, always the same for this key: ${secret}`)
  }

  /** Resolves when the program has taken the event, or failed three times. */
  async send(event: Event): Promise<void> {
    const { output, signal } = this.#context
    let isAway = false
    for (let failures = 0; ; ) {
      const started = performance.now()
      const status = await this.#post(event)
      const isTaken = status !== null && status >= 200 && status < 300
      if (status !== null) shown(this.#context, event, `${status}  ${Math.round(performance.now() - started)} ms`)
      if (isTaken) return
      if (status === null && !isAway)
        output.say(`${time()}  ${this.#target} does not answer: start your program. ${event.type} waits for it.`)
      isAway = status === null
      if (!isAway) failures += 1
      if (failures === TRIES) return output.say(`${time()}  Given up. To send it again: --event ${event.id}`)
      await pause(Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS), signal)
    }
  }

  /** Returns the status of the answer, or null without one. */
  async #post(event: Event): Promise<number | null> {
    const body = asJson(event)
    const now = new Date()
    const headers = {
      'content-type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': this.#webhook.sign(event.id, now, body),
    }
    const signal = AbortSignal.any([this.#context.signal, AbortSignal.timeout(ANSWER_MS)])
    try {
      const { status, body: answer } = await fetch(this.#target, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal,
      })
      await answer?.cancel()
      return status
    } catch {
      this.#context.signal.throwIfAborted()
      return null
    }
  }
}

/** The cursor of the last event that was handled, in a file for each service, key and target. */
class StoredCursor {
  readonly #file: string

  constructor(...parts: readonly string[]) {
    const name = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)
    const state = process.env.XDG_STATE_HOME ?? join(homedir(), '.local/state')
    this.#file = join(state, 'solana-payments', `${name}.cursor`)
  }

  async read(): Promise<string | undefined> {
    return await readFile(this.#file, 'utf8').catch(() => undefined)
  }

  /** Replaces the file whole. */
  async write(cursor: string): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    await writeFile(`${this.#file}.partial`, cursor)
    await rename(`${this.#file}.partial`, this.#file)
  }
}

const isRefusedCursor = (error: unknown): boolean =>
  error instanceof SolanaPaymentsError && error.code === 'invalid_request'
