// A file for a spreadsheet. It is read while the service makes it, so that a person sees how far it is.
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Fault, NO_ANSWER } from '#dashboard/browser/fault.ts'
import { Button, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { keepFile } from '#dashboard/browser/parts/files.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'

type State =
  | { readonly kind: 'idle'; readonly fault: Fault | null }
  | { readonly kind: 'reading'; readonly records: number; readonly stop: AbortController }
  | { readonly kind: 'done'; readonly records: number }

const IDLE: State = { kind: 'idle', fault: null }

type ExportProps = {
  /** What a person presses. */
  readonly label: string
  /** The file of docs/rest.md, "Exports". */
  readonly file: 'payments.csv' | 'settlements.csv'
  /** Returns what the file has, at the time at which it is asked for. */
  query(): URLSearchParams
}

export function Export({ label, file, query }: ExportProps) {
  const { say, formats } = useWords()
  const [state, setState] = useState<State>(IDLE)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const start = async (): Promise<void> => {
    const stop = new AbortController()
    running.current = stop
    setState({ kind: 'reading', records: 0, stop })
    let records = 0
    const outcome = await readFile(`${site.root}/exports/${file}?${query()}`, stop.signal, (read) => {
      records = read
      setState({ kind: 'reading', records, stop })
    })
    if (stop.signal.aborted) return
    if (!(outcome instanceof Blob)) return setState({ kind: 'idle', fault: outcome })
    keepFile(file, outcome)
    setState({ kind: 'done', records })
  }

  if (state.kind === 'reading')
    return (
      <div class="export">
        <span role="status">{say('exporting', { count: formats.number(state.records) })}</span>
        <Button
          onPress={() => {
            state.stop.abort()
            setState(IDLE)
          }}
        >
          {say('stop')}
        </Button>
      </div>
    )
  return (
    <div class="export">
      {state.kind === 'done' && <span role="status">{say('exported', { count: formats.number(state.records) })}</span>}
      <Button onPress={() => void start()}>{label}</Button>
      {state.kind === 'idle' && <FaultNotice fault={state.fault} />}
    </div>
  )
}

/** Reads a file, and says after each part how many records have come. */
async function readFile(url: string, signal: AbortSignal, onRecords: (records: number) => void): Promise<Blob | Fault> {
  try {
    const response = await fetch(url, { signal })
    if (!response.ok || response.body === null) {
      const { error }: Record<string, unknown> = Object(await response.json())
      return { code: response.headers.get('Error-Code') ?? 'internal_error', message: String(error) }
    }
    const parts: Uint8Array<ArrayBuffer>[] = []
    const count = recordCounter()
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) return new Blob(parts, { type: 'text/csv' })
      parts.push(value)
      onRecords(count(value))
    }
  } catch {
    // A file that is cut is incomplete.
    return NO_ANSWER
  }
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/** Counts the records without the header: a line break inside of quotes ends none. */
function recordCounter(): (part: Uint8Array) => number {
  let isQuoted = false
  let lines = 0
  return (part) => {
    for (const byte of part) {
      if (byte === QUOTE) isQuoted = !isQuoted
      else if (byte === LINE_FEED && !isQuoted) lines += 1
    }
    return Math.max(0, lines - 1)
  }
}
