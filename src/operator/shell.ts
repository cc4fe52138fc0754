// What every command is given: the service to ask, and a place to print.
import { Option } from 'commander'
import type { Ask } from './client.ts'
import { Failure, MISUSED } from './failure.ts'
import type { Progress } from './progress.ts'

export type Shell = {
  readonly ask: Ask
  /** Prints the command's result: `json` with --json, else what people read. */
  show(json: object, text: () => string): void
  /** A remark apart from the result. */
  note(text: string): void
  /** Says how far a long command has come, apart from the result. */
  progress(label: string): Progress
}

export const NETWORKS = ['live', 'test'] as const
export type Network = (typeof NETWORKS)[number]

export const networkOption = (flags: string): Option => new Option(flags).choices(NETWORKS)

/** An option's text, or null where an empty one clears what is there; undefined where it was not given. */
export const clearable = (text: string | undefined): string | null | undefined => (text === '' ? null : text)

/** `SOL` in any case, else the mint as it is. */
export const assetOf = (mint: string): string => (mint.toUpperCase() === 'SOL' ? 'SOL' : mint)

export function wholeNumber(name: string): (text: string) => string {
  return (text) => {
    if (!/^\d{1,20}$/.test(text)) throw new Failure(`${name} must be a whole number, and "${text}" is not one`, MISUSED)
    return text
  }
}
