import type { NewOperatorLogEntry, OperatorLogEntry } from '#core/platform/operator-log.ts'

export type OperatorLogStore = {
  /** Stores an entry before its change is made. Returns its id. */
  begin(entry: NewOperatorLogEntry): Promise<string>
  end(id: string, outcome: string, at: Date): Promise<void>
  /** Returns the newest entries first, those before another one when it is named. */
  list(limit: number, before: string | null): Promise<readonly OperatorLogEntry[]>
}
