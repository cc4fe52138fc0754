// The parts that every command gets: the client of the service, and the output.
import type { Ask } from './client.ts'
import type { Progress } from './progress.ts'

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
