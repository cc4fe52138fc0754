/** How the command ends when it does not do what was asked: one line for a person, and a code for a script. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exitCode: FailureCode

  constructor(message: string, exitCode: FailureCode) {
    super(oneLine(message))
    this.exitCode = exitCode
  }
}

export const REFUSED = 1
export const MISUSED = 2
export const UNREACHABLE = 3
export type FailureCode = typeof REFUSED | typeof MISUSED | typeof UNREACHABLE

export const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ')
