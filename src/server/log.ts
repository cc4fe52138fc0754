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

/** How secrets begin that no word contains. */
const CLEAR = 'sk_(?:live|test)_|whsec_|[Bb]earer '
/** How the others begin. Within a word, as in `loop_counters`, their length tells: that of a UUID is less. */
const SHORT = String.raw`\b(?:cs|op)_|\b(?:[cp]o|[os]s|li)_(?=[\w-]{20})|(?:[cos]s|[cp]o|op|li)_(?=[\w-]{40})`
/** Secrets recognized by their form, in any text: a message, a stack, a quoted URL, a longer word. */
const SECRET_TEXT = new RegExp(String.raw`(${CLEAR}|${SHORT})[\w+/=.~-]{6,}|(client_secret=)[^&\s"'\\]+`, 'g')

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
