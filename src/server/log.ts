// The log: JSON lines without secrets, also when a secret was passed.
import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

const CENSORED = '[redacted]'

/** The names of fields that contain secrets, at any depth of a logged object. */
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

/** Secrets recognized by their form, in any text: a message, a stack, a quoted URL. */
const SECRET_TEXT =
  /\b(sk_(?:live|test)_|[cp]o_(?=[\w-]{20})|cs_|whsec_|op_|[Bb]earer )[\w+/=.~-]{6,}|\b(client_secret=)[^&\s"'\\]+/g

export const withoutSecrets = (line: string): string =>
  line.replace(SECRET_TEXT, (_text, form: string | undefined, name: string | undefined) => `${form ?? name}${CENSORED}`)

/** Characters of a page. */
const PAGE = 16_000
/** Milliseconds that an incomplete page waits at most. */
const MAX_WAIT = 100

/**
 * Standard output, written in the background and in pages: one write for each line would cost a third of the requests
 * per second. An incomplete page is written when the process ends. Lines are gathered here because the library that
 * writes measures all that waits at each line.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false })
  let page = ''
  const writePage = (): void => {
    if (page !== '') output.write(page)
    page = ''
  }
  setInterval(writePage, MAX_WAIT).unref()
  // Before the library's own handlers, which write what it was given until then.
  process.prependListener('beforeExit', writePage)
  process.prependListener('exit', writePage)
  return {
    write(line) {
      page += line
      if (page.length >= PAGE) writePage()
    },
  }
}

export function createLog(level: string, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: CENSORED },
    // The last check of each line: finds secrets by their form where the name of the field does not show them.
    hooks: { streamWrite: withoutSecrets },
  }
  return pino(options, destination)
}
