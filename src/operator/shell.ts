// The parts that every command gets: the client of the service, and the output.
import type { Ask } from './client.ts'

// Shows the progress of a long command: a bar on a terminal, a line for every tenth elsewhere.

type Progress = {
  at(done: number, total: number): void
  /** Takes the bar away. */
  end(): void
}

const WIDTH = 30

/** `redraw` writes to a terminal as it is; null where there is none, and then `line` is called. */
export function createProgress(
  label: string,
  redraw: ((text: string) => void) | null,
  line: (text: string) => void,
): Progress {
  let lastTenth = -1
  return {
    at(done, total) {
      const percent = total === 0 ? 100 : Math.min(100, Math.floor((done * 100) / total))
      if (redraw !== null) return redraw(`\r\x1b[K${label} ${bar(percent)} ${percent}%  ${done} of ${total}`)
      const tenth = Math.floor(percent / 10)
      if (tenth === lastTenth) return
      lastTenth = tenth
      line(`${label}: ${percent}%, ${done} of ${total}`)
    },
    end: () => redraw?.('\r\x1b[K'),
  }
}

const bar = (percent: number): string => {
  const full = Math.floor((percent * WIDTH) / 100)
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}]`
}

export type Shell = {
  readonly ask: Ask
  /** Returns the absolute path of a file. A relative path begins at the directory in which the command was called. */
  pathOf(file: string): string
  /** Prints the command's result: `json` with --json, else what people read. */
  show(json: object, text: () => string): void
  /** Prints a remark apart from the result. */
  note(text: string): void
  /** Shows the progress of a long command, apart from the result. */
  progress(label: string): Progress
}

/** Returns an option's text, or null where an empty one clears what is there; undefined where it was not given. */
export const clearable = (text: string | undefined): string | null | undefined => (text === '' ? null : text)
