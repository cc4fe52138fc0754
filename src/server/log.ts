// The log: JSON lines, in which no secret can stand whatever was passed.
import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

const CENSORED = '[redacted]'

/** Fields that hold secrets by their name, wherever an object that is logged keeps them. */
const SECRET_FIELDS = [
  'authorization',
  'client_secret',
  'clientSecret',
  'api_key',
  'apiKey',
  'webhook_secret',
  'webhookSecret',
  'operatorToken',
]

/** Secrets by their form, in any text: a message, a stack, a URL that somebody quoted. */
const SECRET_TEXT = /\b(sk_(?:live|test)_|cs_|whsec_|op_|[Bb]earer )[\w+/=.~-]{6,}|\b(client_secret=)[^&\s"'\\]+/g

export const withoutSecrets = (line: string): string =>
  line.replace(SECRET_TEXT, (_text, form: string | undefined, name: string | undefined) => `${form ?? name}${CENSORED}`)

/**
 * Standard output, written in the background and by the page: a line for each request, written at once, would cost a
 * third of them. What is not a page yet waits a tenth of a second at most, and is written when the process ends.
 */
const standardOutput = (): DestinationStream =>
  pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 100 })

export function createLog(level: string, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: CENSORED },
    // The last look at each line: what a field's name did not give away, its form does.
    hooks: { streamWrite: withoutSecrets },
  }
  return pino(options, destination)
}
